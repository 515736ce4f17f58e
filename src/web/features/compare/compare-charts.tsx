import { type ReactNode } from 'react'
import { isCurrentAt } from '#fleet/assessment.ts'
import { pollIntervalOf } from '#fleet/live.ts'
import { marksOf, noteMarks, spansOf } from '#parts/chart-spans.ts'
import { sourceText } from '#parts/history-source.ts'
import { TimeControls } from '#parts/time-controls.tsx'
import { barMsFor, columnMsFor } from '#parts/time-view.ts'
import { lengthOf, useTimeView, type TimeControl } from '#parts/use-time-view.ts'
import { useDashboard } from '#react/dashboard.ts'
import type { LongTermState } from '#react/long-term.ts'
import { useConfiguration, useStore } from '#react/use-fleet.ts'
import { nodeGapMs, useAlarmEntries, useNotes, useSeriesData, useWatchedFrom } from '#react/use-history.ts'
import { compareTexts } from '#texts/en-compare.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { ControlledChart } from '#parts/time-chart.tsx'
import { Skeleton } from '#ui/empty.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { compareRows, sharedGaps, type ReadSubject } from './compare-rows.ts'
import type { Subject } from './use-subjects.ts'

const words = compareTexts.chart

type CompareChartsProps = { readonly subjects: readonly [Subject, ...Subject[]] }

export const CompareCharts = ({ subjects }: CompareChartsProps) => (
  <Begun of={subjects} fromMs={Number.POSITIVE_INFINITY}>
    {(startedMs) => <Timed subjects={subjects} startedMs={startedMs} />}
  </Begun>
)

type BegunProps = {
  readonly of: CompareChartsProps['subjects']
  readonly fromMs: number
  readonly children: (fromMs: number) => ReactNode
}

/**
 * The earliest time at which any of the nodes was first watched. Recursive components, because the number of nodes, and so of
 * hooks, may change.
 */
function Begun({ of: [{ key }, next, ...others], fromMs, children }: BegunProps): ReactNode {
  const earliestMs = Math.min(fromMs, useWatchedFrom(key))
  if (next === undefined) return children(earliestMs)
  return (
    <Begun of={[next, ...others]} fromMs={earliestMs}>
      {children}
    </Begun>
  )
}

function Timed({ subjects, startedMs }: CompareChartsProps & { readonly startedMs: number }) {
  const time = useTimeView(startedMs)
  const { fromMs, toMs } = time.window
  const spanMs = toMs - fromMs
  const intervals = subjects.map(({ node, service }) => pollIntervalOf(node ?? {}, service))
  const barMs = barMsFor(spanMs, Math.max(...intervals))
  const columns = Math.round(spanMs / columnMsFor(spanMs))
  return (
    <>
      <TimeControls time={time} />
      <AllRead of={subjects} range={{ fromMs, toMs, columns, barMs }}>
        {(reads) => <Chart reads={reads} time={time} barMs={barMs} />}
      </AllRead>
    </>
  )
}

type Read = ReadSubject & { readonly longTerm: LongTermState | undefined; readonly holdsMs: number }

type Range = Pick<TimeControl['window'], 'fromMs' | 'toMs'> & {
  readonly columns: number
  readonly barMs: number
}

type AllReadProps = {
  readonly of: CompareChartsProps['subjects']
  readonly range: Range
  readonly found?: readonly Read[]
  readonly children: (reads: readonly Read[]) => ReactNode
}

function AllRead({ of: [subject, next, ...others], range, found = [], children }: AllReadProps): ReactNode {
  const all = [...found, useSubjectRead(subject, range)]
  if (next === undefined) return children(all)
  return (
    <AllRead of={[next, ...others]} range={range} found={all}>
      {children}
    </AllRead>
  )
}

function useSubjectRead(subject: Subject, range: Range): Read {
  const { key, node, service } = subject
  const revision = node === undefined ? 0 : node.answered + node.failed
  const { data, failed, longTerm } = useSeriesData({ node: key, ...range }, revision)
  const alarms = useAlarmEntries(key, range)
  const spans = data === undefined ? [] : spansOf(data, alarms)
  return { ...subject, data, failed, longTerm, spans, holdsMs: nodeGapMs(node, service) }
}

type ChartProps = { readonly reads: readonly Read[]; readonly time: TimeControl; readonly barMs: number }

function Chart({ reads, time, barMs }: ChartProps) {
  const { metrics, seconds, nowMs } = useDashboard()
  const zone = useConfiguration().settings.display.timeZone
  const pinned = useNotes(
    reads.map(({ key }) => key),
    time.window,
  )
  // Redraws when a value becomes outdated through time alone.
  useStore(seconds, (now) => reads.map(({ node }) => node !== undefined && isCurrentAt(node, now)).join())
  const { fromMs, toMs } = reads.find(({ data }) => data !== undefined)?.data ?? time.window
  const label = words.label(reads.length, lengthOf(time))
  const isWaiting = reads.every(({ data, failed }) => data === undefined && !failed)
  if (isWaiting)
    return (
      <PlainPanel label={label}>
        <Skeleton label={nodeHistoryTexts.chart.loading} lines={8} />
      </PlainPanel>
    )
  return (
    <ControlledChart
      time={time}
      title={reads.map(({ title }) => title).join(', ')}
      label={label}
      fromMs={fromMs}
      toMs={toMs}
      spans={sharedGaps(reads)}
      rows={compareRows(metrics, reads, {
        nowMs: nowMs(),
        barMs,
        inRange: nodeHistoryTexts.chart.inRange(lengthOf(time)),
      })}
      marks={[
        ...noteMarks(pinned),
        ...reads.flatMap(({ data, title }) =>
          data === undefined
            ? []
            : marksOf(data).map((mark) => ({ ...mark, label: words.markOf(title, mark.label) })),
        ),
      ]}
      compared={{
        header: words.node,
        items: reads.map(({ key, title, spans, holdsMs }) => ({ id: key, title, spans, holdsMs })),
      }}
      legendNote={notes(reads, (read, data) =>
        read.longTerm === undefined ? undefined : sourceText(read.longTerm, data, metrics, time.nowMs, zone),
      )}
    />
  )
}

function notes(
  reads: readonly Read[],
  say: (read: Read, data: NonNullable<Read['data']>) => string | undefined,
): string {
  const said = reads.flatMap((read) => {
    const text = read.data && say(read, read.data)
    return text === undefined ? [] : [{ title: read.title, text }]
  })
  const isOne = said.length === reads.length && new Set(said.map(({ text }) => text)).size === 1
  return isOne ? (said[0]?.text ?? '') : said.map(({ title, text }) => words.markOf(title, text)).join(' · ')
}
