import { TIMESTAMP_UNITS } from '#record/field.ts'
import type { Result } from '#base/result.ts'
import {
  amountField,
  choiceField,
  draftOf,
  linesField,
  listField,
  numberField,
  percentField,
  readFields,
  secondsField,
  textField,
  withWord,
  type DraftOf,
  type Field,
  type FieldProblems,
} from '#react/form-draft.ts'
import { RulePartsSchema, StatusWordsSchema, type Limits, type Rule } from '#settings/schema.ts'

export type RuleParts = Pick<Rule, 'units' | 'limits'>

/** In the period's field: detect the period, whatever a wider scope sets. */
export const DETECT = 'detect'

/** In a limit's field: no limit, whatever a wider scope sets. */
export const NO_LIMIT = 'none'

const limit = (field: Field<string>): Field<string> => withWord(NO_LIMIT, null, field)
const limitAt = (name: keyof Limits): string => `limits.${name}`

const FIELDS = {
  participation: choiceField('units.participation', ['detect', 'ratio', 'percent'], ''),
  stakeSymbol: textField('units.stakeSymbol'),
  stakeDecimals: numberField('units.stakeDecimals'),
  heartbeat: choiceField('units.heartbeat', ['detect', ...TIMESTAMP_UNITS], ''),
  heartbeatPeriod: withWord(DETECT, DETECT, secondsField('units.heartbeatPeriodMs')),
  statusWords: listField('units.statusWords', StatusWordsSchema),
  /** One per line. */
  extraFields: linesField('units.extraFields'),
  participationBelow: limit(percentField(limitAt('participationBelow'))),
  participationAbove: limit(percentField(limitAt('participationAbove'))),
  stakeBelow: limit(amountField(limitAt('stakeBelow'))),
  heartbeatWarning: limit(secondsField(limitAt('heartbeatWarningMs'))),
  heartbeatCritical: limit(secondsField(limitAt('heartbeatCriticalMs'))),
  answerTime: limit(secondsField(limitAt('answerTimeAboveMs'))),
}

/** Units and limits as form values. Empty: not set here. Times in seconds, participation in percent. */
export type RuleFields = DraftOf<typeof FIELDS>

export const ruleFieldsOf = (parts: RuleParts): RuleFields => draftOf(FIELDS, parts)

export const readRuleFields = (fields: RuleFields): Result<RuleParts, FieldProblems<RuleFields>> =>
  readFields(RulePartsSchema, FIELDS, fields)
