import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { bytesToHex, hexToBytes } from '#base/bytes.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { PROOF_PROFILES, type KeySource, type ProofProfile } from '#proof/proof-profile.ts'
import { proofStatement, proofText, STATEMENT_CHARS_MAX } from '#proof/proof-statement.ts'
import { valueOf } from '#test/support/value-of.ts'

const PROFILE: ProofProfile = { v: 1, scheme: 'ed25519', template: '{raw.status}', key: { from: 'node-id' } }

const jsonOf = (body: string) => valueOf(parseJsonRecord(body))

const read = (profile: Partial<ProofProfile>, body: string) =>
  proofStatement({ ...PROFILE, ...profile }, jsonOf(body))

function newNode() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const hex = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
  const proofOf = (text: string) => `0x${sign(null, Buffer.from(text), privateKey).toString('hex')}`
  return { hex, id: `0x${hex}`, proofOf }
}

const node = newNode()
const GOOD = node.proofOf('"ACTIVE"')
const bodyOf = (given: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ node_id: node.id, status: 'ACTIVE', cryptographic_proof: GOOD, ...given })

describe('the text of a proof', () => {
  const text = (template: string, body: string) => proofText({ ...PROFILE, template }, jsonOf(body))

  it('contains raw members verbatim, and text members without quotes and escapes', () => {
    const body = String.raw`{ "a" : "x\u0041\n\"y" , "n": 1.50e1, "yes":true, "none": null }`
    const filled = text('{{{raw.a}|{text.a}|{raw.n}|{text.n}|{text.yes}|{raw.none}}}', body)
    expect(filled).toEqual(ok(String.raw`{"x\u0041\n\"y"` + '|xA\n"y|1.50e1|1.50e1|true|null}'))
  })

  it.each(['{raw.gone}', '{text.gone}'])('needs the member of %s', (template) => {
    expect(text(template, '{"a":1}')).toEqual(err({ kind: 'not-checked', reason: 'member', at: 'gone' }))
  })

  it.each(['{"gone":[1]}', '{"gone":{"a":1}}'])('accepts no list and no object: %s', (body) => {
    expect(text('{raw.gone}', body)).toMatchObject(err({ reason: 'member', at: 'gone' }))
  })

  it('may be as long as an answer, and no longer', () => {
    const of = (length: number) => text('{text.a}{text.a}', JSON.stringify({ a: 'x'.repeat(length / 2) }))
    expect(of(STATEMENT_CHARS_MAX).ok).toBe(true)
    expect(of(STATEMENT_CHARS_MAX + 2)).toEqual(err({ kind: 'not-checked', reason: 'too-long' }))
  })
})

describe('the statement to verify', () => {
  it('is the text in UTF-8, with the node id as the key', () => {
    const statement = read({ template: '{text.status}' }, bodyOf({ status: 'AKTÍV' }))
    expect(valueOf(statement)).toEqual({
      text: 'AKTÍV',
      message: new TextEncoder().encode('AKTÍV'),
      publicKey: hexToBytes(node.hex),
      signature: hexToBytes(GOOD.slice(2)),
    })
  })

  it.each(['sha-256', 'sha-512'] as const)('is the %s of the text if the profile says so', (prehash) => {
    const statement = read({ prehash }, bodyOf())
    const hash = createHash(prehash.replace('-', '')).update('"ACTIVE"').digest('hex')
    expect(statement.ok && bytesToHex(statement.value.message)).toBe(hash)
  })

  it.each([
    ['an id without 0x', { node_id: node.hex }],
    ['an id in capitals', { node_id: `0X${node.hex.toUpperCase()}` }],
    ['a proof in capitals', { cryptographic_proof: `0x${GOOD.slice(2).toUpperCase()}` }],
  ])('accepts %s', (_, given) => {
    expect(read({}, bodyOf(given)).ok).toBe(true)
  })

  it.each([
    ['a node id that is not a key', { node_id: '0x1234' }, { kind: 'not-checked', reason: 'key' }],
    ['a node id that is not hex', { node_id: 'vela' }, { kind: 'not-checked', reason: 'key' }],
    ['a node id that is a number', { node_id: 17 }, { kind: 'not-checked', reason: 'key' }],
    ['no node id', { node_id: undefined }, { kind: 'not-checked', reason: 'key' }],
    [
      'no proof',
      { cryptographic_proof: undefined },
      { kind: 'not-checked', reason: 'member', at: 'cryptographic_proof' },
    ],
    [
      'a proof that is not hex',
      { cryptographic_proof: '0xyz' },
      { kind: 'not-checked', reason: 'member', at: 'cryptographic_proof' },
    ],
    ['an empty proof', { cryptographic_proof: '0x' }, { kind: 'wrong', reason: 'length' }],
    ['a short proof', { cryptographic_proof: GOOD.slice(0, -2) }, { kind: 'wrong', reason: 'length' }],
    ['a long proof', { cryptographic_proof: `${GOOD}00` }, { kind: 'wrong', reason: 'length' }],
    ['a key of small order', { node_id: `0x01${'00'.repeat(31)}` }, { kind: 'wrong', reason: 'weak' }],
    [
      'a signature whose S is too large',
      { cryptographic_proof: `0x${GOOD.slice(2, 66)}${'ff'.repeat(32)}` },
      { kind: 'wrong', reason: 'weak' },
    ],
    [
      'a signature whose R is of small order',
      { cryptographic_proof: `0x01${'00'.repeat(31)}${GOOD.slice(66)}` },
      { kind: 'wrong', reason: 'weak' },
    ],
  ])('is refused for %s', (_, given, error) => {
    expect(read({}, bodyOf(given))).toEqual(err(error))
  })

  it('is wrong for a hex proof of any length but 64 bytes, and not checked for one that is not hex', () => {
    const long = `0x${'0'.repeat(254)}`
    const error = (proof: string) => read({}, bodyOf({ cryptographic_proof: proof }))
    expect(error(long)).toMatchObject({ error: { kind: 'wrong', reason: 'length' } })
    expect(error(`${long}00`)).toMatchObject({ error: { kind: 'wrong', reason: 'length' } })
    expect(error(long.slice(2).padEnd(258, '0'))).toMatchObject({
      error: { kind: 'wrong', reason: 'length' },
    })
    for (const none of [`${long}zz`, `no${long}ab`, '0xabc'])
      expect(error(none)).toMatchObject({ error: { kind: 'not-checked', reason: 'member' } })
  })
})

