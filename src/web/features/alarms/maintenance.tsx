import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Maintenance } from '#settings/alarm-settings.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSay } from '#react/toasts.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { formatClock, formatLongDay, zoneName, type Zone } from '#texts/format-time.ts'
import { formatSpan, NO_BREAK } from '#texts/format.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Panel } from '#ui/panel.tsx'
import { SentenceRow } from '#ui/sentence.tsx'
import { Stack } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { MaintenanceForm } from './maintenance-form.tsx'
import { scopeName } from './scopes.ts'
import { freshId, useAlarmSettings } from './use-alarm-settings.ts'

const words = alarmRuleTexts.maintenance

/** A reason may be as long as a page; here stands its beginning. */
const CHARS_MAX = 300

/** Times in which nobody is called: once, or every week. */
export function MaintenanceWindows() {
  const { alarms, problem, save } = useAlarmSettings()
  const { fleet } = useDashboard()
  const say = useSay()
  // The id of the window that is edited; a fresh one is that of a new window.
  const [editing, setEditing] = useState<string>()
  const fresh = freshId('window', alarms.maintenance)
  const put = (window: Maintenance): void => {
    const isSaved = save((now) => {
      const place = now.maintenance.findIndex(({ id }) => id === window.id)
      const maintenance = place === -1 ? [...now.maintenance, window] : now.maintenance.with(place, window)
      return { ...now, maintenance }
    })
    if (isSaved) setEditing(undefined)
  }
  const form = (id: string, window?: Maintenance) => (
    <MaintenanceForm
      key={id}
      id={id}
      window={window}
      nowMs={fleet.get().wallMs}
      onSave={put}
      onCancel={() => setEditing(undefined)}
    />
  )
  const remove = (window: Maintenance): void => {
    if (save((now) => ({ ...now, maintenance: now.maintenance.filter(({ id }) => id !== window.id) })))
      say(words.removed, () => save((now) => ({ ...now, maintenance: [...now.maintenance, window] })))
  }
  return (
    <Panel
      title={words.title}
      note={words.lead}
      actions={
        editing === undefined && (
          <Button size="small" icon={<Plus className="i s" aria-hidden />} onClick={() => setEditing(fresh)}>
            {words.add}
          </Button>
        )
      }
    >
      <Stack>
        {problem !== undefined && <p role="alert">{problem}</p>}
        {alarms.maintenance.length === 0 && editing === undefined && (
          <Empty title={words.none.title}>{words.none.text}</Empty>
        )}
        {alarms.maintenance.map((window) =>
          window.id === editing ? (
            form(window.id, window)
          ) : (
            <WindowRow
              key={window.id}
              window={window}
              onEdit={() => setEditing(window.id)}
              onRemove={() => remove(window)}
            />
          ),
        )}
        {editing === fresh && form(fresh)}
      </Stack>
    </Panel>
  )
}

type WindowRowProps = {
  readonly window: Maintenance
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function WindowRow({ window: { when, scope, reason }, onEdit, onRemove }: WindowRowProps) {
  const { effective, settings } = useConfiguration()
  const nowMs = useWallNow() ?? 0
  const text = words.sentence(whenText(when, nowMs, settings.display.timeZone), scopeName(scope, effective))
  return (
    <SentenceRow
      text={<VisibleText text={text} charsMax={CHARS_MAX} />}
      {...(reason !== '' && { note: <VisibleText text={words.reasonIs(reason)} charsMax={CHARS_MAX} /> })}
      actions={
        <>
          <Button size="small" onClick={onEdit}>
            {alarmRuleTexts.own.edit}
          </Button>
          <Button size="small" look="quiet" onClick={onRemove}>
            {alarmRuleTexts.own.remove}
          </Button>
        </>
      }
    />
  )
}

/** With its date, always: a window may lie in any year. */
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
