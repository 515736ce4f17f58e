import { isFailureKind } from '#protocol/failure.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { columnOf, partOf, type AnsweredSeries } from './answer.ts'
import type { Column, LongTermBars, LongTermLine, LongTermQuery, LongTermSeries } from './long-term-series.ts'

/** What an engine answered to `stepExpression` and `barExpression`, at the ends of the query's steps and bars. */
export function longTermSeries(
  registry: MetricRegistry,
  query: LongTermQuery,
  steps: readonly AnsweredSeries[],
  bars: readonly AnsweredSeries[],
): LongTermSeries {
  const { fromMs, stepMs, count, barFromMs, barMs, barCount } = query
  const step = (name: string): Column => columnOf(partOf(steps, name), fromMs, stepMs, count)
  const bar = (name: string): Column => columnOf(partOf(bars, name), barFromMs, barMs, barCount)
  return {
    ...query,
    up: step('up'),
    upMin: step('upMin'),
    scrapes: step('scrapes'),
    failures: failuresOf(steps, query),
    metrics: registry.flatMap((metric): readonly (LongTermLine | LongTermBars)[] => {
      const { id, kind } = metric
      if (kind === 'counter') return [{ id, kind: 'bars', ...counted(id, bar) }]
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
 * What came in each bar. An engine's `increase` is stretched to the bar's edges and so is seldom a whole number: where
 * no restart lies between, what came is the difference of two totals, exactly.
 */
function counted(id: string, bar: (name: string) => Column): Pick<LongTermBars, 'increase' | 'restarts'> {
  const [total, increase, restarts] = [bar(`${id}:total`), bar(`${id}:increase`), bar(`${id}:restarts`)]
  return {
    restarts,
    increase: increase.map((stretched, place) => {
      const now = total[place] ?? null
      const before = place === 0 ? null : (total[place - 1] ?? null)
      if (now === null) return null
      if (before !== null && now >= before && restarts[place] === 0) return now - before
      return stretched === null ? null : Math.round(stretched)
    }),
  }
}

function failuresOf(
  steps: readonly AnsweredSeries[],
  { fromMs, stepMs, count }: LongTermQuery,
): readonly (FailureKind | null)[] {
  const failures = Array.from<FailureKind | null>({ length: count }).fill(null)
  const most = Array.from<number>({ length: count }).fill(0)
  for (const series of steps) {
    const { part, kind } = series.labels
    if (part !== 'failure' || kind === undefined || !isFailureKind(kind)) continue
    for (const [step, seen] of columnOf(series, fromMs, stepMs, count).entries()) {
      if (seen === null || seen <= (most[step] ?? 0)) continue
      most[step] = seen
      failures[step] = kind
    }
  }
  return failures
}
