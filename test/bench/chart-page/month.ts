import { decimate } from '#charts/decimate.ts'

/** 30 days, a sample each 10 s. */
export const STEP_MS = 10_000
/** Nothing is asked on the hour exactly. */
const PHASE_MS = 3_700
export const SAMPLES = 259_200
export const FROM_MS = Date.UTC(2026, 9, 21)
/** One column an hour. */
export const COLUMNS = 720
export const COLUMN_MS = (SAMPLES / COLUMNS) * STEP_MS

/** Participation as it is seen: a slow swing, noise, and short falls. The same each time. */
export function valueAt(place: number): number {
  const noise = ((Math.imul(place, 2_654_435_761) >>> 0) / 2 ** 32 - 0.5) * 0.004
  const fall = place % 7_919 < 9 ? 0.03 : 0
  return 0.98 + Math.sin(place / 9_000) * 0.006 + noise - fall
}

export type Series = { readonly atMs: Float64Array; readonly value: Float64Array }

/** The month and `more` samples beyond it, every one of them. */
export function samples(more: number): Series {
  const count = SAMPLES + more
  const atMs = Float64Array.from({ length: count }, (_, place) => FROM_MS + PHASE_MS + place * STEP_MS)
  return { atMs, value: Float64Array.from(atMs, (_, place) => valueAt(place)) }
}

/** Where the axis begins and ends once `more` samples have come: it moves by whole columns. */
export function axis(more: number): { readonly fromMs: number; readonly toMs: number } {
  const toMs = FROM_MS + Math.ceil(((SAMPLES + more) * STEP_MS) / COLUMN_MS) * COLUMN_MS
  return { fromMs: toMs - COLUMNS * COLUMN_MS, toMs }
}

/** What the engine's Worker hands to the page. */
export function reduced({ atMs, value }: Series, more: number): Series {
  const { fromMs, toMs } = axis(more)
  const start = atMs.findIndex((at) => at >= fromMs)
  return decimate(atMs, value, start, atMs.length, { fromMs, toMs, count: COLUMNS }, () => STEP_MS * 3)
}
