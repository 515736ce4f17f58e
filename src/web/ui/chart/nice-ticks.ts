import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'

/** 1, 2 or 5 times a power of ten. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const lead = rough / power
  const nice = lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10
  return nice * power
}

/** Round steps of time that divide a whole day, in ms. Decimal steps apply below a second and from a day on. */
export const TIME_STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
]

/** Returns steps such as 1 s, 5 min or 2 d, never 400 s. */
function timeStep(rough: number): number {
  if (rough <= 500) return niceStep(rough)
  return TIME_STEPS.find((step) => step >= rough) ?? niceStep(rough / DAY_MS) * DAY_MS
}

/** Bounds the loop for any domain; no caller requests more. */
const TICKS_MAX = 12

/** `ms` values are shown as durations, whose round steps are seconds, minutes, hours and days. */
export type TickUnit = 'number' | 'ms'

/** Round values within the domain, lowest first; may exceed `wanted` by a few. */
export function niceTicks(
  [low, high]: readonly [number, number],
  wanted: number,
  unit: TickUnit = 'number',
): readonly number[] {
  const span = high - low
  if (!(span > 0) || !Number.isFinite(span)) return [low]
  const step = (unit === 'ms' ? timeStep : niceStep)(span / wanted)
  const ticks: number[] = []
  const first = Math.ceil(low / step)
  // The loop counts because, far from zero, a step may be too small to change the value.
  for (let place = 0; place < TICKS_MAX; place++) {
    // Rounded before the comparison, because 3 × 0.1 is greater than 0.3.
    const tick = Number(((first + place) * step).toPrecision(12))
    if (tick >= low && tick <= high && tick !== ticks.at(-1)) ticks.push(tick)
  }
  return ticks
}
