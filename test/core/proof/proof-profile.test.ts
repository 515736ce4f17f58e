import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as v from 'valibot'
import { membersNotCovered, ProofProfileSchema, ProofSetting } from '#proof/proof-profile.ts'
import { RECORD_MEMBERS } from '#metrics/status-record.ts'
import { parseSettings } from '#settings/documents.ts'

const BASE = { scheme: 'ed25519', template: '{raw.status}', key: { from: 'node-id' } }

const problemsOf = (given: Readonly<Record<string, unknown>>): readonly string[] => {
  const parsed = v.safeParse(ProofProfileSchema, { ...BASE, ...given })
  return parsed.success ? [] : parsed.issues.map(({ message }) => message)
}

describe('a proof profile', () => {
  it('gets its version, and may name raw and text members', () => {
    const template = '{{a}}\n{raw.status}{text.node_id}{raw.A-9_z}'
    expect(v.parse(ProofProfileSchema, { ...BASE, template })).toEqual({ ...BASE, v: 1, template })
  })

  it.each([
    ['', 'is empty'],
    ['no member', 'names no member of the record, so every record would match'],
    ['{raw.status', 'has a brace that is not closed or not doubled, at {raw.status'],
    ['{status}', 'names {status}; it may name only {raw.MEMBER} and {text.MEMBER} of the record'],
    ['{raw.}', 'names {raw.}; it may name only {raw.MEMBER} and {text.MEMBER} of the record'],
    ['{raw.a b}', 'names {raw.a b}; it may name only {raw.MEMBER} and {text.MEMBER} of the record'],
    ['{sig.hex}', 'names {sig.hex}; it may name only {raw.MEMBER} and {text.MEMBER} of the record'],
    [
      `{raw.${'x'.repeat(65)}}`,
      `names {raw.${'x'.repeat(36)}}; it may name only {raw.MEMBER} and {text.MEMBER} of the record`,
    ],
    ['{raw.status}{text.cryptographic_proof}', 'names cryptographic_proof itself, which no proof can cover'],
  ])('with the text %j is refused: %s', (template, problem) => {
    expect(problemsOf({ template })).toContain(problem)
  })

  it('has a text of at most 4,096 characters', () => {
    const text = (length: number): string => '{raw.status}'.padEnd(length, 'x')
    expect(problemsOf({ template: text(4_096) })).toEqual([])
    expect(problemsOf({ template: text(4_097) })).toHaveLength(1)
  })

  it('accepts a key from the record only with a rule that ties it to the node id', () => {
    const key = { from: 'member', name: 'public_key', encoding: 'hex' }
    expect(problemsOf({ key })).not.toEqual([])
    expect(problemsOf({ key: { ...key, nodeId: { hash: 'sha-256' } } })).toEqual([])
  })

  it.each([
    [15, false],
    [16, true],
    [64, true],
    [65, false],
    [20.5, false],
  ])('accepts a node id of %d bytes: %s', (bytes, isTaken) => {
    const key = { from: 'member', name: 'k', encoding: 'hex', nodeId: { hash: 'sha-512', bytes } }
    expect(problemsOf({ key }).length === 0).toBe(isTaken)
  })

  it.each([
    [{ encoding: 'base64' }, {}],
    [{ encoding: 'hex' }, { hash: 'none' }],
    [{}, { hash: 'sha-512', end: 'last' }],
  ])('accepts a key with %j and %j', (given, rule) => {
    const nodeId = { hash: 'sha-256', ...rule }
    expect(problemsOf({ key: { from: 'member', name: 'k', encoding: 'hex', nodeId, ...given } })).toEqual([])
  })

  it.each([
    ['f'.repeat(64), true],
    ['f'.repeat(65), false],
    ['F'.repeat(64), false],
    ['f'.repeat(63), false],
    [`0x${'f'.repeat(64)}`, false],
  ])('accepts the fixed key %s: %s', (hex, isTaken) => {
    const problems = problemsOf({ key: { from: 'fixed', hex } })
    expect(problems).toEqual(isTaken ? [] : ['is not a public key of 64 hex digits'])
  })

  it('refuses another scheme and an unknown member', () => {
    expect(problemsOf({ scheme: 'ecdsa' })).not.toEqual([])
    expect(problemsOf({ extra: 1 })).not.toEqual([])
  })

  it('never throws when parsed, whatever the value', () => {
    const value = fc.oneof(fc.anything(), fc.record({ template: fc.string(), key: fc.anything() }))
    fc.assert(
      fc.property(value, (input) => {
        expect(() => v.safeParse(ProofSetting, input)).not.toThrow()
        if (typeof input === 'object' && input !== null)
          expect(() => v.safeParse(ProofProfileSchema, { ...BASE, ...input })).not.toThrow()
      }),
    )
  })
})

it('the members that a proof covers are those that its text names', () => {
  const profile = v.parse(ProofProfileSchema, {
    ...BASE,
    template: '{text.status} {raw.last_heartbeat} {raw.other}',
  })
  expect(membersNotCovered(profile, RECORD_MEMBERS)).toEqual([
    'node_id',
    'stake_deployed',
    'network_participation',
    'threat_responses_executed',
  ])
})

const proofOf = (proof: unknown) =>
  parseSettings({
    version: 1,
    services: [{ baseUrl: 'https://a.example', ...(proof !== undefined && { proof }) }],
  })

it('the proof setting of a service is an id or a document, and nothing else', () => {
  expect(proofOf('record-v1').ok).toBe(true)
  expect(proofOf(BASE).ok).toBe(true)
  expect(proofOf('toString').ok).toBe(false)
  expect(proofOf('none').ok).toBe(false)
  expect(proofOf(null).ok).toBe(false)
})
