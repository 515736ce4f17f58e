import { formatSpan } from '#texts/format.ts'

/** How much of the time axis is shown. The words also stand in the address. */
export const RANGES = ['15m', '1h', '6h', '24h'] as const
export type Range = (typeof RANGES)[number]

export const RANGE_MS: Readonly<Record<Range, number>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
}

/** Width of one threat bar: some 60 bars a range, each a whole number of minutes or the like. */
export const BAR_MS: Readonly<Record<Range, number>> = {
  '15m': 15_000,
  '1h': 60_000,
  '6h': 360_000,
  '24h': 1_800_000,
}

/** How often a live axis moves on by itself while nothing is answered: about two pixels. */
export const STEP_MS: Readonly<Record<Range, number>> = {
  '15m': 5_000,
  '1h': 10_000,
  '6h': 60_000,
  '24h': 120_000,
}

export const rangeFromText = (text: string | null): Range => RANGES.find((range) => range === text) ?? '15m'

export const rangeLabel = (range: Range): string => formatSpan(RANGE_MS[range])

/** The ranges worth offering: up to the first that holds the whole session, and the chosen one in any case. */
export function offeredRanges(sessionMs: number, chosen: Range): readonly Range[] {
  const enough = RANGES.findIndex((range) => RANGE_MS[range] >= sessionMs)
  const last = enough === -1 ? RANGES.length - 1 : enough
  return RANGES.filter((range, place) => place <= last || range === chosen)
}

/** Unix ms. `whole`: as long as the range; a young session fills the axis with what there is. */
export type TimeWindow = { readonly fromMs: number; readonly toMs: number; readonly whole: boolean }

/** A shorter axis than this would make every poll a landscape. */
const SHORTEST_MS = 60_000

/** `endMs` undefined: the window ends now. It begins with the session where that is younger than the range. */
export function windowOf(
  range: Range,
  endMs: number | undefined,
  wallMs: number,
  startedMs: number,
): TimeWindow {
  const toMs = endMs ?? wallMs
  const wholeFromMs = toMs - RANGE_MS[range]
  const fromMs = Math.max(wholeFromMs, Math.min(startedMs, toMs - SHORTEST_MS))
  return { fromMs, toMs, whole: fromMs === wholeFromMs }
}

/** The end of the window one step earlier, never before the session has filled half of it. */
export const earlierEnd = ({ toMs }: TimeWindow, range: Range): number => toMs - RANGE_MS[range] / 2

/** The end one step later; undefined once that is now: the window is live again. */
export function laterEnd({ toMs }: TimeWindow, range: Range, wallMs: number): number | undefined {
  const next = toMs + RANGE_MS[range] / 2
  return next >= wallMs ? undefined : next
}
