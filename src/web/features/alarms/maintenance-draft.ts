import { err, ok, type Result } from '#base/result.ts'
import { fromFieldText, toFieldText } from '#parts/calendar-time.ts'
import type { AlarmScope, Maintenance } from '#settings/alarm-settings.ts'
import type { Zone } from '#texts/format-time.ts'

/** A window as it is typed. */
export type WindowDraft = {
  readonly scope: AlarmScope
  readonly reason: string
  readonly kind: 'once' | 'weekly'
  /** Texts of date-and-time fields. */
  readonly from: string
  readonly to: string
  readonly days: readonly number[]
  /** "14:30". */
  readonly start: string
  readonly minutes: string
}

const HOUR_MS = 3_600_000

/** From the next whole hour on, for one hour. */
export function newWindow(nowMs: number, zone: Zone): WindowDraft {
  const fromMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  return {
    scope: { for: 'all' },
    reason: '',
    kind: 'once',
    from: toFieldText(fromMs, zone),
    to: toFieldText(fromMs + HOUR_MS, zone),
    days: [],
    start: '02:00',
    minutes: '60',
  }
}

const START = /^([01]?\d|2[0-3]):([0-5]\d)$/
const DAY_MINUTES = 1_440

export function windowFrom(
  { scope, reason, kind, from, to, days, start, minutes }: WindowDraft,
  id: string,
  zone: Zone,
): Result<Maintenance, 'times' | 'days'> {
  const about = { id, scope, reason: reason.trim() }
  if (kind === 'once') {
    const fromMs = fromFieldText(from, zone)
    const toMs = fromFieldText(to, zone)
    if (fromMs === undefined || toMs === undefined || toMs <= fromMs) return err('times')
    return ok({ ...about, when: { kind, fromMs, toMs } })
  }
  const [, hour, minute] = START.exec(start.trim()) ?? []
  const lasts = Number(minutes)
  const isPossible = Number.isInteger(lasts) && lasts >= 1 && lasts <= DAY_MINUTES
  if (hour === undefined || minute === undefined || days.length === 0 || !isPossible) return err('days')
  const startMinute = Number(hour) * 60 + Number(minute)
  return ok({
    ...about,
    when: { kind, days: days.toSorted((a, b) => a - b), startMinute, minutes: lasts, zone },
  })
}
