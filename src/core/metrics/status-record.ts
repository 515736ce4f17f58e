import { err } from '#base/result.ts'
import { cutComparable, cutText } from '#base/visible-text.ts'
import { DEFAULTS } from '#base/defaults.ts'
import {
  readAmount,
  readCounter,
  readHex,
  readText,
  readTimestamp,
  readWord,
  type Field,
  type ReadAs,
} from '#record/field.ts'
import { NODE_ID_MEMBER } from '#record/member-names.ts'
import type { JsonRecord } from '#record/json-record.ts'
import type { MetricKind, MetricRegistry, MetricValues } from './metric.ts'
import { METRICS, type BuiltInMetric } from './metrics.ts'

type RecordedMetric = Extract<BuiltInMetric, { readonly field: string }>

type MetricFields = { readonly [M in RecordedMetric as M['id']]: Field<MetricValues[M['kind']]> }

/** A service's record, read field by field. Nothing in it is trusted beyond its types. */
export type StatusRecord = MetricFields & {
  readonly nodeId: Field<string>
  /** At most 16, cut at 64 characters with a mark. */
  readonly unknownFields: readonly string[]
  /** Duplicate members with different values, and an error alongside the values; absent: neither. */
  readonly odd?: { readonly ambiguous: readonly string[]; readonly error?: string }
  /** The unknown fields that the operator selected, as JSON text cut at 120 characters. */
  readonly extraFields: readonly { readonly name: string; readonly valueText: string }[]
}

/** Separate from the metric definitions, which pages load too, because only the engine reads records. */
const READERS: {
  readonly [K in MetricKind]: (json: JsonRecord, field: string, readAs: ReadAs) => Field<MetricValues[K]>
} = {
  state: readWord,
  gauge: (json, field) => readAmount(json, field),
  counter: (json, field) => readCounter(json, field),
  timestamp: (json, field, readAs) => readTimestamp(json, field, readAs.heartbeat),
  fingerprint: (json, field, { isCollected }) =>
    isCollected === true && json.value(field) === undefined ? err('not-collected') : readHex(json, field),
}

export const AS_IT_COMES: ReadAs = { heartbeat: 'detect', extraFields: [] }

export const membersOf = (registry: MetricRegistry): readonly string[] => [
  NODE_ID_MEMBER,
  ...registry.flatMap(({ field }) => field ?? []),
]

export const RECORD_MEMBERS = membersOf(METRICS)

/** Never throws; a bad field becomes an error value. */
export function readStatusRecord(
  json: JsonRecord,
  registry: MetricRegistry,
  readAs: ReadAs = AS_IT_COMES,
): StatusRecord {
  const known = new Set(membersOf(registry))
  return {
    ...readFields(json, readAs, registry),
    nodeId: readText(json, NODE_ID_MEMBER, 256),
    unknownFields: json.names
      .filter((name) => !known.has(name))
      .slice(0, DEFAULTS.unknownFieldsMax)
      .map((name) => cutComparable(name, DEFAULTS.statusCharsMax)),
    extraFields: readExtraFields(json, readAs.extraFields, known),
    ...oddIn(json, known),
  }
}

/** 0 is the code of success. */
const NO_ERROR: readonly unknown[] = [undefined, null, false, '', 0]

function oddIn(json: JsonRecord, known: ReadonlySet<string>): Pick<StatusRecord, 'odd'> {
  const error = known.has('error') ? undefined : json.value('error')
  const hasError = !NO_ERROR.includes(error)
  const ambiguous = json.ambiguous
    .slice(0, DEFAULTS.unknownFieldsMax)
    .map((name) => cutText(name, DEFAULTS.statusCharsMax))
  if (!hasError && ambiguous.length === 0) return {}
  const text = typeof error === 'string' ? error : jsonText(error)
  return { odd: { ambiguous, ...(hasError && { error: cutText(text, DEFAULTS.answerCharsMax) }) } }
}

/** Every registry contains the built-in metrics, on which the first signature relies. */
function readFields(json: JsonRecord, readAs: ReadAs, registry: MetricRegistry): MetricFields
function readFields(json: JsonRecord, readAs: ReadAs, registry: MetricRegistry): object {
  const fields: Record<string, Field<unknown>> = {}
  for (const metric of registry)
    if (metric.field !== undefined) fields[metric.id] = READERS[metric.kind](json, metric.field, readAs)
  return fields
}

/** Skips members that the record describes, whatever the settings name. */
function readExtraFields(
  json: JsonRecord,
  names: readonly string[],
  known: ReadonlySet<string>,
): StatusRecord['extraFields'] {
  return names.flatMap((name) => {
    const value = known.has(name) ? undefined : json.value(name)
    if (value === undefined) return []
    const text = json.numberText(name) ?? jsonText(value)
    return [{ name, valueText: cutText(text, DEFAULTS.answerCharsMax) }]
  })
}

/** Node can parse deeper nesting than it can write. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '…'
  }
}
