import type { MetricRegistry, ReportFigure } from '#metrics/metric.ts'
import { quantileOf } from '#history/roll-series.ts'
import { coarsen, joinRollups, rolledColumn, rolledMetric, type Rollup } from '#history/rollup.ts'
import { kindOf } from '#charts/spans.ts'
import type { Summary } from './summary.ts'

/** The figures of a report from consecutive rollups; without outages. */
export function figuresOf(
  parts: readonly Rollup[],
  lengthMs: number,
  registry: MetricRegistry,
): Omit<Summary, 'outages' | 'outageCount'> {
  const row = coarsen(joinRollups(parts, 1, true), Number.MAX_SAFE_INTEGER)
  const timeOf = (kind: ReturnType<typeof kindOf>): number =>
    Array.from(row.outcomeMs).reduce(
      (sum, [code, column]) => (kindOf(code) === kind ? sum + (column[0] ?? 0) : sum),
      0,
    )
  const [answeredMs, noAnswerMs] = [timeOf('answered'), timeOf('no-answer')]
  const figures: Record<string, Partial<Record<ReportFigure, number>>> = {}
  for (const { id, kind, report = [] } of registry) {
    if (rolledMetric(row, id)?.metric.kind !== kind) continue
    const known = report.flatMap((figure) => {
      const value = FIGURES[figure](row, id)
      return Number.isFinite(value) ? [[figure, value] as const] : []
    })
    figures[id] = Object.fromEntries(known)
  }
  return { answeredMs, noAnswerMs, notWatchedMs: lengthMs - answeredMs - noAnswerMs, figures }
}

const at = (row: Rollup, id: string, name: Parameters<typeof rolledColumn>[2]): number =>
  rolledColumn(row, id, name)[0] ?? Number.NaN

const FIGURES: Readonly<Record<ReportFigure, (row: Rollup, id: string) => number>> = {
  mean: (row, id) => at(row, id, 'sum') / at(row, id, 'count'),
  min: (row, id) => at(row, id, 'min'),
  first: (row, id) => at(row, id, 'first'),
  last: (row, id) => at(row, id, 'last'),
  // An increase while nobody watched also counts for the report.
  increase: (row, id) => at(row, id, 'increase') + at(row, id, 'unwatched'),
  p95: (row, id) => {
    const rolled = rolledMetric(row, id)
    const spread = rolled?.spread?.[0]
    if (rolled === undefined || spread === undefined) return Number.NaN
    const value = quantileOf(rolled.metric, spread, 0.95)
    return Math.min(at(row, id, 'max'), Math.max(at(row, id, 'min'), value))
  },
}
