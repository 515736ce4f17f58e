import { useState } from 'react'
import { ALARM_SEVERITIES } from '#alarms/alarm.ts'
import { kindOf } from '#alarms/metric-values.ts'
import type { AlarmRule } from '#settings/alarm-settings.ts'
import type { FieldProblems } from '#settings/form-draft.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useFormChecks } from '#react/drafts.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { severityWords } from '#texts/en-alarms.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { Segmented } from '#ui/choices.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { FieldGrid, Stack } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import {
  choiceOf,
  type Choice,
  choicesOf,
  conditionFields,
  draftOfRule,
  NEW_RULE,
  ruleFrom,
  type RuleDraft,
} from './rule-draft.ts'
import { TryOut } from './rule-trial.tsx'
import { scopeKey, scopeName, scopesOf } from './scopes.ts'

const words = alarmRuleTexts.fields
const own = alarmRuleTexts.own

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
  const { metrics } = useDashboard()
  const [draft, setDraft] = useState<RuleDraft>(() =>
    rule === undefined ? NEW_RULE : draftOfRule(rule, metrics),
  )
  const form = useFormChecks(draft, setDraft, (fields) => ruleFrom(fields, id, metrics))
  const choose = (kind: string): void => {
    const chosen = choicesOf(metrics).find(({ metric, test }) => kindOf(metric.id, test) === kind)
    if (chosen !== undefined)
      form.change({ metric: chosen.metric.id, test: chosen.test, limit: '', deadband: '' })
  }
  const scopes = scopesOf(effective, draft.scope)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const typed = form.check()
        if (typed !== undefined) onSave(typed)
      }}
    >
      <Stack>
        <FieldGrid>
          <SelectField
            label={words.kind}
            value={kindOf(draft.metric, draft.test)}
            options={choicesOf(metrics).map(({ metric, test }) => {
              const kind = kindOf(metric.id, test)
              return { value: kind, label: alarmName(kind) }
            })}
            onChange={choose}
          />
          <SelectField
            label={words.scope}
            value={scopeKey(draft.scope)}
            options={scopes.map((scope) => ({ value: scopeKey(scope), label: scopeName(scope, effective) }))}
            onChange={(key) =>
              form.change({ scope: scopes.find((scope) => scopeKey(scope) === key) ?? draft.scope })
            }
          />
          <Numbers metrics={metrics} draft={draft} set={form.change} problems={form.problems} />
        </FieldGrid>
        <TextField
          label={words.todo}
          hint={words.todoHint}
          rows={2}
          maxLength={2_000}
          value={draft.todo}
          onChange={(todo) => form.change({ todo })}
        />
        <Flow>
          <Choices draft={draft} set={form.change} />
        </Flow>
        {/* What a trial said holds for the rule as it was then. */}
        <TryOut key={JSON.stringify(draft)} rule={form.check} />
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

type NumberField = 'limit' | 'window' | 'deadband' | 'polls' | 'of' | 'lasting' | 'clearAfter' | 'keepFiring'

type NumbersProps = { readonly metrics: MetricRegistry; readonly problems: FieldProblems<RuleDraft> }

/** Limits and timing; only what the condition has. */
function Numbers({ metrics, draft, set, problems }: PartProps & NumbersProps) {
  const choice = choiceOf(draft, metrics)
  const has = choice && conditionFields(choice)
  const fields: readonly (readonly [NumberField, string, string?])[] = [
    ...(has?.limit === undefined ? [] : [['limit', limitLabel(choice)] as const]),
    ...(has?.window === undefined ? [] : [['window', words.window] as const]),
    ...(has?.deadband === undefined ? [] : [['deadband', words.deadband, words.deadbandHint] as const]),
    ['polls', words.raiseAfter],
    ['of', words.of],
    ['lasting', words.lasting],
    ['clearAfter', words.clearAfter],
    ['keepFiring', words.keepFiring],
  ]
  return fields.map(([field, label, hint]) => (
    <TextField
      key={field}
      label={label}
      hint={hint}
      inputMode="decimal"
      value={draft[field]}
      onChange={(text) => set({ [field]: text })}
      error={fieldProblemText(problems[field])}
    />
  ))
}

const LIMIT_LABELS = new Map<string, (unit: string) => string>(Object.entries(words.limit))
const limitLabel = (choice: Choice | undefined): string =>
  (choice && LIMIT_LABELS.get(choice.test)?.(words.units[choice.metric.unit])) ?? ''

/** Its severity, and whether it is enabled. */
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
