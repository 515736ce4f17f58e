import { ruleKey, type RuleScope } from '#settings/settings-changes.ts'
import { createDrafts, useFormChecks } from '#react/drafts.ts'
import { ruleTexts as words } from '#texts/en-rules.ts'
import { Panel } from '#ui/panel.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { readRuleFields, ruleFieldsOf, type RuleFields, type RuleParts } from './rule-fields.ts'
import { LimitInputs, UnitInputs } from './rule-inputs.tsx'
import { useInForce } from './use-in-force.ts'
import { SaveRow, type Saved } from '#features/settings/save.tsx'
import { WordFields } from './word-fields.tsx'

type RuleFormProps = {
  readonly scope: RuleScope
  readonly title: string
  readonly set: RuleParts
  readonly saved: Saved | undefined
  /** False when it could not be kept; then the form stays as it is. */
  readonly onSave: (parts: RuleParts) => boolean
}

const useRuleDraft = createDrafts<RuleFields>()

/** Everything that can be set for one scope; under each field what is in force, and where that comes from. */
export function RuleForm({ scope, title, set, saved, onSave }: RuleFormProps) {
  const [draft, setDraft] = useRuleDraft(ruleKey(scope))
  const fields = draft ?? ruleFieldsOf(set)
  const { problems, change, check, forget } = useFormChecks(fields, setDraft, readRuleFields)
  const { settings, statuses, extraFields, heartbeatUnit } = useInForce(scope)
  const submit = (): void => {
    const parts = check()
    if (parts !== undefined && onSave(parts)) setDraft(undefined)
  }
  const discard = (): void => {
    setDraft(undefined)
    forget()
  }
  const shared = { fields, problems, settings, onChange: change }
  return (
    <Panel title={title}>
      <Form onSubmit={submit}>
        <h3>{words.units}</h3>
        <UnitInputs {...shared} seen={extraFields} heartbeatUnit={heartbeatUnit} />
        <WordFields
          words={fields.statusWords}
          seen={statuses}
          inForce={settings?.statusWords}
          onChange={(statusWords) => change({ statusWords })}
        />
        <h3>{words.limits}</h3>
        <p className="t12 ink3">{words.limitsHint}</p>
        <LimitInputs {...shared} />
        <SaveRow onDiscard={draft && discard} saved={saved} />
      </Form>
    </Panel>
  )
}
