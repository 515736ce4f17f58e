import type { AlarmRule } from '#settings/schema.ts'
import { isOfServer } from '#settings/effective.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSay } from '#react/toasts.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { Glyph } from '#ui/glyph.tsx'
import { EditedList, placed, putBack } from './edited-list.tsx'
import { RuleEditor } from './rule-editor.tsx'
import { clearText, ruleText } from './rule-text.ts'
import { scopeName } from './scopes.ts'
import { freshId, useAlarmSettings } from './use-alarm-settings.ts'

const words = alarmRuleTexts.own

export function OwnRules() {
  const { alarms, problem, save } = useAlarmSettings()
  const { effective } = useConfiguration()
  const { metrics } = useDashboard()
  const say = useSay()
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
  const form = (id: string, given: AlarmRule | undefined, close: () => void) => (
    <RuleEditor
      key={id}
      id={id}
      rule={given}
      onSave={(rule) => {
        if (save((now) => ({ ...now, rules: placed(now.rules, rule) }))) close()
      }}
      onCancel={close}
    />
  )
  return (
    <EditedList
      words={words}
      items={alarms.rules}
      fixed={effective.alarms.rules.filter(isOfServer)}
      fresh={freshId('rule', alarms.rules)}
      problem={problem}
      rowOf={rowOf}
      form={form}
      onRemove={(rule) => {
        if (save((now) => ({ ...now, rules: now.rules.filter(({ id }) => id !== rule.id) })))
          say(words.removed(textOf(rule)), () =>
            save((now) => ({ ...now, rules: putBack(now.rules, rule, alarms.rules) })),
          )
      }}
    />
  )
}
