import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Maintenance } from '#settings/alarm-settings.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSay } from '#react/toasts.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { formatMoment, zoneName, type Zone } from '#texts/format-time.ts'
import { formatSpan } from '#texts/format.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { Stack } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { MaintenanceForm } from './maintenance-form.tsx'
import { scopeName } from './scopes.ts'
import { freshId, useAlarmSettings } from './use-alarm-settings.ts'

const words = alarmRuleTexts.maintenance

/** Times in which nobody is called: once, or every week. */
export function MaintenanceWindows() {
  const { alarms, problem, save } = useAlarmSettings()
  const { fleet } = useDashboard()
  const say = useSay()
  const [adding, setAdding] = useState(false)
  const remove = (window: Maintenance): void => {
    if (save((now) => ({ ...now, maintenance: now.maintenance.filter(({ id }) => id !== window.id) })))
      say(words.removed, () => save((now) => ({ ...now, maintenance: [...now.maintenance, window] })))
  }
  return (
    <Panel
      title={words.title}
      note={words.lead}
      actions={
        !adding && (
          <Button size="small" icon={<Plus className="i s" aria-hidden />} onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        )
      }
    >
      <Stack>
        {problem !== undefined && <p role="alert">{problem}</p>}
        {alarms.maintenance.length === 0 && !adding && (
          <Empty title={words.none.title}>{words.none.text}</Empty>
        )}
        {alarms.maintenance.map((window) => (
          <Flow key={window.id}>
            <Line window={window} />
            <Button size="small" look="quiet" onClick={() => remove(window)}>
              {alarmRuleTexts.own.remove}
            </Button>
          </Flow>
        ))}
        {adding && (
          <MaintenanceForm
            id={freshId('window', alarms.maintenance)}
            nowMs={fleet.get().wallMs}
            onSave={(window) => {
              if (save((now) => ({ ...now, maintenance: [...now.maintenance, window] }))) setAdding(false)
            }}
            onCancel={() => setAdding(false)}
          />
        )}
      </Stack>
    </Panel>
  )
}

function Line({ window }: { readonly window: Maintenance }) {
  const { effective, settings } = useConfiguration()
  const nowMs = useWallNow() ?? 0
  const { id, scope, reason, when } = window
  return (
    <Properties
      items={[
        {
          id,
          label: whenText(when, nowMs, settings.display.timeZone),
          value: (
            <>
              <VisibleText text={scopeName(scope, effective)} />
              {reason !== '' && (
                <>
                  {': '}
                  <VisibleText text={reason} />
                </>
              )}
            </>
          ),
        },
      ]}
    />
  )
}

function whenText(when: Maintenance['when'], nowMs: number, zone: Zone): string {
  if (when.kind === 'once') {
    const range = words.once(formatMoment(when.fromMs, nowMs, zone), formatMoment(when.toMs, nowMs, zone))
    if (when.toMs <= nowMs) return `${range}, ${words.past}`
    return when.fromMs <= nowMs ? `${range}, ${words.open}` : range
  }
  const two = (value: number): string => String(value).padStart(2, '0')
  const start = `${two(Math.floor(when.startMinute / 60))}:${two(when.startMinute % 60)}`
  const days = when.days.map((day) => words.day[day] ?? '').join(', ')
  return words.weekly(days, start, zoneName(when.zone), formatSpan(when.minutes * 60_000))
}
