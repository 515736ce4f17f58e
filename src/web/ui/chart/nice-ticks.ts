/** Round steps: 1, 2 or 5 times a power of ten. */
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

/** Round steps of a time in ms, from a second up; below it and from days on decimal ones are round. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
]

/** 1 s, 5 min or 2 d, and never 400 s. */
function timeStep(rough: number): number {
  if (rough <= SECOND / 2) return niceStep(rough)
  return TIME_STEPS.find((step) => step >= rough) ?? niceStep(rough / DAY) * DAY
}

/** More than this is never asked for; bounds the loop whatever the domain. */
const TICKS_MAX = 12

/** `ms`: written as times, which are round by seconds, minutes, hours and days. */
export type TickUnit = 'number' | 'ms'

/** Round values within the domain, at most `wanted` and a few more, lowest first. */
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
  // Counted, not compared: far from zero a step may be too small to change the value at all.
  for (let place = 0; place < TICKS_MAX; place++) {
    // Rounded before it is compared: three times 0.1 is more than 0.3.
    const tick = Number(((first + place) * step).toPrecision(12))
    if (tick >= low && tick <= high && tick !== ticks.at(-1)) ticks.push(tick)
  }
  return ticks
}
