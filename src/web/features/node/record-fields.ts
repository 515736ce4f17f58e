import { splitCut } from '#base/visible-text.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import type { MetricRegistry, MetricValues } from '#metrics/metric.ts'
import { fieldOf } from '#metrics/answer.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { writtenTimestamp } from '#record/field.ts'
import { NODE_ID_MEMBER } from '#record/member-names.ts'
import type { RecordField } from '#ui/record.tsx'

/** Maximum number of displayed fields. A record has seven, and the copy contains all. */
const FIELDS_MAX = 48

type RecordFields = readonly RecordField[]

/** A body's fields with each value exactly as the service wrote it, where possible. Undefined if the body is not an object. */
export function fieldsOfBody(
  body: string,
): { readonly fields: RecordFields; readonly more: number } | undefined {
  const json = parseJsonRecord(body)
  if (!json.ok) return undefined
  const { names, value, numberText } = json.value
  const fields = names
    .slice(0, FIELDS_MAX)
    .map((name) => ({ name, valueText: numberText(name) ?? JSON.stringify(value(name)) }))
  return { fields, more: names.length - fields.length }
}

/** The readable fields of a record whose body is no longer stored. */
export function fieldsOfRecord(record: StatusRecord, registry: MetricRegistry): RecordFields {
  const { nodeId } = record
  return [
    ...(nodeId.ok ? [{ name: NODE_ID_MEMBER, valueText: JSON.stringify(nodeId.value) }] : []),
    ...registry.flatMap((metric) => {
      const field = metric.field === undefined ? undefined : fieldOf(metric, { record, latencyMs: 0 })
      return field?.ok === true ? [{ name: metric.field ?? '', valueText: writtenText(field.value) }] : []
    }),
  ]
}

function writtenText(value: MetricValues[keyof MetricValues]): string {
  if (typeof value === 'string') {
    const { shown, mark } = splitCut(value)
    return JSON.stringify(shown) + mark
  }
  return 'atMs' in value ? writtenTimestamp(value) : value.text
}
