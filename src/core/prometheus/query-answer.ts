import * as v from 'valibot'
import { finite } from '#base/schemas.ts'
import { err, ok, type Result } from '#base/result.ts'
import { readStored, storedList } from '#base/stored.ts'
import type { LongTermQuery } from './long-term-series.ts'
import { PART_LABEL } from './queries.ts'

/** Times are Unix seconds. */
export type AnsweredSeries = {
  readonly labels: Readonly<Record<string, string>>
  readonly values: readonly (readonly [atS: number, value: number])[]
}

/** Numbers arrive as text; `NaN` is dropped. */
const Pair = v.strictTuple([finite, v.pipe(v.string(), v.transform(Number), v.finite())])
const Labels = v.record(v.string(), v.string())
const Series = <const S extends v.GenericSchema>(entry: S) => v.pipe(v.array(v.unknown()), storedList(entry))
const Words = v.fallback(v.optional(v.string()), undefined)
const Answer = v.variant('status', [
  v.object({
    status: v.literal('success'),
    data: v.variant('resultType', [
      v.object({
        resultType: v.literal('matrix'),
        result: Series(v.object({ metric: Labels, values: storedList(Pair) })),
      }),
      v.object({
        resultType: v.literal('vector'),
        result: Series(v.object({ metric: Labels, value: Pair })),
      }),
    ]),
  }),
  v.object({
    status: v.literal('error'),
    error: Words,
    errorType: Words,
  }),
])

/**
 * Reads answers of `/api/v1/query_range` (a matrix) and `/api/v1/query` (a vector). The error is the query API's own text, or
 * `not-an-answer`.
 */
export function readAnswer(body: unknown): Result<readonly AnsweredSeries[], string> {
  const answer = readStored(Answer, body)
  if (answer === undefined) return err(NOT_AN_ANSWER)
  if (answer.status === 'error') return err(answer.error ?? answer.errorType ?? 'error')
  const { data } = answer
  return ok(
    data.resultType === 'matrix'
      ? data.result.map(({ metric, values }) => ({ labels: metric, values }))
      : data.result.map(({ metric, value }) => ({ labels: metric, values: [value] })),
  )
}

export const NOT_AN_ANSWER = 'not-an-answer'

export const partOf = (answer: readonly AnsweredSeries[], name: string): AnsweredSeries | undefined =>
  answer.find(({ labels }) => labels[PART_LABEL] === name)

/** A value's time is the end of its step. */
export function columnOf(
  series: AnsweredSeries | undefined,
  { fromMs, stepMs, count }: LongTermQuery,
): (number | null)[] {
  const column = Array.from<number | null>({ length: count }).fill(null)
  for (const [atS, value] of series?.values ?? []) {
    const step = Math.round((atS * 1_000 - fromMs) / stepMs) - 1
    if (step >= 0 && step < count) column[step] = value
  }
  return column
}
