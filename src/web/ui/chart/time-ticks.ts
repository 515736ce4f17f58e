import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { TIME_STEPS } from './nice-ticks.ts'

export type TimeTick = {
  readonly atMs: number
  readonly isDate: boolean
}

type Zone = 'utc' | 'local'

const DAY_STEPS = [1, 2, 5, 10, 30, 90, 365]

/** Bounds every loop here for any range. */
const TICKS_MAX = 60

/** Midnight of the day of `atMs`, plus `days` days. Uses the calendar, because days have 23 to 25 hours. */
export function midnight(atMs: number, zone: Zone, days = 0): number {
  const date = new Date(atMs)
  return zone === 'utc'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + days)
    : new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime()
}

/** The given hour of the day that starts at `midnightMs`; undefined if a clock change skips it. */
function hourOf(midnightMs: number, zone: Zone, hour: number): number | undefined {
  if (zone === 'utc') return midnightMs + hour * HOUR_MS
  const day = new Date(midnightMs)
  const at = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour)
  return at.getHours() === hour ? at.getTime() : undefined
}

/**
 * Round moments within the range, at most `ticksMax`, by the zone's calendar. Midnight is included if any tick of its day is.
 */
export function timeTicks(fromMs: number, toMs: number, zone: Zone, ticksMax: number): readonly TimeTick[] {
  const span = toMs - fromMs
  if (!(span > 0) || !Number.isFinite(span)) return []
  const roomy = (stepMs: number) => span / stepMs <= Math.min(ticksMax, TICKS_MAX)
  const step = TIME_STEPS.find(roomy)
  if (step !== undefined)
    return step < HOUR_MS
      ? shortTicks(fromMs, toMs, zone, step)
      : dayTicks(fromMs, toMs, zone, 1, step / HOUR_MS)
  const days =
    DAY_STEPS.find((count) => roomy(count * DAY_MS)) ?? Math.ceil(span / DAY_MS / Math.max(1, ticksMax))
  return dayTicks(fromMs, toMs, zone, days, 24)
}

/** Steps of less than an hour are aligned to local time, so the zone's offset is removed before rounding. */
function shortTicks(fromMs: number, toMs: number, zone: Zone, stepMs: number): readonly TimeTick[] {
  const offsetMs = zone === 'utc' ? 0 : -new Date(fromMs).getTimezoneOffset() * MINUTE_MS
  const ticks: TimeTick[] = []
  const first = Math.ceil((fromMs + offsetMs) / stepMs) * stepMs - offsetMs
  for (let atMs = first; atMs <= toMs && ticks.length <= TICKS_MAX; atMs += stepMs)
    ticks.push({ atMs, isDate: midnight(atMs, zone) === atMs })
  return ticks
}

function dayTicks(
  fromMs: number,
  toMs: number,
  zone: Zone,
  stepDays: number,
  stepHours: number,
): readonly TimeTick[] {
  const ticks: TimeTick[] = []
  let day = midnight(fromMs, zone)
  while (day <= toMs && ticks.length <= TICKS_MAX) {
    for (let hour = 0; hour < 24; hour += stepHours) {
      const atMs = hourOf(day, zone, hour)
      if (atMs !== undefined && atMs >= fromMs && atMs <= toMs) ticks.push({ atMs, isDate: hour === 0 })
    }
    day = midnight(day, zone, stepDays)
  }
  return ticks
}
