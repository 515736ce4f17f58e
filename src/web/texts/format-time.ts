import type { TimestampUnit } from '#record/field.ts'
import { unit } from './format.ts'

export type Zone = 'utc' | 'local'

const LOCALE = 'en-GB'
const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const day = { day: 'numeric', month: 'short' } as const
const longDay = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
const full = { ...clock, ...day, weekday: 'short', year: 'numeric', fractionalSecondDigits: 3 } as const

const formatsIn = (zone: Intl.DateTimeFormatOptions, zoneOfFull?: Intl.DateTimeFormatOptions) => ({
  clock: new Intl.DateTimeFormat(LOCALE, { ...clock, ...zone }),
  day: new Intl.DateTimeFormat(LOCALE, { ...day, ...zone }),
  longDay: new Intl.DateTimeFormat(LOCALE, { ...longDay, ...zone }),
  full: new Intl.DateTimeFormat(LOCALE, { ...full, ...zone, ...zoneOfFull }),
})
const FORMATS = { utc: formatsIn({ timeZone: 'UTC' }), local: formatsIn({}, { timeZoneName: 'short' }) }

/** The largest time a Date can hold. */
const LAST_MS = 8.64e15
const canBeShown = (wallMs: number): boolean => Math.abs(wallMs) <= LAST_MS

/** For example "14:02:35". `wallMs` is in Unix ms; invalid times give a dash. */
export const formatClock = (wallMs: number, zone: Zone): string =>
  canBeShown(wallMs) ? FORMATS[zone].clock.format(wallMs) : unit.none

/** For example "20 Nov". */
export const formatDay = (wallMs: number, zone: Zone): string =>
  canBeShown(wallMs) ? FORMATS[zone].day.format(wallMs) : unit.none

/** For example "Friday 20 November 2026". */
export const formatLongDay = (wallMs: number, zone: Zone): string =>
  canBeShown(wallMs) ? FORMATS[zone].longDay.format(wallMs) : unit.none

/** The time, with the date if it differs from that of `nowMs`: "13:56:23", "12 Nov 08:14:09". */
export function formatMoment(wallMs: number, nowMs: number, zone: Zone): string {
  if (!canBeShown(wallMs)) return unit.none
  const dayOf = formatDay(wallMs, zone)
  const time = formatClock(wallMs, zone)
  return dayOf === formatDay(nowMs, zone) ? time : `${dayOf} ${time}`
}

/** A moment for tooltips: UTC and local time to the millisecond, and Unix seconds. */
export const formatFullTime = (wallMs: number): string =>
  canBeShown(wallMs)
    ? [
        `${FORMATS.utc.full.format(wallMs)} ${unit.utc}`,
        FORMATS.local.full.format(wallMs),
        String(wallMs / 1_000),
      ].join('\n')
    : unit.none

/** One moment in each half of the year, because the zone name may change in summer. */
const HALF_YEARS = [Date.UTC(2026, 0), Date.UTC(2026, 6)]

/**
 * Name of the zone after a time: "UTC", or the local zone's short names at the given times in Unix ms: "CEST", "CEST/CET".
 * Without times, all its names in a year.
 */
export function zoneName(zone: Zone, ...instants: readonly number[]): string {
  if (zone === 'utc') return unit.utc
  const shown = instants.filter(canBeShown)
  return Array.from(new Set((shown.length === 0 ? HALF_YEARS : shown).map(localNameAt))).join('/')
}

const localNameAt = (wallMs: number): string =>
  new Intl.DateTimeFormat(LOCALE, { timeZoneName: 'short' })
    .formatToParts(wallMs)
    .find((part) => part.type === 'timeZoneName')?.value ?? ''

export const timestampUnitNames: Readonly<Record<TimestampUnit, string>> = {
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
}
