import { CSV_MARK, csvLine } from '#base/csv.ts'
import { targetText, type ReportQuery } from '#parts/report-address.ts'
import { figureValue, type FigureColumn, type ReportRow } from './report-rows.ts'

const iso = (ms: number): string => new Date(ms).toISOString()
const seconds = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms) / 1_000

/** One line per node; times in seconds, shares from 0 to 1. */
export function reportCsv(
  rows: readonly ReportRow[],
  columns: readonly FigureColumn[],
  query: ReportQuery,
): string {
  const head = [
    'node',
    'name',
    'service',
    'from',
    'to',
    'source',
    'target',
    'availability',
    'answered_seconds',
    'no_answer_seconds',
    'not_watched_seconds',
    'maintenance_seconds',
    'budget_left_seconds',
    'outages',
    ...columns.map(({ id }) => id),
  ]
  const lines = rows.map((row) =>
    csvLine([
      row.report.node,
      row.name,
      row.service,
      iso(row.report.range.fromMs),
      iso(row.report.range.toMs),
      row.report.api?.name ?? query.source,
      query.target,
      row.share,
      seconds(row.summary?.answeredMs),
      seconds(row.summary?.noAnswerMs),
      seconds(row.summary?.notWatchedMs),
      seconds(maintenanceMs(row)),
      row.share === undefined ? undefined : seconds(row.leftMs),
      row.share === undefined ? undefined : row.summary?.outageCount,
      ...columns.map((column) => figureValue(column, row)),
    ]),
  )
  return CSV_MARK + csvLine(head) + lines.join('')
}

/** The same with every outage and window of maintenance. */
export const reportJson = (
  rows: readonly ReportRow[],
  columns: readonly FigureColumn[],
  query: ReportQuery,
): string =>
  `${JSON.stringify(
    {
      format: 'immune-report',
      version: 1,
      source: query.source,
      targetPercent: targetText(query.target),
      nodes: rows.map((row) => ({
        node: row.report.node,
        name: row.name,
        service: row.service,
        from: iso(row.report.range.fromMs),
        to: iso(row.report.range.toMs),
        ...(row.report.api && { queryApi: row.report.api.name, stepMs: row.report.api.stepMs }),
        ...(row.summary === undefined
          ? { unread: true }
          : {
              availability: row.share ?? null,
              answeredMs: row.summary.answeredMs,
              noAnswerMs: row.summary.noAnswerMs,
              notWatchedMs: row.summary.notWatchedMs,
              budgetMs: row.budgetMs,
              budgetLeftMs: row.leftMs,
              figures: Object.fromEntries(
                columns.map((column) => [column.id, figureValue(column, row) ?? null]),
              ),
              outageCount: row.share === undefined ? null : row.summary.outageCount,
              outages: row.summary.outages.map(timed),
            }),
        maintenance: row.report.maintenance.map(timed),
      })),
    },
    undefined,
    2,
  )}\n`

const timed = <T extends { readonly fromMs: number; readonly toMs: number }>({
  fromMs,
  toMs,
  ...rest
}: T) => ({
  from: iso(fromMs),
  to: iso(toMs),
  ...rest,
})

/** Windows may overlap. */
export const maintenanceMs = ({ report: { range }, wantedMs }: ReportRow): number =>
  range.toMs - range.fromMs - wantedMs
