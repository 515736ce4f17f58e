/** 1, 2 or 5 times a power of ten. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const lead = rough / power
  const nice = lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10
  return nice * power
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Round steps of time, from one second up. Decimal steps apply below a second and from a day on. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
]

/** Returns steps such as 1 s, 5 min or 2 d, never 400 s. */
function timeStep(rough: number): number {
  if (rough <= SECOND / 2) return niceStep(rough)
  return TIME_STEPS.find((step) => step >= rough) ?? niceStep(rough / DAY) * DAY
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
