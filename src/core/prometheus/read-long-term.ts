import { isFailureKind, type FailureKind } from '#protocol/failure.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { columnOf, partOf, type AnsweredSeries } from './query-answer.ts'
import type { Column, LongTermBars, LongTermLine, LongTermQuery, LongTermSeries } from './long-term-series.ts'

export function longTermSeries(
  registry: MetricRegistry,
  query: LongTermQuery,
  answer: readonly AnsweredSeries[],
): LongTermSeries {
  const step = (name: string): Column => columnOf(partOf(answer, name), query)
  const up = step('up')
  return {
    ...query,
    up,
    upMin: step('upMin'),
    scrapes: step('scrapes'),
    failures: failuresOf(answer, query),
    metrics: registry.flatMap((metric): readonly (LongTermLine | LongTermBars)[] => {
      const { id, kind } = metric
      if (kind === 'counter') return [{ id, kind: 'bars', ...counted(id, step, up) }]
      if (kind !== 'gauge' && kind !== 'timestamp') return []
      const inOwnUnit = (name: string) => step(`${id}:${name}`).map((value) => fromSeconds(metric, value))
      return [
        {
          id,
          kind: 'line',
          min: inOwnUnit('min'),
          max: inOwnUnit('max'),
          last: inOwnUnit('last'),
          ...(metric.chart?.band === true && { p50: inOwnUnit('p50'), p95: inOwnUnit('p95') }),
        },
      ]
    }),
  }
}

const fromSeconds = ({ unit }: Metric, value: number | null): number | null =>
  value === null || unit !== 'ms' ? value : value * 1_000

/**
 * The increase in each step. A query API extrapolates `increase` to the step's edges, so it is rarely whole; without a restart
 * the difference of two totals is exact. After steps without a scrape the whole increase counts as unwatched. A query API does
 * not count a restart between two steps, so it is also known by a lower total.
 */
function counted(id: string, step: (name: string) => Column, up: Column): Omit<LongTermBars, 'id' | 'kind'> {
  const [total, stretched, resets] = [step(`${id}:total`), step(`${id}:increase`), step(`${id}:restarts`)]
  const restarts: (number | null)[] = []
  const increase: (number | null)[] = []
  const unwatched: (number | null)[] = []
  let before = up.findIndex((share) => share !== null) - 1
  for (const [row, now] of total.entries()) {
    const last = total[before] ?? null
    const isHole = now !== null && up.slice(before + 1, row).includes(null)
    if (now !== null) before = row
    const came = cameBetween(last, now, isHole || resets[row] === 0, stretched[row] ?? null)
    const hasFallen = now !== null && last !== null && now < last
    restarts.push(hasFallen ? Math.max(1, resets[row] ?? 0) : (resets[row] ?? null))
    increase.push(isHole && came !== null ? 0 : came)
    unwatched.push(isHole ? came : null)
  }
  return { restarts, increase, unwatched }
}

function cameBetween(
  last: number | null,
  now: number | null,
  isSteady: boolean,
  stretched: number | null,
): number | null {
  if (now === null) return null
  if (last !== null && now >= last && isSteady) return now - last
  return stretched === null ? null : Math.round(stretched)
}

function failuresOf(
  answer: readonly AnsweredSeries[],
  query: LongTermQuery,
): readonly (FailureKind | null)[] {
  const failures = Array.from<FailureKind | null>({ length: query.count }).fill(null)
  const most = Array.from<number>({ length: query.count }).fill(0)
  for (const series of answer) {
    const { part, kind } = series.labels
    if (part !== 'failure' || kind === undefined || !isFailureKind(kind)) continue
    for (const [step, seen] of columnOf(series, query).entries()) {
      if (seen === null || seen <= (most[step] ?? 0)) continue
      most[step] = seen
      failures[step] = kind
    }
  }
  return failures
}
