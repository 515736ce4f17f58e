import { HOUR_MS } from '#base/time.ts'
import { err, ok, type Result } from '#base/result.ts'
import { fromFieldText, toFieldText } from '#parts/calendar-time.ts'
import { MaintenanceSchema, type AlarmScope, type Maintenance } from '#settings/schema.ts'
import {
  exactField,
  numberField,
  readFields,
  type FieldProblems,
  type Fields,
  type WrittenField,
} from '#react/form-draft.ts'
import type { Zone } from '#texts/format-time.ts'

export type WindowDraft = {
  readonly scope: AlarmScope
  readonly reason: string
  readonly kind: Maintenance['when']['kind']
  /** Values of `datetime-local` fields. */
  readonly from: string
  readonly to: string
  readonly days: readonly number[]
  /** For example "14:30". */
  readonly start: string
  readonly minutes: string
}

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

/**
 * A window as form values. Times of a one-off window are in the operator's zone, those of a weekly one in the window's own
 * zone.
 */
export function draftOfWindow(window: Maintenance, nowMs: number, zone: Zone): WindowDraft {
  const { scope, reason, when } = window
  const draft = { ...newWindow(nowMs, zone), scope, reason, kind: when.kind }
  if (when.kind === 'once')
    return { ...draft, from: toFieldText(when.fromMs, zone), to: toFieldText(when.toMs, zone) }
  return { ...draft, days: when.days, start: startText(when.startMinute), minutes: String(when.minutes) }
}

/** For example "14:30". */
export function startText(minuteOfDay: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}`
}

const written = <T>(at: string, read: (shown: T) => unknown): WrittenField<T> => ({
  at,
  read(shown) {
    const value = read(shown)
    return value === undefined ? err({ kind: 'empty' }) : ok(value)
  },
})

const START = /^([01]?\d|2[0-3]):([0-5]\d)$/
const minuteOf = (text: string): number | undefined => {
  const [, hour, minute] = START.exec(text.trim()) ?? []
  return hour === undefined ? undefined : Number(hour) * 60 + Number(minute)
}

const fieldsOf = (kind: WindowDraft['kind'], zone: Zone): Fields<WindowDraft> => ({
  reason: exactField('reason'),
  ...(kind === 'once'
    ? {
        from: written('when.fromMs', (text: string) => fromFieldText(text, zone)),
        to: written('when.toMs', (text: string) => fromFieldText(text, zone)),
      }
    : {
        days: written('when.days', (days: readonly number[]) => days.toSorted((a, b) => a - b)),
        start: written('when.startMinute', minuteOf),
        minutes: numberField('when.minutes', { required: true }),
      }),
})

export const windowFrom = (
  draft: WindowDraft,
  id: string,
  zone: Zone,
): Result<Maintenance, FieldProblems<WindowDraft>> => {
  const { kind, scope } = draft
  const when = { kind, ...(kind === 'weekly' && { zone }) }
  return readFields(MaintenanceSchema, fieldsOf(kind, zone), draft, { id, scope, when })
}
