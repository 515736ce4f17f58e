import { decimate } from '#charts/decimate.ts'

/** 30 days with a sample every 10 s. */
export const STEP_MS = 10_000
/** Samples are off the full hour, as real polls are. */
const PHASE_MS = 3_700
export const SAMPLES = 259_200
export const FROM_MS = Date.UTC(2026, 9, 21)
/** One column per hour. */
export const COLUMNS = 720
export const COLUMN_MS = (SAMPLES / COLUMNS) * STEP_MS

/** Typical participation: a slow swing, noise and short drops. Deterministic. */
export function valueAt(place: number): number {
  const noise = ((Math.imul(place, 2_654_435_761) >>> 0) / 2 ** 32 - 0.5) * 0.004
  const fall = place % 7_919 < 9 ? 0.03 : 0
  return 0.98 + Math.sin(place / 9_000) * 0.006 + noise - fall
}

export type Series = { readonly atMs: Float64Array; readonly value: Float64Array }

/** Every sample of the month, and `more` samples after it. */
export function samples(more: number): Series {
  const count = SAMPLES + more
  const atMs = Float64Array.from({ length: count }, (_, place) => FROM_MS + PHASE_MS + place * STEP_MS)
  return { atMs, value: Float64Array.from(atMs, (_, place) => valueAt(place)) }
}

/** The range of the axis after `more` further samples. It moves by whole columns. */
export function axis(more: number): { readonly fromMs: number; readonly toMs: number } {
  const toMs = FROM_MS + Math.ceil(((SAMPLES + more) * STEP_MS) / COLUMN_MS) * COLUMN_MS
  return { fromMs: toMs - COLUMNS * COLUMN_MS, toMs }
}

/** The points that the engine's Worker sends to the page. */
export function reduced({ atMs, value }: Series, more: number): Series {
  const { fromMs, toMs } = axis(more)
  const start = atMs.findIndex((at) => at >= fromMs)
  const inRange = { atMs: atMs.subarray(start), value: value.subarray(start) }
  return decimate(inRange, { fromMs, toMs, count: COLUMNS }, () => STEP_MS * 3)
}
