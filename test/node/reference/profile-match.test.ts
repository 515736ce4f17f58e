import { describe, expect, it } from 'vitest'
import { claimedIn } from '#reference/profile-match.ts'
import { knownOf, templateProfile } from './profile-request.ts'

const KNOWN = knownOf(
  templateProfile('{ts.s}', { A: '{sig.hex} {ts.s}' }, { validitySeconds: 30 }),
  'node_id=0xab',
)
const [K, N, S] = ['ab'.repeat(32), 'cd'.repeat(16), 'ef'.repeat(64)]
const in64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

describe('a value that a template made claims', () => {
  it.each<readonly [string, string, object]>([
    ['{ts.s}', '0', { timeS: 0 }],
    ['{ts.s}', '999999999999', { timeS: 999_999_999_999 }],
    ['{ts.ms}', '0', { timeMs: 0, timeS: 0 }],
    ['{ts.ms}', '1780315200999', { timeMs: 1_780_315_200_999, timeS: 1_780_315_200 }],
    ['{ts.ms}', '999999999999999', { timeMs: 999_999_999_999_999, timeS: 999_999_999_999 }],
    ['{ts.iso}', '2026-06-01T12:00:00.250Z', { timeMs: 1_780_315_200_250, timeS: 1_780_315_200 }],
    ['{exp.s}', '1780315230', { timeS: 1_780_315_200 }],
    ['{exp.ms}', '1780315230999', { timeMs: 1_780_315_200_999, timeS: 1_780_315_200 }],
    ['{exp.iso}', '2026-06-01T12:00:30.000Z', { timeMs: 1_780_315_200_000, timeS: 1_780_315_200 }],
    ['{kid}', K.toUpperCase(), { key: K }],
    ['{kid.thumbprint}', 'a-_'.repeat(14) + 'Z', { thumbprint: 'a-_'.repeat(14) + 'Z' }],
    ['{key.hex}', K.toUpperCase(), { key: K }],
    ['{key.0xhex}', `0x${K.toUpperCase()}`, { key: K }],
    ['{key.base64}', in64(K), { key: K }],
    ['{nonce.base64}', in64(N), { nonce: N }],
    ['{nonce.base64-nopad}', in64(N).replace('==', ''), { nonce: N }],
    ['{nonce.base64url}', Buffer.from(N, 'hex').toString('base64url'), { nonce: N }],
    ['{nonce.base58}', '1'.repeat(16), { nonce: '00'.repeat(16) }],
    ['{sig.hex}', S, { signature: S }],
    ['{sig.base64}', in64(S), { signature: S }],
    ['Bearer {key.hex}:{ts.s}:{sig.hex}', `Bearer ${K}:7:${S}`, { key: K, timeS: 7, signature: S }],
    ['{method} {param.node_id} {ts.s}', 'GET 0xab 7', { timeS: 7 }],
    ['{{{ts.s}}}', '{7}', { timeS: 7 }],
    ['.*+?^$()|[]\\ {ts.s}', '.*+?^$()|[]\\ 7', { timeS: 7 }],
    ['fixed', 'fixed', {}],
    ['a{sigInput}b', 'ab', {}],
    ['{sig.other}', '', {}],
  ])('%s: %s', (template, value, claimed) => {
    expect(claimedIn(template, value, KNOWN, {})).toEqual(claimed)
  })

  it.each([
    ['{ts.s}', '01'],
    ['{ts.s}', '-1'],
    ['{ts.s}', '1.5'],
    ['{ts.s}', ''],
    ['{ts.s}', '1000000000000'],
    ['{ts.s}', ' 1'],
    ['{ts.s}', '1 '],
    ['{ts.ms}', '01'],
    ['{ts.ms}', '1000000000000000'],
    ['{ts.iso}', '2026-06-01T12:00:00Z'],
    ['{ts.iso}', '2026-06-01T12:00:00.2504Z'],
    ['{ts.iso}', '2026-06-01T12:00:00.250'],
    ['{ts.iso}', '2026-13-01T12:00:00.250Z'],
    ['{ts.us}', '7'],
    ['{kid}', K.slice(1)],
    ['{kid}', `${K}a`],
    ['{kid}', K.replace('a', 'g')],
    ['{kid.thumbprint}', 'a'.repeat(42)],
    ['{kid.thumbprint}', 'a'.repeat(44)],
    ['{kid.thumbprint}', `${'a'.repeat(42)}+`],
    ['{key.hex}', N],
    ['{key.hex}', `0x${K}`],
    ['{key.0xhex}', K],
    ['{key.base64}', in64(K).replace('=', '')],
    ['{nonce.hex}', K],
    ['{nonce.hex}', 'gh'.repeat(16)],
    ['{sig.hex}', K],
    ['{nonce.base58}', '0'.repeat(16)],
    ['a.c', 'abc'],
    ['{method} {ts.s}', 'POST 7'],
    ['{param.node_id} {ts.s}', '0xac 7'],
    ['{ts.window}', '7'],
  ])('nothing when it was not: %s: %s', (template, value) => {
    expect(claimedIn(template, value, KNOWN, {})).toBeUndefined()
  })
})
