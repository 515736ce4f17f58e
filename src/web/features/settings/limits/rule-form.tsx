import { useState } from 'react'
import type { Limits, Units } from '#settings/rules.ts'
import { ruleKey, type RuleScope } from '#settings/settings-changes.ts'
import { createDrafts } from '#react/drafts.ts'
import { ruleTexts as words } from '#texts/en-rules.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { Stack } from '#ui/settings-layout.tsx'
import { readRuleFields, ruleFieldsOf, type RuleFields, type RuleProblems } from './rule-fields.ts'
import { LimitInputs, UnitInputs } from './rule-inputs.tsx'
import { SavedNote } from '#features/settings/saved-note.tsx'
import { useInForce } from './use-in-force.ts'
import type { Saved } from '#features/settings/use-save.ts'
import { WordFields } from './word-fields.tsx'

type Parts = { readonly units: Units; readonly limits: Limits }

type RuleFormProps = {
  readonly scope: RuleScope
  readonly title: string
  readonly set: Parts
  readonly saved: Saved | undefined
  /** False when it could not be kept; then the form stays as it is. */
  readonly onSave: (parts: Parts) => boolean
}

const useRuleDraft = createDrafts<RuleFields>()

/** Everything that can be set for one scope; under each field what is in force, and where that comes from. */
export function RuleForm({ scope, title, set, saved, onSave }: RuleFormProps) {
  const [draft, setDraft] = useRuleDraft(ruleKey(scope))
  const fields = draft ?? ruleFieldsOf(set)
  const [problems, setProblems] = useState<RuleProblems>({})
  const { settings, statuses, extraFields, heartbeatUnit } = useInForce(scope)
  const change = (part: Partial<RuleFields>): void => {
    const next = { ...fields, ...part }
    setDraft(next)
    const read = readRuleFields(next)
    // A message goes as soon as its field is mended; a new one only comes with the next save.
    setProblems((shown) => (read.ok ? {} : stillWrong(shown, read.error)))
  }
  const submit = (): void => {
    const read = readRuleFields(fields)
    setProblems(read.ok ? {} : read.error)
    if (read.ok && onSave(read.value)) setDraft(undefined)
  }
  const discard = (): void => {
    setDraft(undefined)
    setProblems({})
  }
  const shared = { fields, problems, settings, onChange: change }
  return (
    <Panel title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack>
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
          <Flow>
            <Button type="submit" look="primary">
              {settingsTexts.save}
            </Button>
            {draft !== undefined && (
              <Button look="quiet" onClick={discard}>
                {settingsTexts.discard}
              </Button>
            )}
            <SavedNote saved={saved} />
          </Flow>
        </Stack>
      </form>
    </Panel>
  )
}

/** Of the messages in view, those whose field is still wrong, in today's words. */
const stillWrong = (shown: RuleProblems, now: RuleProblems): RuleProblems =>
  Object.fromEntries(Object.entries(now).filter(([name]) => Object.hasOwn(shown, name)))
