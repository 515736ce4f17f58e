import { err, ok, type Result } from '#base/result.ts'
import { PART_LABEL } from './queries.ts'

/** One series of an answer: its labels, and its values by the time that they hold for, Unix seconds. */
export type AnsweredSeries = {
  readonly labels: Readonly<Record<string, string>>
  readonly values: readonly (readonly [atS: number, value: number])[]
}

/**
 * Reads what `/api/v1/query_range` (a matrix) and `/api/v1/query` (a vector) answer. The error is the engine's own, in
 * its own words; what is neither is `not-an-answer`.
 */
export function readAnswer(body: unknown): Result<readonly AnsweredSeries[], string> {
  const said = member(body, 'status')
  if (said === 'error') return err(text(member(body, 'error')) ?? text(member(body, 'errorType')) ?? 'error')
  const data = member(body, 'data')
  const result = member(data, 'result')
  if (said !== 'success' || !Array.isArray(result)) return err(NOT_AN_ANSWER)
  const isMatrix = member(data, 'resultType') === 'matrix'
  return ok(
    result.flatMap((one: unknown) => {
      const labels = labelsIn(member(one, 'metric'))
      const given = isMatrix ? member(one, 'values') : [member(one, 'value')]
      if (labels === undefined || !Array.isArray(given)) return []
      return [{ labels, values: given.flatMap((pair: unknown) => pairIn(pair)) }]
    }),
  )
}

export const NOT_AN_ANSWER = 'not-an-answer'

/** The series that `part` of `queries.ts` named so. */
export const partOf = (answer: readonly AnsweredSeries[], name: string): AnsweredSeries | undefined =>
  answer.find(({ labels }) => labels[PART_LABEL] === name)

/** Each value at the step that it ends. */
export function columnOf(
  series: AnsweredSeries | undefined,
  fromMs: number,
  stepMs: number,
  count: number,
): (number | null)[] {
  const column = Array.from<number | null>({ length: count }).fill(null)
  for (const [atS, value] of series?.values ?? []) {
    const step = Math.round((atS * 1_000 - fromMs) / stepMs) - 1
    if (step >= 0 && step < count) column[step] = value
  }
  return column
}

/** Numbers come as texts; `NaN` is nobody's value. */
function pairIn(pair: unknown): readonly (readonly [number, number])[] {
  if (!Array.isArray(pair)) return []
  const [at, value]: readonly unknown[] = pair
  const read = typeof value === 'string' ? Number(value) : Number.NaN
  return typeof at === 'number' && Number.isFinite(at) && Number.isFinite(read) ? [[at, read]] : []
}

function labelsIn(given: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
