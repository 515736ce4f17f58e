import { Download, Printer } from 'lucide-react'
import { useMemo, useEffect, useRef, useState } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import { toFieldText } from '#parts/calendar-time.ts'
import { targetText, type ReportQuery } from '#parts/report-address.ts'
import { useDashboard } from '#react/dashboard.ts'
import { printPage, saveFile } from '#react/platform.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { availabilityTexts as words } from '#texts/en-availability.ts'
import { zoneName, type Zone } from '#texts/format-time.ts'
import { formatAge, formatAvailability, formatCount, formatPercent, formatSpan, unit } from '#texts/format.ts'
import { Button } from '#ui/button.tsx'
import { Stats } from '#ui/figure.tsx'
import { NodeSection } from './node-section.tsx'
import { reportCsv, reportJson } from './report-file.ts'
import { figureColumns, reportRows, totalsOf, type ReportRow } from './report-rows.ts'
import { ReportTable } from './report-table.tsx'
import { readReport, type NodeReport } from '#react/read-report.ts'

/** With more nodes, the report is a table only. */
const SECTIONS_MAX = 20

type ReportResultProps = { readonly nodes: readonly NodeKey[]; readonly query: ReportQuery }

export function ReportResult({ nodes, query }: ReportResultProps) {
  const { fleet, metrics } = useDashboard()
  const zone = useConfiguration().settings.display.timeZone
  const report = useReport(nodes, query)
  const { reports, state } = report
  const rows = useMemo(() => reportRows(reports, fleet.get(), query.target), [reports, fleet, query.target])
  const columns = useMemo(() => figureColumns(metrics), [metrics])
  const save = (ending: 'csv' | 'json'): void => {
    const text = ending === 'csv' ? reportCsv(rows, columns, query) : reportJson(rows, columns, query)
    saveFile(fileName(rows, ending), text, ending === 'csv' ? 'text/csv' : 'application/json')
  }
  return (
    <>
      <div className="flow">
        <output className="text-12 ink-3">{lineOf(report, rows, nodes.length, query, zone)}</output>
        <span className="grow" />
        {state === 'reading' ? (
          <Button size="small" onClick={report.stop}>
            {words.actions.stop}
          </Button>
        ) : (
          <>
            {(['csv', 'json'] as const).map((ending) => (
              <Button key={ending} size="small" icon={Download} onClick={() => save(ending)}>
                {words.actions[ending]}
              </Button>
            ))}
            <Button size="small" icon={Printer} onClick={printPage}>
              {words.actions.print}
            </Button>
          </>
        )}
      </div>
      {rows.length > 0 && <Summed rows={rows} target={query.target} />}
      {rows.length > 1 && <ReportTable rows={rows} columns={columns} />}
      {rows.length <= SECTIONS_MAX &&
        nodes.length <= SECTIONS_MAX &&
        rows.map((row) => (
          <NodeSection key={row.report.node} row={row} columns={columns} target={query.target} zone={zone} />
        ))}
    </>
  )
}

function lineOf(
  { reports, state }: ReportState,
  rows: readonly ReportRow[],
  all: number,
  query: ReportQuery,
  zone: Zone,
): string {
  const { fromMs, toMs } = reports[0]?.range ?? query
  const at = (ms: number): string => toFieldText(ms, zone).replace('T', ' ')
  const api = rows.find(({ report }) => report.api)?.report.api
  const unread = rows.filter(({ summary }) => summary === undefined).length
  return [
    words.range(at(fromMs), at(toMs), zoneName(zone, fromMs, toMs)),
    api === undefined
      ? words.sources.browser
      : `${words.sources.api(api.name)}, ${words.coarse(formatSpan(api.stepMs))}`,
    ...(unread === 0 ? [] : [words.problems(unread)]),
    ...(state === 'reading' ? [words.reading(reports.length, all)] : []),
    ...(state === 'stopped' ? [words.stopped(reports.length, all)] : []),
  ].join(' · ')
}

function Summed({ rows, target }: { readonly rows: readonly ReportRow[]; readonly target: number }) {
  const { answeredMs, noAnswerMs, knownMs, wantedMs, below, known, outages } = totalsOf(rows)
  const stats = words.stats
  return (
    <Stats
      label={stats.label}
      items={[
        {
          label: stats.availability,
          value: knownMs === 0 ? unit.none : formatAvailability(answeredMs / knownMs),
          note: stats.target(`${targetText(target)} %`),
        },
        { label: stats.below, value: formatCount(below), note: stats.belowNote(known) },
        {
          label: stats.known,
          value: wantedMs === 0 ? unit.none : formatPercent(knownMs / wantedMs),
          note: knownMs === 0 ? stats.noKnown : stats.knownNote(formatAge(knownMs), formatAge(wantedMs)),
        },
        {
          label: stats.outages,
          value: knownMs === 0 ? unit.none : formatCount(outages),
          note: knownMs === 0 ? stats.noKnown : stats.outagesNote(formatAge(noAnswerMs)),
        },
      ]}
    />
  )
}

function fileName(rows: readonly ReportRow[], ending: string): string {
  const { fromMs, toMs } = rows[0]?.report.range ?? { fromMs: 0, toMs: 0 }
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  return words.fileName(day(fromMs), day(toMs), ending)
}

type ReportState = {
  readonly reports: readonly NodeReport[]
  readonly state: 'reading' | 'done' | 'stopped'
  readonly stop: () => void
}

/** Redraws of a report while it is being read; each costs as much as all of its rows. */
const DRAWN_TIMES = 20

function useReport(
  nodes: readonly NodeKey[],
  { fromMs, toMs, source }: Pick<ReportQuery, 'fromMs' | 'toMs' | 'source'>,
): ReportState {
  const dashboard = useDashboard()
  const run = useMemo(() => ({ nodes, range: { fromMs, toMs }, source }), [nodes, fromMs, toMs, source])
  const [read, setRead] = useState<Pick<ReportState, 'reports' | 'state'> & { readonly run: object }>()
  const end = useRef(() => {})
  useEffect(() => {
    const reports: NodeReport[] = []
    const every = Math.ceil(run.nodes.length / DRAWN_TIMES)
    let isOn = true
    end.current = () => {
      isOn = false
    }
    const publish = (state: ReportState['state']): void => setRead({ run, state, reports: [...reports] })
    const onRead = (report: NodeReport): boolean => {
      if (!isOn) return false
      reports.push(report)
      if (reports.length % every === 0) publish('reading')
      return true
    }
    void readReport(dashboard, { ...run, onRead }).then(() => isOn && publish('done'))
    return () => end.current()
  }, [dashboard, run])
  const stop = (): void => {
    end.current()
    setRead((last) => ({ run, reports: last?.run === run ? last.reports : [], state: 'stopped' }))
  }
  const isOwn = read?.run === run
  return { reports: isOwn ? read.reports : [], state: isOwn ? read.state : 'reading', stop }
}
