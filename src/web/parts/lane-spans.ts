import type { LaneData } from '#history/history.ts'
import { failureShort } from '#texts/en-failure-names.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatAge } from '#texts/format.ts'
import type { ChartMark, ChartSpan } from '#ui/chart/chart-types.ts'

const words = nodeHistoryTexts.lanes

/** What happened to the polls, in words, stretch by stretch. */
export const spansOf = (lanes: LaneData): readonly ChartSpan[] =>
  lanes.spans.map(({ fromMs, toMs, kind, failure }) => ({
    fromMs,
    toMs,
    kind,
    label: spanLabel(kind, failure, toMs - fromMs),
  }))

function spanLabel(
  kind: ChartSpan['kind'],
  failure: LaneData['spans'][number]['failure'],
  lengthMs: number,
): string {
  if (kind === 'answered') return words.answered
  if (kind === 'not-watched') return words.notWatchedFor(formatAge(lengthMs))
  return failure === undefined ? words.noAnswer : words.noAnswerWhy(failureShort[failure])
}

/** More marks than this in one picture tell nothing. */
const MARKS_MAX = 100

export const marksOf = ({ metrics }: LaneData): readonly ChartMark[] =>
  metrics.flatMap((each) =>
    each.kind === 'bars'
      ? Array.from(each.restarts.slice(-MARKS_MAX), (atMs) => ({ atMs, label: words.restart }))
      : [],
  )

/**
 * Time answered of the time watched, 0 to 1; undefined where nobody watched. Of time and not of polls:
 * a node that fails is asked less often, so that its failures are few however long they last.
 */
export function answeredShare({ fromMs, toMs, answeredMs, notWatchedMs }: LaneData): number | undefined {
  const watchedMs = toMs - fromMs - notWatchedMs
  return watchedMs <= 0 ? undefined : Math.min(1, answeredMs / watchedMs)
}
