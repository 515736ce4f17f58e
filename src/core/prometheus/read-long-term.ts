import { isFailureKind, type FailureKind } from '#protocol/failure.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { columnOf, partOf, type AnsweredSeries } from './query-answer.ts'
import type { Column, LongTermBars, LongTermLine, LongTermQuery, LongTermSeries } from './long-term-series.ts'

export function longTermSeries(
  registry: MetricRegistry,
  query: LongTermQuery,
  steps: readonly AnsweredSeries[],
  bars: readonly AnsweredSeries[],
): LongTermSeries {
  const { fromMs, stepMs, count, barFromMs, barMs, barCount } = query
  const step = (name: string): Column => columnOf(partOf(steps, name), fromMs, stepMs, count)
  const bar = (name: string): Column => columnOf(partOf(bars, name), barFromMs, barMs, barCount)
  const up = step('up')
  /** Whether there is a step without a scrape between the last scrapes of two bars, or after the first scrape of all. */
  const hasHole = (before: number, row: number): boolean => {
    const stepAt = (barEnd: number): number =>
      up.findLastIndex((share, at) => share !== null && fromMs + at * stepMs < barFromMs + barEnd * barMs)
    const first = before < 0 ? up.findIndex((share) => share !== null) : stepAt(before + 1)
    return up.slice(Math.max(0, first), Math.max(0, stepAt(row + 1))).includes(null)
  }
  return {
    ...query,
    up,
    upMin: step('upMin'),
    scrapes: step('scrapes'),
    failures: failuresOf(steps, query),
    metrics: registry.flatMap((metric): readonly (LongTermLine | LongTermBars)[] => {
      const { id, kind } = metric
      if (kind === 'counter') return [{ id, kind: 'bars', ...counted(id, bar, hasHole) }]
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
 * The increase in each bar. A query API extrapolates `increase` to the bar's edges, so it is rarely whole; without a restart
 * the difference of two totals is exact. After a gap the whole increase counts as unwatched.
 */
function counted(
  id: string,
  bar: (name: string) => Column,
  hasHole: (before: number, row: number) => boolean,
): Omit<LongTermBars, 'id' | 'kind'> {
  const [total, stretched, restarts] = [bar(`${id}:total`), bar(`${id}:increase`), bar(`${id}:restarts`)]
  const increase: (number | null)[] = []
  const unwatched: (number | null)[] = []
  let before = -1
  for (const [row, now] of total.entries()) {
    const last = total[before] ?? null
    const isHole = now !== null && hasHole(before, row)
    if (now !== null) before = row
    const came = cameBetween(last, now, isHole || restarts[row] === 0, stretched[row] ?? null)
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
