import { useEffect, useRef, useState } from 'react'
import { ALARM_SEVERITIES } from '#alarms/alarm.ts'
import { builtInKinds, scopesOf } from '#alarms/built-in-settings.ts'
import { SaveRow } from '#parts/save.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useFormChecks } from '#react/drafts.ts'
import { type BuiltInChange, BuiltInChangeSchema, type AlarmScope } from '#settings/schema.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { builtInTexts as words } from '#texts/en-built-in.ts'
import { severityWords } from '#texts/en-alarms.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { formatSpan } from '#texts/format.ts'
import { SearchSelect } from '#parts/search-select.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { Sentence } from '#ui/sentence.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { ScopeSelect } from './scope-select.tsx'
import type { Result } from '#base/result.ts'
import {
  choiceField,
  draftOf,
  readFields,
  secondsField,
  type DraftOf,
  type FieldProblems,
} from '#react/form-draft.ts'

const { fields, sentence } = alarmRuleTexts
const severities = { '': words.unchanged, ...severityWords }

type BuiltInFormProps = {
  /** The rule whose row was opened; absent: the operator chooses one. */
  readonly opened?: string | undefined
  /** Absent: a new change. */
  readonly change?: BuiltInChange | undefined
  readonly onSave: (change: BuiltInChange) => void
  readonly onCancel: () => void
}

export function BuiltInForm({ opened, change, onSave, onCancel }: BuiltInFormProps) {
  const { metrics } = useDashboard()
  const known = builtInKinds(metrics)
  const [firstKind] = known
  const [draft, setDraft] = useState<BuiltInDraft>(() =>
    change === undefined ? newBuiltInDraft(opened ?? firstKind ?? '') : draftOfChange(change),
  )
  const { scope, ...texts } = draft
  const form = useFormChecks(draft, setDraft, changeFrom)
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (opened !== undefined) element.current?.querySelector('select')?.focus()
  }, [opened])
  // A change from another version may name a rule that this version does not have.
  const kinds = new Set<string>([...known, draft.rule])
  const setRule = (next: string): void => {
    const isAllowed = scopesOf(next).includes(scope.for)
    form.change({ rule: next, ...(!isAllowed && { scope: newBuiltInDraft(next).scope }) })
  }
  const { text, select } = formFields(texts, (name, value) => form.change({ [name]: value }))
  return (
    <Form ref={element} onSubmit={() => form.submit(onSave)}>
      <Sentence>
        <SearchSelect
          label={words.rule}
          hideLabel
          value={draft.rule}
          options={Array.from(kinds, (kind) => ({ value: kind, label: alarmName(kind, metrics) }))}
          onChange={setRule}
        />
        {sentence.on}
        <ScopeSelect
          value={scope}
          allowed={scopesOf(draft.rule)}
          onChange={(next) => form.change({ scope: next })}
        />
        :{select('state', words.state, words.states, { hideLabel: true })}
        {draft.state === 'on' && (
          <>
            {words.severityWord}
            {select('severity', fields.severity, severities, { hideLabel: true })}
            {words.after}
            {text('delay', words.delay, {
              hideLabel: true,
              inputMode: 'decimal',
              error: fieldProblemText(form.problems.delay, formatSpan),
            })}
            {sentence.seconds}
          </>
        )}
      </Sentence>
      <p className="text-12 ink-3">{words.hint}</p>
      <p className="text-12 ink-3">{words.reach}</p>
      <SaveRow label={words.save} onCancel={onCancel} />
    </Form>
  )
}

const FIELDS = {
  severity: choiceField('severity', ALARM_SEVERITIES, ''),
  delay: secondsField('forMs'),
}

/** A change to a built-in rule as form values. An empty severity or delay stays the rule's own. */
type BuiltInDraft = DraftOf<typeof FIELDS> & {
  readonly rule: string
  readonly scope: AlarmScope
  readonly state: 'on' | 'off'
}

const newBuiltInDraft = (rule: string): BuiltInDraft => ({
  rule,
  scope: { for: 'all' },
  state: 'off',
  severity: '',
  delay: '',
})

const draftOfChange = (change: BuiltInChange): BuiltInDraft => ({
  rule: change.rule,
  scope: change.scope,
  state: change.off === true ? 'off' : 'on',
  ...draftOf(FIELDS, change),
})

/** A disabled rule has neither severity nor delay. */
function changeFrom(draft: BuiltInDraft): Result<BuiltInChange, FieldProblems<BuiltInDraft>> {
  const { rule, scope, state } = draft
  const off = state === 'off'
  return readFields(BuiltInChangeSchema, off ? {} : FIELDS, draft, { rule, scope, off })
}
