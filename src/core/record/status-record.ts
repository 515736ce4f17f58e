import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { isWhole, parseExactNumber, type ExactNumber } from './exact-number.ts'
import type { JsonRecord } from './json-record.ts'

/** Why one field of a record can't be used. The rest of the record still is. */
export type FieldProblem =
  | 'missing'
  | 'wrong-type'
  | 'not-finite'
  | 'negative'
  | 'not-whole'
  | 'out-of-range'
  | 'too-long'
  | 'not-hex'

export type Field<T> = Result<T, FieldProblem>

export type Heartbeat = {
  /** Unix time in ms. */
  readonly atMs: number
  /** What the service wrote was taken as this; said on screen when it is not the expected unit. */
  readonly unit: 's' | 'ms'
}

/** A service's record, read field by field. Nothing in it is trusted beyond what its types say. */
export type StatusRecord = {
  readonly nodeId: Field<string>
  /** The service's own word, cut at 64 characters; only exact known words mean anything. */
  readonly status: Field<string>
  readonly stake: Field<ExactNumber>
  /** As written; whether it is a ratio or a percentage is the operator's setting. */
  readonly participation: Field<ExactNumber>
  readonly threatResponses: Field<ExactNumber>
  readonly heartbeat: Field<Heartbeat>
  /** With its 0x prefix, cut at 1,024 characters. Opaque: no scheme is specified. */
  readonly proof: Field<string>
  /** Names of members that the interface does not describe, at most 16. */
  readonly unknownFields: readonly string[]
  /** Of those, the ones that the operator wants to see: as JSON text, cut at 120 characters. */
  readonly extraFields: readonly { readonly name: string; readonly valueText: string }[]
}

/** How to read what the interface leaves open. */
export type ReadAs = {
  /** `detect`: by the number's size, which is certain until the year 5138. */
  readonly heartbeat: 'detect' | 's' | 'ms'
  readonly extraFields: readonly string[]
}

const AS_IT_COMES: ReadAs = { heartbeat: 'detect', extraFields: [] }

/** The record's members as the interface names them. */
export const FIELD_NAMES = {
  nodeId: 'node_id',
  status: 'status',
  stake: 'stake_deployed',
  participation: 'network_participation',
  threatResponses: 'threat_responses_executed',
  heartbeat: 'last_heartbeat',
  proof: 'cryptographic_proof',
} as const satisfies Record<Exclude<keyof StatusRecord, 'unknownFields' | 'extraFields'>, string>

export type FieldName = keyof typeof FIELD_NAMES

/** The record's field keys in the interface's order. */
export const FIELD_KEYS: readonly FieldName[] = [
  'nodeId',
  'status',
  'stake',
  'participation',
  'threatResponses',
  'heartbeat',
  'proof',
]

/** Amounts beyond this are refused as out of range: no chart scale survives them, and no stake is that large. */
const AMOUNT_MAX = 1e30
const COUNTER_MAX = 1e18
const HEARTBEAT_MAX_MS = 8.64e15 // the last instant that a Date can hold

/** Reads a record from its JSON members. Never throws; a bad field is a value. */
export function readStatusRecord(json: JsonRecord, readAs: ReadAs = AS_IT_COMES): StatusRecord {
  const known = new Set<string>(Object.values(FIELD_NAMES))
  return {
    nodeId: readText(json, FIELD_NAMES.nodeId, 256),
    status: readStatus(json),
    stake: readAmount(json, FIELD_NAMES.stake, AMOUNT_MAX),
    participation: readAmount(json, FIELD_NAMES.participation, AMOUNT_MAX),
    threatResponses: readCounter(json),
    heartbeat: readHeartbeat(json, readAs.heartbeat),
    proof: readProof(json),
    unknownFields: json.names.filter((name) => !known.has(name)).slice(0, DEFAULTS.unknownFieldsMax),
    extraFields: readExtraFields(json, readAs.extraFields, known),
  }
}

/** The record's fields that can't be used, with why. */
export const badFields = (record: StatusRecord): readonly { field: FieldName; problem: FieldProblem }[] =>
  FIELD_KEYS.flatMap((field) => {
    const value = record[field]
    return value.ok ? [] : [{ field, problem: value.error }]
  })

function readText(json: JsonRecord, name: string, charsMax: number): Field<string> {
  const value = json.value(name)
  if (value === undefined) return err('missing')
  if (typeof value !== 'string') return err('wrong-type')
  return value.length > charsMax ? err('too-long') : ok(value)
}

function readStatus(json: JsonRecord): Field<string> {
  const value = json.value(FIELD_NAMES.status)
  if (value === undefined) return err('missing')
  if (typeof value !== 'string' || value === '') return err('wrong-type')
  // Cut by characters, not code units, so that no half of a pair is left behind.
  return ok(
    Array.from(value.slice(0, 4 * DEFAULTS.statusCharsMax))
      .slice(0, DEFAULTS.statusCharsMax)
      .join(''),
  )
}

function readAmount(json: JsonRecord, name: string, max: number): Field<ExactNumber> {
  const value = json.value(name)
  if (value === undefined) return err('missing')
  if (typeof value !== 'number') return err('wrong-type')
  if (!Number.isFinite(value)) return err('not-finite')
  const exact = parseExactNumber(json.numberText(name) ?? '')
  if (exact === undefined) return err('out-of-range')
  if (exact.text.startsWith('-')) return err('negative')
  return exact.value > max ? err('out-of-range') : ok(exact)
}

function readCounter(json: JsonRecord): Field<ExactNumber> {
  const amount = readAmount(json, FIELD_NAMES.threatResponses, COUNTER_MAX)
  return amount.ok && !isWhole(amount.value) ? err('not-whole') : amount
}

function readHeartbeat(json: JsonRecord, unit: ReadAs['heartbeat']): Field<Heartbeat> {
  const amount = readAmount(json, FIELD_NAMES.heartbeat, HEARTBEAT_MAX_MS)
  if (!amount.ok) return amount
  if (!isWhole(amount.value)) return err('not-whole')
  return heartbeatIn(amount.value.value, unit)
}

/** A whole number, as a heartbeat in this unit. */
export function heartbeatIn(value: number, unit: ReadAs['heartbeat']): Field<Heartbeat> {
  if (value === 0) return err('out-of-range') // the year 1970 is "never", not an age of half a century
  const isMs = unit === 'detect' ? value >= DEFAULTS.heartbeatMillisecondsFrom : unit === 'ms'
  if (isMs) return ok({ atMs: value, unit: 'ms' })
  return value * 1_000 > HEARTBEAT_MAX_MS ? err('out-of-range') : ok({ atMs: value * 1_000, unit: 's' })
}

/** Never a field that has a place of its own, whatever the settings say. */
function readExtraFields(
  json: JsonRecord,
  names: readonly string[],
  known: ReadonlySet<string>,
): StatusRecord['extraFields'] {
  return names.flatMap((name) => {
    const value = known.has(name) ? undefined : json.value(name)
    if (value === undefined) return []
    const text = json.numberText(name) ?? JSON.stringify(value)
    const cut = Array.from(text.slice(0, 2 * DEFAULTS.answerCharsMax)).slice(0, DEFAULTS.answerCharsMax)
    return [{ name, valueText: cut.join('') }]
  })
}

function readProof(json: JsonRecord): Field<string> {
  const text = readText(json, FIELD_NAMES.proof, DEFAULTS.bodyMaxBytes)
  if (!text.ok) return text
  if (!/^0x[0-9a-f]*$/i.test(text.value)) return err('not-hex')
  return ok(text.value.slice(0, DEFAULTS.proofCharsMax))
}
