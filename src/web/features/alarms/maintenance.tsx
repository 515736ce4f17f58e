import type { Maintenance } from '#settings/schema.ts'
import { isOfServer } from '#settings/effective.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { formatClock, formatLongDay, zoneName, type Zone } from '#texts/format-time.ts'
import { formatSpan, NO_BREAK } from '#texts/format.ts'
import { EditedList, type FormOf } from './edited-list.tsx'
import { startText } from './maintenance-draft.ts'
import { MaintenanceForm } from './maintenance-form.tsx'
import { scopeName } from './scopes.ts'
import { freshId, useAlarmList } from './use-alarm-settings.ts'

const words = alarmRuleTexts.maintenance

export function MaintenanceWindows() {
  const list = useAlarmList('maintenance')
  const { effective, settings } = useConfiguration()
  const { fleet } = useDashboard()
  const nowMs = useWallNow() ?? 0
  const form: FormOf<Maintenance> = (id, window, acts) => (
    <MaintenanceForm key={id} id={id} window={window} nowMs={fleet.get().wallMs} {...acts} />
  )
  return (
    <EditedList
      words={words}
      {...list}
      fixed={effective.alarms.maintenance.filter(isOfServer)}
      fresh={freshId('window', list.items)}
      rowOf={({ when, scope, reason }) => ({
        text: words.sentence(whenText(when, nowMs, settings.display.timeZone), scopeName(scope, effective)),
        ...(reason !== '' && { note: words.reasonIs(reason) }),
      })}
      form={form}
      removedText={() => words.removed}
    />
  )
}

/** Always includes the date, because a window may lie in any year. */
function whenText(when: Maintenance['when'], nowMs: number, zone: Zone): string {
  if (when.kind === 'once') {
    const day = formatLongDay(when.fromMs, zone)
    const endDay = formatLongDay(when.toMs, zone)
    const end = formatClock(when.toMs, zone)
    const range = words.once(
      `${day} ${formatClock(when.fromMs, zone)}`,
      endDay === day ? end : `${endDay} ${end}`,
      zoneName(zone, when.fromMs, when.toMs),
    )
    if (when.toMs <= nowMs) return `${range}, ${words.past}`
    return when.fromMs <= nowMs ? `${range}, ${words.open}` : range
  }
  const days = when.days.map((day) => words.day[day] ?? '').join(', ')
  return words.weekly(
    days,
    startText(when.startMinute),
    zoneName(when.zone),
    formatSpan(when.minutes * 60_000).replaceAll(NO_BREAK, ' '),
  )
}
