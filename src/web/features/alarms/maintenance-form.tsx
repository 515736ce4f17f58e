import { useState } from 'react'
import type { Maintenance } from '#settings/schema.ts'
import { useFormChecks } from '#react/drafts.ts'
import { SaveRow } from '#parts/save.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { zoneName } from '#texts/format-time.ts'
import { Chip } from '#ui/chip.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { Sentence } from '#ui/sentence.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { ToolGroup } from '#ui/toolbar.tsx'
import { draftOfWindow, newWindow, windowFrom, type WindowDraft } from './maintenance-draft.ts'
import { ScopeSelect } from './scope-select.tsx'

const words = alarmRuleTexts.maintenance

type MaintenanceFormProps = {
  readonly id: string
  readonly window?: Maintenance | undefined
  readonly nowMs: number
  readonly onSave: (window: Maintenance) => void
  readonly onCancel: () => void
}

export function MaintenanceForm({ id, window, nowMs, onSave, onCancel }: MaintenanceFormProps) {
  const { settings } = useConfiguration()
  const shownZone = settings.display.timeZone
  const [draft, setDraft] = useState<WindowDraft>(() =>
    window === undefined ? newWindow(nowMs, shownZone) : draftOfWindow(window, nowMs, shownZone),
  )
  // A weekly window keeps its own zone, because another zone would shift it.
  const zone = draft.kind === 'weekly' && window?.when.kind === 'weekly' ? window.when.zone : shownZone
  const zoneText = zoneName(zone)
  const form = useFormChecks(draft, setDraft, (typed) => windowFrom(typed, id, zone))
  const { problems, change: set } = form
  const { scope, days, ...texts } = draft
  const { text, select } = formFields(texts, (name, value) => set({ [name]: value }))
  return (
    <Form onSubmit={() => form.submit(onSave)}>
      <Sentence>
        {words.silent}
        {select('kind', words.when, words.kinds, { hideLabel: true })}
        {draft.kind === 'once' ? (
          <>
            {words.fromWord}
            {text('from', words.from(zoneText), { type: 'datetime-local', hideLabel: true })}
            {words.toWord}
            {text('to', words.to(zoneText), {
              type: 'datetime-local',
              hideLabel: true,
              error: (problems.from ?? problems.to) && words.wrongTimes,
            })}
            {zoneText}
          </>
        ) : (
          <>
            <Days days={days} onChange={(next) => set({ days: next })} />
            {words.at}
            {text('start', words.start(zoneText), { hideLabel: true })}
            {zoneText} {words.for}
            {text('minutes', words.minutes, {
              hideLabel: true,
              inputMode: 'numeric',
              error: (problems.days ?? problems.start ?? problems.minutes) && words.wrongDays,
            })}
            {alarmRuleTexts.sentence.minutes}
          </>
        )}{' '}
        {words.onWord}
        <ScopeSelect value={scope} onChange={(next) => set({ scope: next })} />
      </Sentence>
      {text('reason', words.reason, { maxLength: 500 })}
      <SaveRow label={words.save} onCancel={onCancel} />
    </Form>
  )
}

type DaysProps = {
  readonly days: WindowDraft['days']
  readonly onChange: (days: WindowDraft['days']) => void
}

const Days = ({ days, onChange }: DaysProps) => (
  <ToolGroup label={words.days}>
    {words.day.map((name, day) => (
      <Chip
        key={name}
        on={days.includes(day)}
        onChange={(on) => onChange(on ? [...days, day] : days.filter((each) => each !== day))}
      >
        {name}
      </Chip>
    ))}
  </ToolGroup>
)
