import { ALARM_SEVERITIES, type AlarmSeverity } from '#alarms/alarm.ts'
import type { Result } from '#base/result.ts'
import {
  choiceField,
  draftOf,
  readFields,
  secondsField,
  type FieldProblems,
  type Fields,
} from '#react/form-draft.ts'
import { BuiltInChangeSchema, type AlarmScope, type BuiltInChange } from '#settings/schema.ts'

/** A change to a built-in rule as form values. An empty severity or delay stays the rule's own. */
export type BuiltInDraft = {
  readonly rule: string
  readonly scope: AlarmScope
  readonly state: 'on' | 'off'
  readonly severity: AlarmSeverity | ''
  readonly delay: string
}

export const newBuiltInDraft = (rule: string): BuiltInDraft => ({
  rule,
  scope: { for: 'all' },
  state: 'off',
  severity: '',
  delay: '',
})

const FIELDS: Fields<BuiltInDraft> = {
  severity: choiceField('severity', ALARM_SEVERITIES, ''),
  delay: secondsField('forMs'),
}

export const draftOfChange = (change: BuiltInChange): BuiltInDraft =>
  draftOf(
    { ...newBuiltInDraft(change.rule), scope: change.scope, state: change.off === true ? 'off' : 'on' },
    FIELDS,
    change,
  )

/** A disabled rule has neither severity nor delay. */
export function changeFrom(draft: BuiltInDraft): Result<BuiltInChange, FieldProblems<BuiltInDraft>> {
  const { rule, scope, state } = draft
  const off = state === 'off'
  return readFields(BuiltInChangeSchema, off ? {} : FIELDS, draft, { rule, scope, off })
}
