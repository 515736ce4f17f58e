import type { Maintenance } from '#settings/schema.ts'
import { isOfServer } from '#settings/effective.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSay } from '#react/toasts.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { formatClock, formatLongDay, zoneName, type Zone } from '#texts/format-time.ts'
import { formatSpan, NO_BREAK } from '#texts/format.ts'
import { EditedList, placed, putBack } from './edited-list.tsx'
import { MaintenanceForm } from './maintenance-form.tsx'
import { scopeName } from './scopes.ts'
import { freshId, useAlarmSettings } from './use-alarm-settings.ts'

const words = alarmRuleTexts.maintenance

export function MaintenanceWindows() {
  const { alarms, problem, save } = useAlarmSettings()
  const { effective, settings } = useConfiguration()
  const { fleet } = useDashboard()
  const nowMs = useWallNow() ?? 0
  const say = useSay()
  const form = (id: string, given: Maintenance | undefined, close: () => void) => (
    <MaintenanceForm
      key={id}
      id={id}
      window={given}
      nowMs={fleet.get().wallMs}
      onSave={(window) => {
        if (save((now) => ({ ...now, maintenance: placed(now.maintenance, window) }))) close()
      }}
      onCancel={close}
    />
  )
  return (
    <EditedList
      words={words}
      items={alarms.maintenance}
      fixed={effective.alarms.maintenance.filter(isOfServer)}
      fresh={freshId('window', alarms.maintenance)}
      problem={problem}
      rowOf={({ when, scope, reason }) => ({
        text: words.sentence(whenText(when, nowMs, settings.display.timeZone), scopeName(scope, effective)),
        ...(reason !== '' && { note: words.reasonIs(reason) }),
      })}
      form={form}
      onRemove={(window) => {
        if (save((now) => ({ ...now, maintenance: now.maintenance.filter(({ id }) => id !== window.id) })))
          say(words.removed, () =>
            save((now) => ({ ...now, maintenance: putBack(now.maintenance, window, alarms.maintenance) })),
          )
      }}
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
  const two = (value: number): string => String(value).padStart(2, '0')
  const start = `${two(Math.floor(when.startMinute / 60))}:${two(when.startMinute % 60)}`
  const days = when.days.map((day) => words.day[day] ?? '').join(', ')
  return words.weekly(
    days,
    start,
    zoneName(when.zone),
    formatSpan(when.minutes * 60_000).replaceAll(NO_BREAK, ' '),
  )
}
