import { toVisibleText } from '#base/visible-text.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { availabilityOf, lengthMsOf, type Availability, type Summary } from '#report/summary.ts'
import type { Metric, MetricRegistry, ReportFigure } from '#metrics/metric.ts'
import { effectiveSettings, NO_SERVICE_RULES, type EffectiveSettings } from '#settings/effective.ts'
import type { NodeReport } from '#react/read-report.ts'
import { availabilityTexts as words } from '#texts/en-availability.ts'
import { formatCharted, scaleOf } from '#texts/format-charted.ts'
import { joined, unit } from '#texts/format.ts'
import { nodeNameIn, serviceNameIn } from '#texts/names.ts'

export type ReportRow = Availability & {
  readonly report: NodeReport
  readonly name: string
  readonly service: string
  readonly settings: EffectiveSettings
  readonly wantedMs: number
  readonly summary: Summary | undefined
  readonly isBelow: boolean
}

/** Lowest availability first, unknown last. */
export function reportRows(
  reports: readonly NodeReport[],
  fleet: Pick<FleetSnapshot, 'nodes' | 'services'>,
  target: number,
): readonly ReportRow[] {
  const rows = reports.map((report): ReportRow => {
    const { node: key, summary } = report
    const node = fleet.nodes.get(key)
    const service = node && fleet.services.get(node.serviceId)
    const availability = availabilityOf(summary ?? { answeredMs: 0, noAnswerMs: 0 }, target)
    return {
      ...availability,
      report,
      summary,
      name: toVisibleText(nodeNameIn(fleet, key)),
      service: toVisibleText(serviceNameIn(fleet, node?.serviceId ?? serviceIdIn(key))),
      settings: effectiveSettings(service?.rules ?? NO_SERVICE_RULES, node ?? { tags: [], rules: [] }),
      wantedMs: lengthMsOf(report.ranges),
      isBelow: availability.share !== undefined && availability.share < target,
    }
  })
  const rank = ({ share }: ReportRow): number => share ?? 2
  return rows.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
}

const serviceIdIn = (key: NodeKey): string => key.split('!', 1)[0] ?? ''

export type FigureColumn = {
  readonly id: string
  readonly metric: Metric
  readonly figure: ReportFigure
  readonly heading: string
}

export const figureColumns = (metrics: MetricRegistry): readonly FigureColumn[] =>
  metrics.flatMap((metric) =>
    (metric.report ?? []).map((figure) => ({
      id: `${metric.exportName}_${figure}`,
      metric,
      figure,
      heading: words.figures[figure](metric.heading),
    })),
  )

/** In the displayed unit; undefined if unknown. */
export function figureValue(
  { metric, figure }: FigureColumn,
  { summary, settings }: ReportRow,
): number | undefined {
  const value = summary?.figures[metric.id]?.[figure]
  if (value === undefined || metric.kind !== 'gauge' || metric.keep === 'shown') return value
  return metric.shown === undefined ? value : metric.shown({ text: String(value), value }, settings)?.value
}

export function figureText(column: FigureColumn, row: ReportRow): string {
  const value = figureValue(column, row)
  if (value === undefined) return unit.none
  if (column.metric.unit !== 'amount') return scaleOf(column.metric).format(value)
  return joined(' ', [formatCharted(value), row.settings.stakeSymbol.value])
}

export function totalsOf(rows: readonly ReportRow[]) {
  const sum = (of: (row: ReportRow) => number | undefined): number =>
    rows.reduce((total, row) => total + (of(row) ?? 0), 0)
  const [answeredMs, noAnswerMs] = [
    sum(({ summary }) => summary?.answeredMs),
    sum(({ summary }) => summary?.noAnswerMs),
  ]
  return {
    answeredMs,
    noAnswerMs,
    knownMs: answeredMs + noAnswerMs,
    wantedMs: sum(({ wantedMs }) => wantedMs),
    below: rows.filter(({ isBelow }) => isBelow).length,
    known: rows.filter(({ share }) => share !== undefined).length,
    outages: sum(({ summary }) => summary?.outageCount),
  }
}
