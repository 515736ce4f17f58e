import type { Zone } from '#texts/format-time.ts'
import { midnight } from '#ui/chart/time-ticks.ts'

/** Value of a `datetime-local` field: "2026-11-20T14:02", with seconds if they are not zero. */
const FIELD = /^(\d{4,6})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?/u

const two = (value: number): string => String(value).padStart(2, '0')

/** Formats Unix ms for a `datetime-local` field in the zone, in whole seconds. */
export function toFieldText(wallMs: number, zone: Zone): string {
  const at = new Date(wallMs)
  const parts =
    zone === 'utc'
      ? [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes()]
      : [at.getFullYear(), at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes()]
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = parts
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`
}

/**
 * Parses a `datetime-local` value in the zone to Unix ms; undefined if invalid. A time that the spring clock change skips moves
 * one hour later; a time that occurs twice in autumn means the first.
 */
export function fromFieldText(text: string, zone: Zone): number | undefined {
  const match = FIELD.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  const wallMs =
    zone === 'utc'
      ? Date.UTC(year, month - 1, day, hour, minute, second)
      : new Date(year, month - 1, day, hour, minute, second).getTime()
  return Number.isNaN(wallMs) ? undefined : wallMs
}

/** The day `days` days from `wallMs`, midnight to midnight, which is 23 to 25 hours. */
export const dayAt = (wallMs: number, zone: Zone, days: number) => ({
  fromMs: midnight(wallMs, zone, days),
  toMs: midnight(wallMs, zone, days + 1),
})

export const rangeTexts = (range: { readonly fromMs: number; readonly toMs: number }, zone: Zone) => ({
  from: toFieldText(range.fromMs, zone),
  to: toFieldText(range.toMs, zone),
})
