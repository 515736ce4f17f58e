import { useState } from 'react'
import type { Maintenance } from '#settings/schema.ts'
import type { FieldProblems } from '#react/form-draft.ts'
import { useFormChecks } from '#react/drafts.ts'
import { SaveRow } from '#parts/save.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { zoneName } from '#texts/format-time.ts'
import { Chip } from '#ui/chip.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { Sentence } from '#ui/sentence.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
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
  const {
    problems,
    change: set,
    check,
  } = useFormChecks(draft, setDraft, (fields) => windowFrom(fields, id, zone))
  return (
    <Form
      onSubmit={() => {
        const typed = check()
        if (typed !== undefined) onSave(typed)
      }}
    >
      <Sentence>
        {words.silent}
        <SelectField
          label={words.when}
          hideLabel
          value={draft.kind}
          options={[
            { value: 'once', label: words.kinds.once },
            { value: 'weekly', label: words.kinds.weekly },
          ]}
          onChange={(kind) => set({ kind })}
        />
        {draft.kind === 'once' ? (
          <Once draft={draft} set={set} zone={zoneName(zone)} problems={problems} />
        ) : (
          <Weekly draft={draft} set={set} zone={zoneName(zone)} problems={problems} />
        )}{' '}
        {words.onWord}
        <ScopeSelect value={draft.scope} onChange={(scope) => set({ scope })} />
      </Sentence>
      <TextField
        label={words.reason}
        maxLength={500}
        value={draft.reason}
        onChange={(reason) => set({ reason })}
      />
      <SaveRow label={words.save} onCancel={onCancel} />
    </Form>
  )
}

type PartProps = {
  readonly draft: WindowDraft
  readonly set: (part: Partial<WindowDraft>) => void
  readonly zone: string
  readonly problems: FieldProblems<WindowDraft>
}

const Once = ({ draft, set, zone, problems: { from, to } }: PartProps) => (
  <>
    {words.fromWord}
    <TextField
      type="datetime-local"
      label={words.from(zone)}
      hideLabel
      value={draft.from}
      onChange={(text) => set({ from: text })}
    />
    {words.toWord}
    <TextField
      type="datetime-local"
      label={words.to(zone)}
      hideLabel
      value={draft.to}
      onChange={(text) => set({ to: text })}
      {...((from ?? to) && { error: words.wrongTimes })}
    />
    {zone}
  </>
)

const Weekly = ({ draft, set, zone, problems: { days, start, minutes } }: PartProps) => (
  <>
    <ToolGroup label={words.days}>
      {words.day.map((name, day) => (
        <Chip
          key={name}
          on={draft.days.includes(day)}
          onChange={(on) =>
            set({ days: on ? [...draft.days, day] : draft.days.filter((each) => each !== day) })
          }
        >
          {name}
        </Chip>
      ))}
    </ToolGroup>
    {words.at}
    <TextField
      label={words.start(zone)}
      hideLabel
      value={draft.start}
      onChange={(text) => set({ start: text })}
    />
    {zone} {words.for}
    <TextField
      label={words.minutes}
      hideLabel
      inputMode="numeric"
      value={draft.minutes}
      onChange={(text) => set({ minutes: text })}
      {...((days ?? start ?? minutes) && { error: words.wrongDays })}
    />
    {alarmRuleTexts.sentence.minutes}
  </>
)
