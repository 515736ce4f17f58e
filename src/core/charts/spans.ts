import type { TimeRange } from '#base/time.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { SeriesSpan } from './charts.ts'
import { holdsUntilMs, isUnasked, NOT_WATCHED, OUTCOMES, rowFrom, type Series } from '#history/series.ts'

type Kind = SeriesSpan['kind']
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * Collects spans that cover a whole range in time order; time without a span was not watched. Adjacent spans of the same kind
 * and failure are joined.
 */
export function createSpans(fromMs: number, toMs: number) {
  const spans: Mutable<SeriesSpan>[] = []
  let coveredMs = fromMs
  const put = (startMs: number, endMs: number, kind: Kind, failure?: FailureKind): void => {
    const [start, end] = [Math.max(startMs, fromMs), Math.min(endMs, toMs)]
    if (end <= start) return
    const last = spans.at(-1)
    if (last?.kind === kind && last.failure === failure) last.toMs = end
    else spans.push({ fromMs: start, toMs: end, kind, ...(failure !== undefined && { failure }) })
  }
  return {
    add: (startMs: number, endMs: number, kind: Kind, failure?: FailureKind): void => {
      put(coveredMs, startMs, 'not-watched')
      put(startMs, endMs, kind, failure)
      coveredMs = Math.max(coveredMs, endMs)
    },
    all: (): readonly SeriesSpan[] => {
      put(coveredMs, toMs, 'not-watched')
      return spans
    },
  }
}

/** The total length of a kind's spans, ms. */
export const lengthOf = (spans: readonly SeriesSpan[], kind: Kind): number =>
  spans.reduce((total, span) => (span.kind === kind ? total + span.toMs - span.fromMs : total), 0)

export const kindOf = (code: number): Kind => {
  const outcome = OUTCOMES[code]
  if (outcome === 'answered') return 'answered'
  return outcome === undefined || isUnasked(outcome) ? 'not-watched' : 'no-answer'
}

export const failureOfCode = (code: number): FailureKind | undefined => {
  const outcome = OUTCOMES[code]
  return outcome === 'answered' || kindOf(code) === 'not-watched' ? undefined : outcome
}

/**
 * A sample holds until the next one. Time before the first and after the last was not watched. `maxGapAt`: how long a
 * row holds if nothing follows it, ms.
 */
export function spansOf(
  series: Series,
  { fromMs, toMs, maxGapAt }: TimeRange & { readonly maxGapAt: (row: number) => number },
): readonly SeriesSpan[] {
  const { columns, length } = series
  const spans = createSpans(fromMs, toMs)
  const end = rowFrom(series, toMs)
  for (let row = Math.max(0, rowFrom(series, fromMs) - 1); row < end; row++) {
    const atMs = columns.atMs[row] ?? 0
    const code = columns.outcome[row] ?? NOT_WATCHED
    const nextMs = row + 1 < length ? (columns.atMs[row + 1] ?? 0) : Number.POSITIVE_INFINITY
    const untilMs = Math.min(nextMs, holdsUntilMs(columns, row, maxGapAt(row)))
    spans.add(atMs, untilMs, kindOf(code), failureOfCode(code))
  }
  return spans.all()
}

/** The parts of spans within a range. */
export const cutSpans = (spans: readonly SeriesSpan[], { fromMs, toMs }: TimeRange): readonly SeriesSpan[] =>
  spans.flatMap((span) => {
    const [from, to] = [Math.max(span.fromMs, fromMs), Math.min(span.toMs, toMs)]
    return to > from ? [{ ...span, fromMs: from, toMs: to }] : []
  })

const WORST: readonly SeriesSpan['kind'][] = ['no-answer', 'not-watched', 'answered']

/**
 * Reduces the spans of a flapping node to about one per pixel column. Each column shows its worst outcome, so
 * that no failure is hidden.
 */
export function coarsenSpans(
  spans: readonly SeriesSpan[],
  fromMs: number,
  toMs: number,
  columns: number,
): readonly SeriesSpan[] {
  if (spans.length <= columns) return spans
  const widthMs = (toMs - fromMs) / columns
  const coarse = createSpans(fromMs, toMs)
  let at = 0
  for (let column = 0; column < columns; column++) {
    const startMs = fromMs + column * widthMs
    const endMs = column === columns - 1 ? toMs : fromMs + (column + 1) * widthMs
    while (at < spans.length - 1 && (spans[at]?.toMs ?? 0) <= startMs) at++
    let worst = spans[at]
    for (let next = at; next < spans.length && (spans[next]?.fromMs ?? 0) < endMs; next++) {
      const span = spans[next]
      if (span !== undefined && (worst === undefined || WORST.indexOf(span.kind) < WORST.indexOf(worst.kind)))
        worst = span
    }
    if (worst !== undefined) coarse.add(startMs, endMs, worst.kind, worst.failure)
  }
  return coarse.all()
}
