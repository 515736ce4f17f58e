import { useState } from 'react'
import type { Maintenance } from '#settings/alarm-settings.ts'
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
  const [wrong, setWrong] = useState<'times' | 'days'>()
  const set = (part: Partial<WindowDraft>): void => setDraft({ ...draft, ...part })
  const scopes = scopesOf(effective, draft.scope)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const read = windowFrom(draft, id, zone)
        setWrong(read.ok ? undefined : read.error)
        if (read.ok) onSave(read.value)
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
          <Once draft={draft} set={set} zone={zoneName(zone)} wrong={wrong === 'times'} />
        ) : (
          <Weekly draft={draft} set={set} zone={zoneName(zone)} wrong={wrong === 'days'} />
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
  readonly wrong: boolean
}

const Once = ({ draft, set, zone, wrong }: PartProps) => (
  <FieldGrid>
    <TextField
      type="datetime-local"
      label={words.from(zone)}
      value={draft.from}
      onChange={(from) => set({ from })}
    />
    <TextField
      type="datetime-local"
      label={words.to(zone)}
      value={draft.to}
      onChange={(to) => set({ to })}
      {...(wrong && { error: words.wrongTimes })}
    />
  </FieldGrid>
)

const Weekly = ({ draft, set, zone, wrong }: PartProps) => (
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
      <TextField label={words.start(zone)} value={draft.start} onChange={(start) => set({ start })} />
      <TextField
        label={words.minutes}
        inputMode="numeric"
        value={draft.minutes}
        onChange={(minutes) => set({ minutes })}
        {...(wrong && { error: words.wrongDays })}
      />
    </FieldGrid>
  </>
)
