import { DEFAULTS } from '#base/defaults.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { Gap, SeriesSpan } from './history.ts'
import { isUnasked, NOT_WATCHED, OUTCOMES, placeAt, type Series } from './series.ts'

/**
 * A failed poll stands for what follows it up to the next one, since waiting longer after a
 * failure is what the engine does; but not for longer than its slowest wait.
 */
const FAILURE_HOLDS_MS = DEFAULTS.slowAfterRejectionMs

type Range = {
  readonly fromMs: number
  readonly toMs: number
  /** How long the row at a place stands for what follows it, ms. */
  readonly maxGapAt: (place: number) => number
}
type Piece = { fromMs: number; toMs: number; kind: SeriesSpan['kind']; failures: Map<FailureKind, number> }

/**
 * The whole range as stretches without holes. A sample stands for the time up to the next
 * one; where none follows in time, where a gap is on record, and before the first sample,
 * nobody watched.
 */
export function spansOf(series: Series, gaps: readonly Gap[], range: Range): readonly SeriesSpan[] {
  const pieces: Piece[] = []
  const add = (fromMs: number, toMs: number, kind: SeriesSpan['kind'], failure?: FailureKind): void => {
    const clipped = { fromMs: Math.max(fromMs, range.fromMs), toMs: Math.min(toMs, range.toMs) }
    if (clipped.toMs <= clipped.fromMs) return
    let last = pieces.at(-1)
    if (last?.kind === kind) last.toMs = clipped.toMs
    else pieces.push((last = { ...clipped, kind, failures: new Map() }))
    if (failure !== undefined) last.failures.set(failure, (last.failures.get(failure) ?? 0) + 1)
  }

  let seenMs = range.fromMs
  const end = placeAt(series, range.toMs)
  for (let place = Math.max(0, placeAt(series, range.fromMs) - 1); place < end; place++) {
    const stretch = stretchOf(series, place, gaps, range)
    add(seenMs, stretch.fromMs, 'not-watched')
    add(stretch.fromMs, stretch.toMs, stretch.kind, stretch.failure)
    seenMs = Math.max(seenMs, stretch.toMs)
  }
  add(seenMs, range.toMs, 'not-watched')
  return pieces.map(spanOf)
}

/** What one sample stands for. */
function stretchOf(series: Series, place: number, gaps: readonly Gap[], { maxGapAt }: Range) {
  const { columns, length } = series
  const fromMs = columns.atMs[place] ?? 0
  const outcome = OUTCOMES[columns.outcome[place] ?? NOT_WATCHED]
  // Nobody watched from here on: what holds is filled in by the caller.
  if (outcome === undefined) return { fromMs, toMs: fromMs, kind: 'not-watched' as const }
  const maxGapMs = maxGapAt(place)
  const holdsMs = outcome === 'answered' ? maxGapMs : Math.max(maxGapMs, FAILURE_HOLDS_MS)
  const nextMs = place + 1 < length ? (columns.atMs[place + 1] ?? 0) : Number.POSITIVE_INFINITY
  const gapMs = firstGapAfter(gaps, fromMs)
  const toMs = Math.min(nextMs, gapMs, fromMs + holdsMs)
  if (outcome === 'answered') return { fromMs, toMs, kind: 'answered' as const }
  if (isUnasked(outcome)) return { fromMs, toMs, kind: 'not-watched' as const }
  return { fromMs, toMs, kind: 'no-answer' as const, failure: outcome }
}

function firstGapAfter(gaps: readonly Gap[], atMs: number): number {
  let first = Number.POSITIVE_INFINITY
  for (const gap of gaps) if (gap.toMs > atMs) first = Math.min(first, Math.max(gap.fromMs, atMs))
  return first
}

function spanOf({ fromMs, toMs, kind, failures }: Piece): SeriesSpan {
  const [most] = Array.from(failures).toSorted((a, b) => b[1] - a[1])
  return most === undefined ? { fromMs, toMs, kind } : { fromMs, toMs, kind, failure: most[0] }
}

const WORST: readonly SeriesSpan['kind'][] = ['no-answer', 'not-watched', 'answered']

/**
 * At most about one stretch per pixel column, for a node that flaps for days: each column
 * takes the worst that happened in it, so that nothing bad is drawn over.
 */
export function coarsenSpans(
  spans: readonly SeriesSpan[],
  fromMs: number,
  toMs: number,
  columns: number,
): readonly SeriesSpan[] {
  if (spans.length <= columns) return spans
  const widthMs = (toMs - fromMs) / columns
  const coarse: SeriesSpan[] = []
  let at = 0
  for (let column = 0; column < columns; column++) {
    const startMs = fromMs + column * widthMs
    const endMs = column === columns - 1 ? toMs : startMs + widthMs
    while (at < spans.length - 1 && (spans[at]?.toMs ?? 0) <= startMs) at++
    let worst = spans[at]
    for (let next = at; next < spans.length && (spans[next]?.fromMs ?? 0) < endMs; next++) {
      const span = spans[next]
      if (span !== undefined && (worst === undefined || WORST.indexOf(span.kind) < WORST.indexOf(worst.kind)))
        worst = span
    }
    if (worst === undefined) continue
    const last = coarse.at(-1)
    if (last !== undefined && last.kind === worst.kind && last.failure === worst.failure)
      coarse[coarse.length - 1] = { ...last, toMs: endMs }
    else coarse.push({ ...worst, fromMs: startMs, toMs: endMs })
  }
  return coarse
}
