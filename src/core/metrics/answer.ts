import { err, ok } from '#base/result.ts'
import { type Field, type FieldProblem } from '#record/field.ts'
import { NODE_ID_MEMBER } from '#record/member-names.ts'
import type { Measured, Metric, MetricKind, MetricOf, MetricRegistry, MetricValues } from './metric.ts'
import type { StatusRecord } from './status-record.ts'

export type Answer = Measured & { readonly record: StatusRecord }

/** The first signature gives the field the value type of the metric's kind. */
export function fieldOf<K extends MetricKind>(metric: MetricOf<K>, answer: Answer): Field<MetricValues[K]>
export function fieldOf(metric: Metric, answer: Answer): Field<unknown> {
  if (metric.field === undefined)
    return ok({ value: answer[metric.measured], text: String(answer[metric.measured]) })
  const fields: Readonly<Record<string, unknown>> = answer.record
  const field = fields[metric.id]
  return isField(field) ? field : err('missing')
}

const isField = (value: unknown): value is Field<unknown> =>
  typeof value === 'object' && value !== null && 'ok' in value

/** `heading`: set if the field is a metric's. */
export type BadField = { readonly field: string; readonly heading?: string; readonly problem: FieldProblem }

export function badFields(record: StatusRecord, registry: MetricRegistry): readonly BadField[] {
  const bad: BadField[] = record.nodeId.ok ? [] : [{ field: NODE_ID_MEMBER, problem: record.nodeId.error }]
  for (const metric of registry) {
    const field = metric.field === undefined ? undefined : fieldOf(metric, { record, latencyMs: 0 })
    if (metric.field !== undefined && field?.ok === false && field.error !== 'not-collected')
      bad.push({ field: metric.field, heading: metric.heading, problem: field.error })
  }
  return bad
}
