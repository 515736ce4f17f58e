import { useState } from 'react'
import { ALARM_SEVERITIES, OPERATOR_KINDS } from '#alarms/alarm.ts'
import type { AlarmRule } from '#settings/alarm-settings.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { severityWords } from '#texts/en-alarms.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid, Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import {
  draftOf,
  FIELDS,
  kindFromText,
  NEW_RULE,
  ruleFrom,
  type DraftField,
  type RuleDraft,
} from './rule-draft.ts'
import { TryOut } from './rule-trial.tsx'
import { scopeKey, scopeName, scopesOf } from './scopes.ts'

const words = alarmRuleTexts.fields
const own = alarmRuleTexts.own
const LIMITS: Readonly<Record<string, string>> = words.limit

type RuleEditorProps = {
  /** Absent: a new one. */
  readonly rule?: AlarmRule | undefined
  readonly id: string
  readonly onSave: (rule: AlarmRule) => void
  readonly onCancel: () => void
}

/** One rule of the operator's own. */
export function RuleEditor({ rule, id, onSave, onCancel }: RuleEditorProps) {
  const { effective } = useConfiguration()
  const [draft, setDraft] = useState<RuleDraft>(() => (rule === undefined ? NEW_RULE : draftOf(rule)))
  const [wrong, setWrong] = useState<readonly DraftField[]>([])
  const set = (part: Partial<RuleDraft>): void => setDraft({ ...draft, ...part })
  const read = (): AlarmRule | undefined => {
    const typed = ruleFrom(draft, id)
    setWrong(typed.ok ? [] : typed.error)
    return typed.ok ? typed.value : undefined
  }
  const scopes = scopesOf(effective, draft.scope)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const typed = read()
        if (typed !== undefined) onSave(typed)
      }}
    >
      <Stack>
        <FieldGrid>
          <SelectField
            label={words.kind}
            value={draft.kind}
            options={OPERATOR_KINDS.map((value) => ({ value, label: alarmName(value) }))}
            onChange={(kind) => set({ kind: kindFromText(kind), limit: '', deadband: '' })}
          />
          <SelectField
            label={words.scope}
            value={scopeKey(draft.scope)}
            options={scopes.map((scope) => ({ value: scopeKey(scope), label: scopeName(scope, effective) }))}
            onChange={(key) => set({ scope: scopes.find((scope) => scopeKey(scope) === key) ?? draft.scope })}
          />
          <Numbers draft={draft} set={set} wrong={wrong} />
        </FieldGrid>
        <TextField
          label={words.todo}
          hint={words.todoHint}
          rows={2}
          maxLength={2_000}
          value={draft.todo}
          onChange={(todo) => set({ todo })}
        />
        <Flow>
          <Choices draft={draft} set={set} />
        </Flow>
        {/* What a trial said holds for the rule as it was then. */}
        <TryOut key={JSON.stringify(draft)} rule={read} />
        <Flow>
          <Button look="primary" type="submit">
            {own.save}
          </Button>
          <Button look="quiet" onClick={onCancel}>
            {own.cancel}
          </Button>
        </Flow>
      </Stack>
    </form>
  )
}

type PartProps = { readonly draft: RuleDraft; readonly set: (part: Partial<RuleDraft>) => void }

type Wrong = { readonly wrong: readonly DraftField[] }

/** Limits and patience; only what the kind has. */
function Numbers({ draft, set, wrong }: PartProps & Wrong) {
  const has = FIELDS[draft.kind]
  const fields: readonly (readonly [DraftField, string, string?])[] = [
    ...(has.includes('limit') ? [['limit', LIMITS[draft.kind] ?? ''] as const] : []),
    ...(has.includes('window') ? [['windowMinutes', words.window] as const] : []),
    ...(has.includes('deadband') ? [['deadband', words.deadband, words.deadbandHint] as const] : []),
    ['bad', words.bad],
    ['of', words.of],
    ['holdSeconds', words.hold],
    ['calm', words.calm],
    ['keepSeconds', words.keep],
  ]
  return fields.map(([field, label, hint]) => (
    <TextField
      key={field}
      label={label}
      hint={hint}
      inputMode="decimal"
      value={draft[field]}
      onChange={(text) => set({ [field]: text })}
      {...(wrong.includes(field) && { error: alarmRuleTexts.wrong.number })}
    />
  ))
}

/** How loud it is, and whether it holds at all. */
const Choices = ({ draft, set }: PartProps) => (
  <>
    <Segmented
      legend={words.severity}
      value={draft.severity}
      options={ALARM_SEVERITIES.map((value) => ({ value, label: severityWords[value] }))}
      onChange={(severity) => set({ severity })}
    />
    <Segmented
      legend={words.on}
      value={draft.off ? 'off' : 'on'}
      options={[
        { value: 'on', label: words.ways.on },
        { value: 'off', label: words.ways.off },
      ]}
      onChange={(way) => set({ off: way === 'off' })}
    />
  </>
)