describe('the key of a proof', () => {
  const other = newNode()
  const hashed = (hash: string) => createHash(hash).update(Buffer.from(other.hex, 'hex')).digest('hex')
  const member = (nodeId: object, encoding: 'hex' | 'base64' = 'hex') =>
    ({ from: 'member', name: 'key', encoding, nodeId: { end: 'first', ...nodeId } }) as KeySource

  it('can be fixed', () => {
    const statement = read({ key: { from: 'fixed', hex: other.hex } }, bodyOf({ node_id: 'any' }))
    expect(statement.ok && bytesToHex(statement.value.publicKey)).toBe(other.hex)
  })

  it.each([
    ['hex', 'hex', other.hex],
    ['hex with 0x', 'hex', other.id],
    ['base64', 'base64', Buffer.from(other.hex, 'hex').toString('base64')],
    ['base64url', 'base64', Buffer.from(other.hex, 'hex').toString('base64url')],
  ] as const)('can come in the record, in %s', (_name, encoding, key) => {
    const statement = read({ key: member({ hash: 'none' }, encoding) }, bodyOf({ node_id: other.id, key }))
    expect(statement.ok && bytesToHex(statement.value.publicKey)).toBe(other.hex)
  })

  it.each([
    ['the key itself', { hash: 'none' }, other.hex, true],
    ['another key', { hash: 'none' }, node.hex, false],
    ['its SHA-256', { hash: 'sha-256' }, hashed('sha256'), true],
    ['its SHA-512', { hash: 'sha-512' }, hashed('sha512'), true],
    ['the wrong hash', { hash: 'sha-512' }, hashed('sha256'), false],
    ['the first 20 bytes', { hash: 'sha-256', bytes: 20 }, hashed('sha256').slice(0, 40), true],
    ['the first 20 bytes, not the last', { hash: 'sha-256', bytes: 20 }, hashed('sha256').slice(-40), false],
    ['the last 20 bytes', { hash: 'sha-256', bytes: 20, end: 'last' }, hashed('sha256').slice(-40), true],
    ['fewer bytes than asked for', { hash: 'sha-256', bytes: 20 }, hashed('sha256').slice(0, 38), false],
    ['as many bytes as there are', { hash: 'sha-256', bytes: 64, end: 'last' }, hashed('sha256'), true],
  ])('belongs to the node whose id is %s', (_, rule, id, isNodes) => {
    const statement = read({ key: member(rule) }, bodyOf({ node_id: `0x${id}`, key: other.hex }))
    if (isNodes) expect(statement.ok).toBe(true)
    else expect(statement).toEqual(err({ kind: 'wrong', reason: 'other-node' }))
  })

  it('belongs to no node without an id', () => {
    const statement = read({ key: member({ hash: 'none' }) }, bodyOf({ node_id: undefined, key: other.hex }))
    expect(statement).toEqual(err({ kind: 'wrong', reason: 'other-node' }))
  })

  it.each([undefined, 17, 'no hex', '00'.repeat(31), 'A'.repeat(300)])('is missing if given as %j', (key) => {
    const missing = err({ kind: 'not-checked', reason: 'key' })
    for (const encoding of ['hex', 'base64'] as const)
      expect(read({ key: member({ hash: 'none' }, encoding) }, bodyOf({ key }))).toEqual(missing)
  })
})

it('any record and template throw nothing', () => {
  const member = fc.oneof(fc.jsonValue(), fc.constant(node.id), fc.constant(GOOD))
  const bodies = fc.record({ node_id: member, status: member, cryptographic_proof: member, key: member })
  const templates = fc.string({
    unit: fc.constantFrom('{', '}', '{raw.status}', '{text.key}', 'raw.', 'x'),
  })
  fc.assert(
    fc.property(bodies, templates, (body, template) => {
      const json = jsonOf(JSON.stringify(body))
      for (const profile of [{ ...PROFILE, template }, ...Object.values(PROOF_PROFILES)])
        expect(() => proofStatement(profile, json)).not.toThrow()
    }),
  )
})
