import { MINUTE_MS } from '#base/time.ts'
import { ALARM_SEVERITIES, type AlarmSeverity } from '#alarms/alarm.ts'
import { testsOf } from '#alarms/metric-conditions.ts'
import { err, type Result } from '#base/result.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { AlarmRuleSchema, type AlarmCondition, type AlarmRule, type AlarmScope } from '#settings/schema.ts'
import {
  amountField,
  choiceField,
  draftOf,
  numberField,
  percentField,
  readFields,
  secondsField,
  textField,
  type Field,
  type FieldProblems,
} from '#react/form-draft.ts'

type Test = AlarmCondition['test']

/** A rule as form values; numbers are text in the form's units. */
export type RuleDraft = {
  readonly metric: string
  readonly test: Test
  readonly scope: AlarmScope
  readonly severity: AlarmSeverity
  readonly off: boolean
  readonly limit: string
  readonly window: string
  readonly deadband: string
  readonly polls: string
  readonly of: string
  readonly lasting: string
  readonly clearAfter: string
  readonly keepFiring: string
  readonly todo: string
  /** Set only by an imported file; stored, but not edited here. */
  readonly name: string
}

export const NEW_RULE: RuleDraft = {
  metric: 'participation',
  test: 'below',
  scope: { for: 'all' },
  severity: 'warning',
  off: false,
  limit: '',
  window: '60',
  deadband: '',
  polls: '2',
  of: '2',
  lasting: '0',
  clearAfter: '2',
  keepFiring: '0',
  todo: '',
  name: '',
}

export type Choice = { readonly metric: Metric; readonly test: Test }

export const choicesOf = (registry: MetricRegistry): readonly Choice[] =>
  registry.flatMap((metric) => testsOf(metric.kind).map((test) => ({ metric, test })))

export const choiceOf = (
  { metric, test }: Pick<RuleDraft, 'metric' | 'test'>,
  registry: MetricRegistry,
): Choice | undefined => choicesOf(registry).find((each) => each.metric.id === metric && each.test === test)

function inUnitOf({ exact, unit }: Metric, at: string, required: boolean): Field<string> {
  if (exact === true) return amountField(at, { required })
  if (unit !== 'ratio') return numberField(at, { required })
  const field = percentField(at, { required })
  return {
    ...field,
    read(shown) {
      const read = field.read(shown)
      return read.ok && Number(read.value) > 1 ? err({ kind: 'not-a-percentage' }) : read
    },
  }
}

type ConditionFields = { readonly [K in 'limit' | 'window' | 'deadband']?: Field<string> }

const LIMIT = 'condition.limit'
const DEADBAND = 'condition.deadband'
const minutes = (at: string): Field<string> =>
  numberField(at, { scale: MINUTE_MS, rounded: true, required: true })

export function conditionFields({ metric, test }: Choice): ConditionFields {
  switch (test) {
    case 'below':
    case 'above':
      return { limit: inUnitOf(metric, LIMIT, true), deadband: inUnitOf(metric, DEADBAND, false) }
    case 'p95-above':
      return {
        limit: inUnitOf(metric, LIMIT, true),
        window: minutes('condition.windowMs'),
        deadband: inUnitOf(metric, DEADBAND, false),
      }
    case 'rate-below':
    case 'rate-above':
      return {
        limit: numberField(LIMIT, { required: true }),
        window: minutes('condition.windowMs'),
        deadband: numberField(DEADBAND),
      }
    case 'old':
    case 'unchanged':
      return { limit: minutes(LIMIT) }
    case 'stuck':
      return { window: minutes('condition.windowMs') }
    case 'changed':
    case 'wrong':
      return {}
  }
}

const fieldsOf = (choice: Choice | undefined) => ({
  ...(choice && conditionFields(choice)),
  severity: choiceField('severity', ALARM_SEVERITIES),
  polls: numberField('raiseAfter.polls', { required: true }),
  of: numberField('raiseAfter.of', { required: true }),
  lasting: secondsField('forMs', { required: true }),
  clearAfter: numberField('clearAfter', { required: true }),
  keepFiring: secondsField('keepFiringForMs', { required: true }),
  todo: textField('todo'),
  name: textField('name'),
})

export function draftOfRule(rule: AlarmRule, registry: MetricRegistry): RuleDraft {
  const { condition, scope, off } = rule
  const { metric, test } = condition
  const fields = fieldsOf(choiceOf({ metric, test }, registry))
  return { ...NEW_RULE, metric, test, scope, off, ...draftOf(fields, rule) }
}

export const ruleFrom = (
  draft: RuleDraft,
  id: string,
  registry: MetricRegistry,
): Result<AlarmRule, FieldProblems<RuleDraft>> => {
  const { metric, test, scope, off } = draft
  const base = { id, off, scope, condition: { metric, test } }
  return readFields(AlarmRuleSchema, fieldsOf(choiceOf(draft, registry)), draft, base)
}
