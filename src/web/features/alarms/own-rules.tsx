import type { AlarmRule } from '#settings/schema.ts'
import { isOfServer } from '#settings/effective.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { Glyph } from '#ui/glyph.tsx'
import { EditedList, type FormOf } from './edited-list.tsx'
import { RuleEditor } from './rule-editor.tsx'
import { clearText, ruleText } from './rule-text.ts'
import { scopeName } from './scopes.ts'
import { freshId, useAlarmList } from './use-alarm-settings.ts'

const words = alarmRuleTexts.own

export function OwnRules() {
  const list = useAlarmList('rules')
  const { effective } = useConfiguration()
  const { metrics } = useDashboard()
  const textOf = (rule: AlarmRule): string =>
    (rule.name === undefined ? '' : `${rule.name}: `) +
    ruleText(rule, scopeName(rule.scope, effective), metrics) +
    (rule.off ? `, ${words.off}` : '')
  const noteOf = (rule: AlarmRule): string =>
    clearText(rule, metrics) + (rule.todo === undefined ? '' : `. ${words.runbook(rule.todo)}`)
  const rowOf = (rule: AlarmRule) => ({
    text: textOf(rule),
    note: noteOf(rule),
    glyph: <Glyph kind={rule.severity} />,
  })
  const form: FormOf<AlarmRule> = (id, rule, acts) => <RuleEditor key={id} id={id} rule={rule} {...acts} />
  return (
    <EditedList
      words={words}
      {...list}
      fixed={effective.alarms.rules.filter(isOfServer)}
      fresh={freshId('rule', list.items)}
      rowOf={rowOf}
      form={form}
      removedText={(rule) => words.removed(textOf(rule))}
    />
  )
}
