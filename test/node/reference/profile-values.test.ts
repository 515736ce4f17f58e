import { describe, expect, it } from 'vitest'
import { decodeAs, encodeAs, parameter, textOf } from '#reference/profile-values.ts'
import { knownOf, NODE_ID, templateProfile } from './profile-request.ts'

const PLAIN = templateProfile('{ts.s}', { A: '{sig.hex} {ts.s}' }, { validitySeconds: 30 })
const KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
/** RFC 8037, appendix A.3: the thumbprint of that key. */
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const NONCE = '000102030405060708090a0b0c0d0e0f'
const TIME = { timeMs: 1_780_315_200_999, timeS: 1_780_315_200 }

describe('a placeholder of a profile stands for', () => {
  it.each([
    ['method', 'GET'],
    ['scheme', 'https'],
    ['authority', 'nodes.example:8443'],
    ['origin', 'https://nodes.example:8443'],
    ['path', '/node/status'],
    ['query', `b=2&node_id=${NODE_ID}&a=%2f`],
    ['sortedQuery', `a=%2F&b=2&node_id=${NODE_ID}`],
    ['target', `/node/status?b=2&node_id=${NODE_ID}&a=%2f`],
    ['url', `https://nodes.example:8443/node/status?b=2&node_id=${NODE_ID}&a=%2f`],
    ['kid', KEY],
    ['kid.thumbprint', THUMBPRINT],
    ['ts.s', '1780315200'],
    ['ts.ms', '1780315200999'],
    ['ts.iso', '2026-06-01T12:00:00.999Z'],
    ['exp.s', '1780315230'],
    ['exp.ms', '1780315230999'],
    ['exp.iso', '2026-06-01T12:00:30.999Z'],
    ['ts.window', '17'],
    ['param.node_id', NODE_ID],
    ['param.b', '2'],
    ['param.c', ''],
    ['key.hex', KEY],
    ['nonce.0xhex', `0x${NONCE}`],
  ])('%s: %s', (name, text) => {
    const known = knownOf(PLAIN, `b=2&node_id=${NODE_ID}&a=%2f`)
    expect(textOf(name, known, { ...TIME, key: KEY, nonce: NONCE, thumbprint: 'other' }, 17)).toBe(text)
  })

  it('a sorted query with all but unreserved characters escaped, as bearer-v1 has it', () => {
    expect(textOf('sortedQuery', knownOf(PLAIN, "z=(x)*'!&y=~a-b_c.d+e&flag"), {})).toBe(
      'flag=&y=~a-b_c.d%2Be&z=%28x%29%2A%27%21',
    )
  })
})

describe('a node id is signed', () => {
  it.each([
    [undefined, NODE_ID],
    ['typed', NODE_ID],
    ['lower', NODE_ID.toLowerCase()],
    ['typed-no-0x', NODE_ID.slice(2)],
    ['lower-no-0x', NODE_ID.slice(2).toLowerCase()],
  ])('in the form that the profile names: %s', (nodeId, text) => {
    const profile = templateProfile('{param.node_id}', undefined, nodeId === undefined ? {} : { nodeId })
    expect(parameter('node_id', knownOf(profile))).toBe(text)
    expect(parameter('node_id', knownOf(profile, 'other=1'))).toBeUndefined()
  })

  it('in a form that is for node ids alone, and that takes away 0x at the beginning only', () => {
    const known = knownOf(
      templateProfile('x', undefined, { nodeId: 'lower-no-0x' }),
      'a=0xAB&node_id=0X0xAB&b=0xCD',
    )
    expect(['a', 'node_id', 'b', 'c'].map((name) => parameter(name, known))).toEqual([
      '0xAB',
      '0xab',
      '0xCD',
      undefined,
    ])
    const bare = knownOf(templateProfile('x', undefined, { nodeId: 'typed-no-0x' }), 'node_id=AB0x')
    expect(parameter('node_id', bare)).toBe('AB0x')
  })
})

/** RFC 4648 for base64, Bitcoin's alphabet for base58: 255 is its digits 4 and 23. */
const WRITTEN: readonly (readonly [string, string, string])[] = [
  ['hex', '0000ff', '0000ff'],
  ['0xhex', '0000ff', '0x0000ff'],
  ['base64', '0000ff', 'AAD/'],
  ['base64', 'fb', '+w=='],
  ['base64-nopad', 'fbff', '+/8'],
  ['base64url', 'fbff', '-_8'],
  ['base58', '0000ff', '115Q'],
  ['base58', '00', '1'],
  ['base58', '48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
]

describe('bytes', () => {
  it.each(WRITTEN)('are written as %s and read back: %s is %s', (form, hex, text) => {
    const bytes = Buffer.from(hex, 'hex')
    expect(encodeAs(form, bytes)).toBe(text)
    expect(decodeAs(form, text, bytes.length)).toBe(hex)
    expect(decodeAs(form, text, bytes.length + 1)).toBeUndefined()
    expect(decodeAs(form, text, bytes.length - 1)).toBeUndefined()
  })

  it.each([
    ['hex', 'abc', 1],
    ['hex', '0xab', 1],
    ['hex', 'ab0xcd', 2],
    ['0xhex', 'abcd', 2],
    ['0xhex', '0Xabcd', 2],
    ['base64', '+w', 1],
    ['base64', '-w==', 1],
    ['base64', '+x==', 1],
    ['base64', '*', 1],
    ['base64-nopad', '+w==', 1],
    ['base64url', '+w', 1],
    ['base64url', '-w==', 1],
    ['base58', '0', 1],
    ['base58', 'l', 1],
    ['base58', '115Q', 2],
    ['base58', '5Q', 2],
    ['base58', '5R', 1],
    ['base58', '', 1],
    ['base32', 'MFRA', 2],
  ])('are not read from a text that %s would not have written: %s', (form, text, length) => {
    expect(decodeAs(form, text, length)).toBeUndefined()
  })
})
