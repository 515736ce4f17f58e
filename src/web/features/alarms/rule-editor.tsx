import { useState } from 'react'
import { ALARM_SEVERITIES } from '#alarms/alarm.ts'
import { kindOf } from '#alarms/metric-values.ts'
import type { AlarmRule } from '#settings/schema.ts'
import type { FieldProblems } from '#react/form-draft.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useFormChecks } from '#react/drafts.ts'
import { SaveRow } from '#parts/save.tsx'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { severityWords } from '#texts/en-alarms.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { unit as units, joined } from '#texts/format.ts'
import { Segmented } from '#ui/choices.tsx'
import { SearchSelect } from '#parts/search-select.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { Sentence } from '#ui/sentence.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { PercentDoubt } from '#parts/percent-doubt.tsx'
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
import { conditionWords } from './rule-text.ts'
import { ScopeSelect } from './scope-select.tsx'
import type { RuleTrial } from '#alarms/try-rule.ts'
import { useAct } from '#react/reads.ts'
import { Button } from '#ui/button.tsx'

const words = alarmRuleTexts.fields
const { own, sentence, trial } = alarmRuleTexts

type RuleEditorProps = {
  readonly rule?: AlarmRule | undefined
  readonly id: string
  readonly onSave: (rule: AlarmRule) => void
  readonly onCancel: () => void
}

export function RuleEditor({ rule, id, onSave, onCancel }: RuleEditorProps) {
  const { metrics } = useDashboard()
  const [draft, setDraft] = useState<RuleDraft>(() =>
    rule === undefined ? NEW_RULE : draftOfRule(rule, metrics),
  )
  const form = useFormChecks(draft, setDraft, (fields) => ruleFrom(fields, id, metrics))
  return (
    <Form onSubmit={() => form.submit(onSave)}>
      <RuleSentence draft={draft} set={form.change} problems={form.problems} />
      <TextField
        label={words.todo}
        hint={words.todoHint}
        rows={2}
        maxLength={2_000}
        value={draft.todo}
        onChange={(todo) => form.change({ todo })}
      />
      <Segmented
        legend={words.on}
        value={draft.off ? 'off' : 'on'}
        options={[
          { value: 'on', label: words.ways.on },
          { value: 'off', label: words.ways.off },
        ]}
        onChange={(way) => form.change({ off: way === 'off' })}
      />
      {/* The result of a trial applies only to the rule that was tried. */}
      <TryOut key={JSON.stringify(draft)} submit={form.submit} />
      <SaveRow label={own.save} onCancel={onCancel} />
    </Form>
  )
}

type PartProps = {
  readonly draft: RuleDraft
  readonly set: (part: Partial<RuleDraft>) => void
  readonly problems: FieldProblems<RuleDraft>
}

function RuleSentence(part: PartProps) {
  const { draft, set } = part
  const { metrics } = useDashboard()
  const choice = choiceOf(draft, metrics)
  const has = choice && conditionFields(choice)
  const choose = (kind: string): void => {
    const chosen = choicesOf(metrics).find(({ metric, test }) => kindOf(metric.id, test) === kind)
    if (chosen !== undefined) set({ metric: chosen.metric.id, test: chosen.test, limit: '', deadband: '' })
  }
  return (
    <>
      <Sentence>
        <SearchSelect
          label={words.kind}
          hideLabel
          value={kindOf(draft.metric, draft.test)}
          options={choicesOf(metrics).map(({ metric, test }) => ({
            value: kindOf(metric.id, test),
            label: conditionWords(test, metric),
          }))}
          onChange={choose}
        />
        {has?.limit !== undefined && <NumberField label={limitLabel(choice)} field="limit" {...part} />}
        {limitUnit(choice)}{' '}
        {has?.window !== undefined && (
          <>
            {has.limit !== undefined && sentence.over}
            <NumberField label={words.window} field="window" {...part} />
            {sentence.minutes}
          </>
        )}{' '}
        {sentence.in}
        <NumberField label={words.raiseAfter} field="polls" {...part} />
        {sentence.ofTheLast}
        <NumberField label={words.of} field="of" {...part} />
        {sentence.pollsFor}
        <NumberField label={words.lasting} field="lasting" {...part} />
        {sentence.seconds}, {sentence.on}
        <ScopeSelect value={draft.scope} onChange={(scope) => set({ scope })} />
        :
        <SelectField
          label={words.severity}
          hideLabel
          value={draft.severity}
          options={ALARM_SEVERITIES.map((value) => ({ value, label: severityWords[value] }))}
          onChange={(severity) => set({ severity })}
        />
      </Sentence>
      <Sentence>
        {sentence.clears}
        <NumberField label={words.clearAfter} field="clearAfter" {...part} />
        {has?.deadband === undefined ? (
          sentence.goodPollsOnly
        ) : (
          <>
            {sentence.goodPolls}
            <NumberField label={words.deadband} field="deadband" {...part} />
            {limitUnit(choice)} {sentence.within}
          </>
        )}
        <NumberField label={words.keepFiring} field="keepFiring" {...part} />
        {sentence.seconds}
      </Sentence>
      {limitUnit(choice) === units.percent && (
        <PercentDoubt text={part.draft.limit} onChange={(limit) => part.set({ limit })} />
      )}
    </>
  )
}

type NumberProps = PartProps & {
  readonly label: string
  readonly field: 'limit' | 'window' | 'deadband' | 'polls' | 'of' | 'lasting' | 'clearAfter' | 'keepFiring'
}

const NumberField = ({ label, field, draft, set, problems }: NumberProps) => (
  <TextField
    label={label}
    hideLabel
    inputMode="decimal"
    value={draft[field]}
    onChange={(text) => set({ [field]: text })}
    error={fieldProblemText(problems[field])}
  />
)

const LIMIT_LABELS = new Map<string, (unit: string) => string>(Object.entries(words.limit))
const limitLabel = (choice: Choice | undefined): string =>
  (choice && LIMIT_LABELS.get(choice.test)?.(words.units[choice.metric.unit])) ?? ''

function limitUnit(choice: Choice | undefined): string | undefined {
  switch (choice?.test) {
    case 'rate-below':
    case 'rate-above':
      return sentence.perHour
    case 'old':
    case 'unchanged':
      return sentence.minutes
    case 'below':
    case 'above':
    case 'p95-above':
      return { ratio: units.percent, ms: units.ms, amount: undefined, count: undefined, none: undefined }[
        choice.metric.unit
      ]
    default:
      return undefined
  }
}

const WEEK_MS = 7 * 86_400_000

/** `submit` passes on the edited rule. If a field is invalid, the fields show the problem instead. */
function TryOut({ submit }: { readonly submit: (onValid: (rule: AlarmRule) => void) => void }) {
  const { engine, fleet } = useDashboard()
  const { mutate, data, isPending, isError } = useAct({
    mutationFn: (rule: AlarmRule) => {
      const toMs = fleet.get().wallMs
      return engine.tryRule(rule, { fromMs: toMs - WEEK_MS, toMs })
    },
  })
  return (
    <div className="flow">
      <Button busy={isPending} onClick={() => submit((rule) => mutate(rule))}>
        {trial.button}
      </Button>
      <output className="text-12">{isError ? trial.failed : data && trialText(data)}</output>
    </div>
  )
}

function trialText({ raised, nodes, nodesInScope, answers, exact, possible }: RuleTrial): string {
  if (!possible) return trial.impossible
  if (answers === 0) return trial.nothingKnown
  return joined(' ', [
    trial.raised(raised),
    nodes < nodesInScope && trial.ofNodes(nodes, nodesInScope),
    !exact && trial.rollups,
  ])
}
