import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { TIME_STEPS } from '#ui/chart/nice-ticks.ts'

/** Ranges up to now. The values appear in the URL. */
export const RANGES = ['15m', '1h', '6h', '24h', '7d', '30d', '90d'] as const
export type Range = (typeof RANGES)[number]

export const RANGE_MS: Readonly<Record<Range, number>> = {
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
}

/** Either the time up to now or a fixed range. `range` is restored when following resumes. Unix ms. */
export type TimeView =
  | { readonly kind: 'live'; readonly range: Range }
  | { readonly kind: 'still'; readonly range: Range; readonly fromMs: number; readonly toMs: number }

/** A shorter axis has at most one answer. */
export const SPAN_MIN_MS = 20_000
/** Longer than any retention. */
export const SPAN_MAX_MS = 3 * 366 * DAY_MS

/** Steps that divide whole minutes, hours and days, so that a column never splits a stored step. */
const STEPS_MS = [...TIME_STEPS, DAY_MS, 7 * DAY_MS]

const stepFor = (spanMs: number, count: number): number =>
  STEPS_MS.find((stepMs) => stepMs * count >= spanMs) ?? 7 * DAY_MS

/** Width of one column: 500 to 900 columns over the axis, about as many as a screen can show. */
export const columnMsFor = (spanMs: number): number => stepFor(spanMs, 1_000)

/** Step by which a live axis advances: whole columns, and no more often than visible. */
export function moveMsFor(spanMs: number): number {
  const columnMs = columnMsFor(spanMs)
  const moveMs = stepFor(spanMs, 360)
  return moveMs % columnMs === 0 ? moveMs : columnMs
}

/** Width of a counter's bar: 30 to 60 bars over the range, each with at least one poll. */
export const barMsFor = (spanMs: number, pollIntervalMs: number): number =>
  stepFor(Math.max(spanMs, pollIntervalMs * 60), 60)

/** The visible range in Unix ms; both ends lie on whole columns. */
export type TimeWindow = {
  readonly fromMs: number
  readonly toMs: number
  /** False while the history is shorter than the range. */
  readonly whole: boolean
}

const floorTo = (stepMs: number, ms: number): number => Math.floor(ms / stepMs) * stepMs
const ceilTo = (stepMs: number, ms: number): number => Math.ceil(ms / stepMs) * stepMs

/** A shorter axis could not tell two seconds apart. A longer minimum would show unwatched time. */
const SHORTEST_MS = 2_000

/** Length of a live axis; a history shorter than the range limits it. */
export const liveSpanMs = (range: Range, nowMs: number, oldestMs: number): number =>
  Math.min(RANGE_MS[range], Math.max(SHORTEST_MS, nowMs - oldestMs))

/** The visible range of `view` at `nowMs`. A live range starts no earlier than the history. */
export function windowOf(view: TimeView, nowMs: number, oldestMs: number): TimeWindow {
  if (view.kind === 'still') {
    const columnMs = columnMsFor(view.toMs - view.fromMs)
    return { fromMs: floorTo(columnMs, view.fromMs), toMs: ceilTo(columnMs, view.toMs), whole: true }
  }
  const moveMs = moveMsFor(liveSpanMs(view.range, nowMs, oldestMs))
  const toMs = ceilTo(moveMs, nowMs)
  const wholeFromMs = toMs - RANGE_MS[view.range]
  const youngFromMs = floorTo(moveMs, Math.min(oldestMs, toMs - SHORTEST_MS))
  const fromMs = Math.max(wholeFromMs, youngFromMs)
  return { fromMs, toMs, whole: fromMs === wholeFromMs }
}

export const following = ({ range }: TimeView): TimeView => ({ kind: 'live', range })

export const held = (view: TimeView, { fromMs, toMs }: TimeWindow): TimeView =>
  view.kind === 'still' ? view : { kind: 'still', range: view.range, fromMs, toMs }

/** A fixed range from two ends in any order, clamped to the allowed length and to now. */
export function stretch({ range }: TimeView, oneMs: number, otherMs: number, nowMs: number): TimeView {
  const wantedMs = Math.abs(oneMs - otherMs)
  const spanMs = Math.min(SPAN_MAX_MS, Math.max(SPAN_MIN_MS, wantedMs))
  const middleMs = (oneMs + otherMs) / 2
  const toMs = Math.min(middleMs + spanMs / 2, Math.ceil(nowMs / 1_000) * 1_000)
  return { kind: 'still', range, fromMs: Math.round(toMs - spanMs), toMs: Math.round(toMs) }
}

/** Changes the range: up to now in a live view, otherwise around the middle of the visible range. */
export function ranged(view: TimeView, range: Range, window: TimeWindow, nowMs: number): TimeView {
  if (view.kind === 'live') return { kind: 'live', range }
  const middleMs = (window.fromMs + window.toMs) / 2
  const half = RANGE_MS[range] / 2
  if (middleMs + half >= nowMs) return { kind: 'live', range }
  return stretch({ kind: 'live', range }, middleMs - half, middleMs + half, nowMs)
}

/** Moves half a window back (-1) or forward (1). Reaching now resumes the live view if the length is that of a range. */
export function stepped(view: TimeView, direction: -1 | 1, window: TimeWindow, nowMs: number): TimeView {
  const spanMs = window.toMs - window.fromMs
  const toMs = window.toMs + (direction * spanMs) / 2
  if (toMs < nowMs) return { kind: 'still', range: view.range, fromMs: toMs - spanMs, toMs }
  return spanMs === RANGE_MS[view.range] ? following(view) : stretch(view, nowMs - spanMs, nowMs, nowMs)
}

/** The range with the window's length; undefined for other lengths. */
export const rangeOf = (view: TimeView, window: TimeWindow): Range | undefined =>
  view.kind === 'live' ? view.range : RANGES.find((range) => RANGE_MS[range] === window.toMs - window.fromMs)

const PARAMS = { range: 'range', from: 'from', to: 'to' } as const

/** Parses the URL and ignores invalid parts. */
export function viewFromAddress(params: URLSearchParams): TimeView {
  const range = RANGES.find((one) => one === params.get(PARAMS.range)) ?? RANGES[0]
  const fromMs = Date.parse(params.get(PARAMS.from) ?? '')
  const toMs = Date.parse(params.get(PARAMS.to) ?? '')
  const spanMs = toMs - fromMs
  if (!(spanMs >= SPAN_MIN_MS && spanMs <= SPAN_MAX_MS)) return { kind: 'live', range }
  return { kind: 'still', range, fromMs, toMs }
}

export function addressWith(params: URLSearchParams, view: TimeView): URLSearchParams {
  const next = new URLSearchParams(params)
  next.set(PARAMS.range, view.range)
  next.delete(PARAMS.from)
  next.delete(PARAMS.to)
  if (view.kind === 'still') {
    next.set(PARAMS.from, new Date(view.fromMs).toISOString())
    next.set(PARAMS.to, new Date(view.toMs).toISOString())
  }
  return next
}
