import { useState } from 'react'
import type { Maintenance } from '#settings/alarm-settings.ts'
import type { FieldProblems } from '#settings/form-draft.ts'
import { useFormChecks } from '#react/drafts.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { zoneName } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { Chip } from '#ui/chip.tsx'
import { Flow } from '#ui/page.tsx'
import { Segmented } from '#ui/choices.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid, Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import { ToolGroup } from '#ui/data-table.tsx'
import { newWindow, windowFrom, type WindowDraft } from './maintenance-draft.ts'
import { scopeKey, scopeName, scopesOf } from './scopes.ts'

const words = alarmRuleTexts.maintenance

type MaintenanceFormProps = {
  readonly id: string
  readonly nowMs: number
  readonly onSave: (window: Maintenance) => void
  readonly onCancel: () => void
}

/** One window: once between two times, or on days of the week. */
export function MaintenanceForm({ id, nowMs, onSave, onCancel }: MaintenanceFormProps) {
  const { effective, settings } = useConfiguration()
  const zone = settings.display.timeZone
  const [draft, setDraft] = useState<WindowDraft>(() => newWindow(nowMs, zone))
  const {
    problems,
    change: set,
    check,
  } = useFormChecks(draft, setDraft, (fields) => windowFrom(fields, id, zone))
  const scopes = scopesOf(effective, draft.scope)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const window = check()
        if (window !== undefined) onSave(window)
      }}
    >
      <Stack>
        <FieldGrid>
          <SelectField
            label={alarmRuleTexts.fields.scope}
            value={scopeKey(draft.scope)}
            options={scopes.map((scope) => ({ value: scopeKey(scope), label: scopeName(scope, effective) }))}
            onChange={(key) => set({ scope: scopes.find((scope) => scopeKey(scope) === key) ?? draft.scope })}
          />
          <TextField
            label={words.reason}
            maxLength={500}
            value={draft.reason}
            onChange={(reason) => set({ reason })}
          />
        </FieldGrid>
        <Segmented
          legend={words.when}
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
        )}
        <Flow>
          <Button look="primary" type="submit">
            {words.save}
          </Button>
          <Button look="quiet" onClick={onCancel}>
            {alarmRuleTexts.own.cancel}
          </Button>
        </Flow>
      </Stack>
    </form>
  )
}

type PartProps = {
  readonly draft: WindowDraft
  readonly set: (part: Partial<WindowDraft>) => void
  readonly zone: string
  readonly problems: FieldProblems<WindowDraft>
}

const Once = ({ draft, set, zone, problems: { from, to } }: PartProps) => (
  <FieldGrid>
    <TextField
      type="datetime-local"
      label={words.from(zone)}
      value={draft.from}
      onChange={(text) => set({ from: text })}
    />
    <TextField
      type="datetime-local"
      label={words.to(zone)}
      value={draft.to}
      onChange={(text) => set({ to: text })}
      {...((from ?? to) && { error: words.wrongTimes })}
    />
  </FieldGrid>
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
    <FieldGrid>
      <TextField label={words.start(zone)} value={draft.start} onChange={(text) => set({ start: text })} />
      <TextField
        label={words.minutes}
        inputMode="numeric"
        value={draft.minutes}
        onChange={(text) => set({ minutes: text })}
        {...((days ?? start ?? minutes) && { error: words.wrongDays })}
      />
    </FieldGrid>
  </>
)
