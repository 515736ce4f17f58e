import { toVisibleText } from '#base/visible-text.ts'
import { targetText } from '#parts/report-address.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { failureShort } from '#texts/en-failure-names.ts'
import { formatClock, formatDay, zoneName, type Zone } from '#texts/format-time.ts'
import { formatAge, formatAvailability, unit } from '#texts/format.ts'
import { Panel } from '#ui/panel.tsx'
import { Properties, property, type PropertyItems } from '#ui/properties.tsx'
import { maintenanceMs } from './report-file.ts'
import { ReportList } from './report-table.tsx'
import { figureText, type FigureColumn, type ReportRow } from './report-rows.ts'

const words = availabilityTexts.node
const tableWords = availabilityTexts.table

type NodeSectionProps = {
  readonly row: ReportRow
  readonly columns: readonly FigureColumn[]
  readonly target: number
  readonly zone: Zone
}

export function NodeSection({ row, columns, target, zone }: NodeSectionProps) {
  const { report, summary, name, service } = row
  const problem = report.problem
  return (
    <div className="node-section">
      <Panel title={name} note={service}>
        {summary === undefined ? (
          <p>{problemText(problem)}</p>
        ) : (
          <>
            <Bar row={row} />
            <Properties items={[...timeItems(row, target), ...figureItems(row, columns)]} />
            <Outages row={row} zone={zone} />
          </>
        )}
        {report.maintenance.length > 0 && <Windows row={row} zone={zone} />}
      </Panel>
    </div>
  )
}

function problemText(problem: ReportRow['report']['problem']): string {
  if (typeof problem === 'object') return problem.detail === '' ? availabilityTexts.noAnswer : problem.detail
  return problem === 'no-api' ? availabilityTexts.noApi : availabilityTexts.unreadable
}

/** The whole range as one bar, hidden from screen readers because the figures below say the same. */
function Bar({ row }: { readonly row: ReportRow }) {
  const { summary } = row
  const parts = [
    ['answered', summary?.answeredMs],
    ['no-answer', summary?.noAnswerMs],
    ['not-watched', summary?.notWatchedMs],
    ['maintenance', maintenanceMs(row)],
  ] as const
  return (
    <div className="node-section-bar" aria-hidden>
      {parts.map(([kind, ms = 0]) => (
        <i key={kind} className={kind} style={{ flex: `${ms / 1_000} 0 0` }} />
      ))}
    </div>
  )
}

function timeItems(row: ReportRow, target: number): PropertyItems {
  const { share, summary, wantedMs, isBelow } = row
  const of = (ms = 0): string => availabilityTexts.share(formatAge(ms), wantedMs === 0 ? 0 : ms / wantedMs)
  const targeted = availabilityTexts.stats.target(`${targetText(target)} %`)
  return [
    property(
      tableWords.availability,
      [
        `${share === undefined ? unit.none : formatAvailability(share)}, ${targeted}`,
        ...(isBelow ? [words.belowTarget] : []),
      ].join(', '),
    ),
    property(
      tableWords.budget,
      share === undefined ? unit.none : availabilityTexts.budget(row.leftMs, row.budgetMs),
    ),
    property(tableWords.answered, of(summary?.answeredMs)),
    property(tableWords.noAnswer, of(summary?.noAnswerMs)),
    property(tableWords.notWatched, of(summary?.notWatchedMs)),
    row.report.maintenance.length > 0 && property(words.maintenanceTime, formatAge(maintenanceMs(row))),
  ]
}

const figureItems = (row: ReportRow, columns: readonly FigureColumn[]): PropertyItems =>
  columns.map((column) => ({ id: column.id, label: column.heading, value: figureText(column, row) }))

const momentOf = (ms: number, zone: Zone): string => `${formatDay(ms, zone)} ${formatClock(ms, zone)}`

/** As many as fit on a page; the JSON file has the rest. */
const SHOWN_MAX = 50

type ListProps = { readonly row: ReportRow; readonly zone: Zone }

function Outages({ row, zone }: ListProps) {
  const { outages = [], outageCount = 0, answeredMs = 0, noAnswerMs = 0 } = row.summary ?? {}
  const isKnown = answeredMs + noAnswerMs > 0
  if (outageCount === 0) return <p className="ink-3">{isKnown ? words.noOutages : words.outagesUnknown}</p>
  return (
    <ReportList
      caption={outageCount > SHOWN_MAX ? words.moreOutages(SHOWN_MAX, outageCount) : words.outages}
      headings={[startOf(outages, zone), words.length, words.cause]}
      rows={outages.slice(0, SHOWN_MAX).map(({ fromMs, toMs, isCut, failure }) => ({
        id: String(fromMs),
        cells: [
          momentOf(fromMs, zone),
          isCut ? words.atLeast(formatAge(toMs - fromMs)) : formatAge(toMs - fromMs),
          failure === undefined ? words.unknownCause : failureShort[failure],
        ],
      }))}
    />
  )
}

const startOf = (times: readonly { readonly fromMs: number }[], zone: Zone): string =>
  words.start(zoneName(zone, ...times.map(({ fromMs }) => fromMs)))

function Windows({ row, zone }: ListProps) {
  const { maintenance } = row.report
  const more = maintenance.length - SHOWN_MAX
  return (
    <>
      <ReportList
        caption={words.maintenance}
        headings={[startOf(maintenance, zone), words.length, words.reason]}
        rows={maintenance.slice(0, SHOWN_MAX).map(({ fromMs, toMs, reason }) => ({
          id: `${fromMs} ${toMs} ${reason}`,
          cells: [
            momentOf(fromMs, zone),
            formatAge(toMs - fromMs),
            <bdi key="reason">{reason === '' ? words.noReason : toVisibleText(reason)}</bdi>,
          ],
        }))}
      />
      {more > 0 && <p className="ink-3">{words.moreWindows(more)}</p>}
    </>
  )
}
