import { ALARM_SEVERITIES } from '#alarms/alarm.ts'
import type { Result } from '#base/result.ts'
import {
  choiceField,
  draftOf,
  readFields,
  secondsField,
  type DraftOf,
  type FieldProblems,
} from '#react/form-draft.ts'
import { BuiltInChangeSchema, type AlarmScope, type BuiltInChange } from '#settings/schema.ts'

const FIELDS = {
  severity: choiceField('severity', ALARM_SEVERITIES, ''),
  delay: secondsField('forMs'),
}

/** A change to a built-in rule as form values. An empty severity or delay stays the rule's own. */
export type BuiltInDraft = DraftOf<typeof FIELDS> & {
  readonly rule: string
  readonly scope: AlarmScope
  readonly state: 'on' | 'off'
}

export const newBuiltInDraft = (rule: string): BuiltInDraft => ({
  rule,
  scope: { for: 'all' },
  state: 'off',
  severity: '',
  delay: '',
})

export const draftOfChange = (change: BuiltInChange): BuiltInDraft => ({
  rule: change.rule,
  scope: change.scope,
  state: change.off === true ? 'off' : 'on',
  ...draftOf(FIELDS, change),
})

/** A disabled rule has neither severity nor delay. */
export function changeFrom(draft: BuiltInDraft): Result<BuiltInChange, FieldProblems<BuiltInDraft>> {
  const { rule, scope, state } = draft
  const off = state === 'off'
  return readFields(BuiltInChangeSchema, off ? {} : FIELDS, draft, { rule, scope, off })
}
