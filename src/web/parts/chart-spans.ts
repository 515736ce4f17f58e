import { toVisibleText } from '#base/visible-text.ts'
import { severityRanges } from '#alarms/statistics.ts'
import type { KeptEntry } from '#history/event-log.ts'
import type { SeriesData } from '#charts/charts.ts'
import { levelWords } from '#texts/en-checks.ts'
import { failureShort } from '#texts/en-failure-names.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatAge } from '#texts/format.ts'
import type { ChartMark, ChartSpan } from '#ui/chart/chart-types.ts'
import { NOTE_CHARS_MAX } from './history-source.ts'

const words = nodeHistoryTexts.chart

/** Poll results as labelled spans, with the severity of any alarm at that time. */
export function spansOf(series: SeriesData, alarms: readonly KeptEntry[] = []): readonly ChartSpan[] {
  const raised = severityRanges(alarms, series.toMs)
  return series.spans.flatMap(({ fromMs, toMs, kind, failure }): readonly ChartSpan[] => {
    const span = { fromMs, toMs, kind, label: spanLabel(kind, failure, toMs - fromMs) }
    return kind === 'not-watched' ? [span] : parted(span, raised)
  })
}

function parted(span: ChartSpan, raised: ReturnType<typeof severityRanges>): readonly ChartSpan[] {
  const parts: ChartSpan[] = []
  let { fromMs } = span
  for (const { severity, ...on } of raised) {
    const [begin, end] = [Math.max(fromMs, on.fromMs), Math.min(span.toMs, on.toMs)]
    if (end <= begin) continue
    if (begin > fromMs) parts.push({ ...span, fromMs, toMs: begin })
    parts.push({
      ...span,
      fromMs: begin,
      toMs: end,
      level: severity,
      label: words.withAlarm(span.label, levelWords[severity]),
    })
    fromMs = end
  }
  return fromMs < span.toMs ? [...parts, { ...span, fromMs }] : parts
}

function spanLabel(
  kind: ChartSpan['kind'],
  failure: SeriesData['spans'][number]['failure'],
  lengthMs: number,
): string {
  if (kind === 'answered') return words.answered
  if (kind === 'not-watched') return words.notWatchedFor(formatAge(lengthMs))
  return failure === undefined ? words.noAnswer : words.noAnswerWhy(failureShort[failure])
}

/** More marks make a chart unreadable. */
const MARKS_MAX = 100

export const marksOf = ({ metrics }: SeriesData): readonly ChartMark[] =>
  metrics.flatMap((each) =>
    each.kind === 'bars'
      ? Array.from(each.restarts.slice(-MARKS_MAX), (atMs) => ({ atMs, label: words.restart }))
      : [],
  )

export const noteMarks = (notes: readonly KeptEntry[]): readonly ChartMark[] =>
  notes.slice(0, MARKS_MAX).map(({ wallMs, facts }) => {
    const text = toVisibleText(String(facts?.['note'] ?? ''), NOTE_CHARS_MAX)
    const by = facts?.['by'] === undefined ? '' : toVisibleText(String(facts['by']), NOTE_CHARS_MAX)
    return { atMs: wallMs, label: words.note(text, by), isPinned: true }
  })

/**
 * Share of the watched time that was answered and without an alarm, 0 to 1; undefined if nothing was watched. Measured in time,
 * because a failing node is polled less often and so has few failed polls.
 */
export function healthyShare(
  { fromMs, toMs, answeredMs, notWatchedMs }: SeriesData,
  spans: readonly ChartSpan[],
): number | undefined {
  const watchedMs = toMs - fromMs - notWatchedMs
  const alarmedMs = spans
    .filter(({ kind, level }) => kind === 'answered' && (level === 'critical' || level === 'warning'))
    .reduce((sum, span) => sum + span.toMs - span.fromMs, 0)
  return watchedMs <= 0 ? undefined : Math.max(0, Math.min(1, (answeredMs - alarmedMs) / watchedMs))
}
