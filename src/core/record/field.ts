import { cutComparable, cutText } from '#base/visible-text.ts'
import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { isWhole, parseExactNumber, type ExactNumber } from './exact-number.ts'
import type { JsonRecord } from './json-record.ts'

/** Why one field of a record cannot be used. The other fields remain usable. */
export type FieldProblem =
  | 'missing'
  | 'wrong-type'
  | 'not-finite'
  | 'negative'
  | 'not-whole'
  | 'out-of-range'
  | 'too-long'
  | 'not-hex'
  /** Collectors do not export this field; the service's record is fine. */
  | 'not-collected'

export type Field<T> = Result<T, FieldProblem>

/** Units of Unix times, as numbers per millisecond. */
const PER_MS = { s: 1 / 1_000, ms: 1, us: 1_000, ns: 1_000_000 } as const
export type TimestampUnit = keyof typeof PER_MS
export const TIMESTAMP_UNITS = ['s', 'ms', 'us', 'ns'] as const satisfies readonly TimestampUnit[]

export type Timestamp = {
  /** Unix time in whole ms. */
  readonly atMs: number
  /** The unit in which the number was read; the screen reports it if it is not the expected one. */
  readonly unit: TimestampUnit
  /** As written, if that is finer than milliseconds. */
  readonly text?: string
}

/** How to read fields whose unit the interface does not specify. */
export type ReadAs = {
  /** `detect`: by the number's size, which is unambiguous from 1973 to 5138. */
  readonly heartbeat: 'detect' | TimestampUnit
  readonly extraFields: readonly string[]
  /** A collector polled the service; it does not export proofs. */
  readonly isCollected?: boolean
}

/** Larger amounts are refused as out of range: no chart scale supports them, and no stake is that large. */
const AMOUNT_MAX = 1e30
const COUNTER_MAX = 1e18
const TIMESTAMP_MAX_MS = 8.64e15 // The last moment that a Date can represent.

export function readText(json: JsonRecord, name: string, charsMax: number): Field<string> {
  const value = json.value(name)
  if (value === undefined) return err('missing')
  if (typeof value !== 'string' || value === '') return err('wrong-type')
  return value.length > charsMax ? err('too-long') : ok(value)
}

/** A service's own word, cut at 64 characters with a mark, so that no cut word equals a known one. */
export function readWord(json: JsonRecord, name: string): Field<string> {
  const text = readText(json, name, DEFAULTS.bodyMaxBytes)
  return text.ok ? ok(cutText(text.value, DEFAULTS.statusCharsMax)) : text
}

export function readAmount(json: JsonRecord, name: string, max = AMOUNT_MAX): Field<ExactNumber> {
  const value = json.value(name)
  if (value === undefined) return err('missing')
  if (typeof value !== 'number') return err('wrong-type')
  if (!Number.isFinite(value)) return err('not-finite')
  const exact = parseExactNumber(json.numberText(name) ?? '')
  if (exact === undefined) return err('out-of-range')
  if (exact.text.startsWith('-')) return err('negative')
  return exact.value > max ? err('out-of-range') : ok(exact)
}

export function readCounter(json: JsonRecord, name: string, max = COUNTER_MAX): Field<ExactNumber> {
  const amount = readAmount(json, name, max)
  return amount.ok && !isWhole(amount.value) ? err('not-whole') : amount
}

export function readTimestamp(json: JsonRecord, name: string, unit: ReadAs['heartbeat']): Field<Timestamp> {
  const amount = readCounter(json, name, TIMESTAMP_MAX_MS * PER_MS.ns)
  return amount.ok ? timestampIn(amount.value, unit) : amount
}

/** Reads a whole number as a time in this unit. */
export function timestampIn({ value, text }: ExactNumber, readAs: ReadAs['heartbeat']): Field<Timestamp> {
  if (value === 0) return err('out-of-range') // A time of 0 means "never", not the year 1970.
  const unit = readAs === 'detect' ? unitBySize(value) : readAs
  const atMs = Math.floor(value / PER_MS[unit])
  if (atMs > TIMESTAMP_MAX_MS) return err('out-of-range')
  return ok({ atMs, unit, ...(PER_MS[unit] > 1 && { text }) })
}

/** Each unit's numbers are 1,000 times those of the one before, so they are unambiguous from 1973 on. */
function unitBySize(value: number): TimestampUnit {
  const fromMs = DEFAULTS.heartbeatMillisecondsFrom
  return TIMESTAMP_UNITS.findLast((unit) => value >= fromMs * PER_MS[unit]) ?? 's'
}

export const writtenTimestamp = ({ atMs, unit, text }: Timestamp): string =>
  text ?? String(unit === 's' ? atMs / 1_000 : atMs)

/** With its 0x prefix; cut at 1,024 characters with a mark that includes a fingerprint of the whole. */
export function readHex(json: JsonRecord, name: string): Field<string> {
  const text = readText(json, name, DEFAULTS.bodyMaxBytes)
  if (!text.ok) return text
  if (!/^0x[0-9a-f]*$/i.test(text.value)) return err('not-hex')
  return ok(cutComparable(text.value, DEFAULTS.proofCharsMax))
}
