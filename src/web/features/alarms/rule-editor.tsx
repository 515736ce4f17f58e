import { useState } from 'react'
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
import { optionsOf, Segmented } from '#ui/choices.tsx'
import { SearchSelect } from '#parts/search-select.tsx'
import { formFields } from '#ui/form-fields.tsx'
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
        options={optionsOf(words.ways)}
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

function RuleSentence({ draft, set, problems }: PartProps) {
  const { metrics } = useDashboard()
  const choice = choiceOf(draft, metrics)
  const has = choice && conditionFields(choice)
  const choose = (kind: string): void => {
    const chosen = choicesOf(metrics).find(({ metric, test }) => kindOf(metric.id, test) === kind)
    if (chosen !== undefined) set({ metric: chosen.metric.id, test: chosen.test, limit: '', deadband: '' })
  }
  const { scope, off: _, ...texts } = draft
  const { text, select } = formFields(texts, (name, value) => set({ [name]: value }))
  const number = (name: keyof typeof texts, label: string) =>
    text(name, label, { hideLabel: true, inputMode: 'decimal', error: fieldProblemText(problems[name]) })
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
        {has?.limit !== undefined && number('limit', limitLabel(choice))}
        {limitUnit(choice)}{' '}
        {has?.window !== undefined && (
          <>
            {has.limit !== undefined && sentence.over}
            {number('window', words.window)}
            {sentence.minutes}
          </>
        )}{' '}
        {sentence.in}
        {number('polls', words.raiseAfter)}
        {sentence.ofTheLast}
        {number('of', words.of)}
        {sentence.pollsFor}
        {number('lasting', words.lasting)}
        {sentence.seconds}, {sentence.on}
        <ScopeSelect value={scope} onChange={(next) => set({ scope: next })} />:
        {select('severity', words.severity, severityWords, { hideLabel: true })}
      </Sentence>
      <Sentence>
        {sentence.clears}
        {number('clearAfter', words.clearAfter)}
        {has?.deadband === undefined ? (
          sentence.goodPollsOnly
        ) : (
          <>
            {sentence.goodPolls}
            {number('deadband', words.deadband)}
            {limitUnit(choice)} {sentence.within}
          </>
        )}
        {number('keepFiring', words.keepFiring)}
        {sentence.seconds}
      </Sentence>
      {limitUnit(choice) === units.percent && (
        <PercentDoubt text={draft.limit} onChange={(limit) => set({ limit })} />
      )}
    </>
  )
}

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
