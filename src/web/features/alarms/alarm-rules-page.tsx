import { PartBoundaries } from '#parts/part-boundary.tsx'
import { hrefOf, PATHS } from '#react/routes.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { PageHead } from '#ui/page.tsx'
import { BuiltInRules } from './built-in-rules.tsx'
import { MaintenanceWindows } from './maintenance.tsx'
import type { AlarmRule } from '#settings/schema.ts'
import { isOfServer } from '#settings/effective.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { Glyph } from '#ui/glyph.tsx'
import { EditedList, type FormOf } from './edited-list.tsx'
import { RuleEditor } from './rule-editor.tsx'
import { clearText, ruleText } from './rule-text.ts'
import { scopeName } from './scopes.ts'
import { freshId, useAlarmList } from './use-alarm-settings.ts'

const { own } = alarmRuleTexts

export const AlarmRulesPage = () => (
  <div className="page">
    <PageHead
      title={alarmRuleTexts.title}
      crumb={{ href: hrefOf(PATHS.alarms), label: alarmRuleTexts.back }}
    />
    <PartBoundaries>
      <OwnRules />
      <MaintenanceWindows />
      <BuiltInRules />
    </PartBoundaries>
  </div>
)

function OwnRules() {
  const list = useAlarmList('rules')
  const { effective } = useConfiguration()
  const { metrics } = useDashboard()
  const textOf = (rule: AlarmRule): string =>
    (rule.name === undefined ? '' : `${rule.name}: `) +
    ruleText(rule, scopeName(rule.scope, effective), metrics) +
    (rule.off ? `, ${own.off}` : '')
  const noteOf = (rule: AlarmRule): string =>
    clearText(rule, metrics) + (rule.todo === undefined ? '' : `. ${own.runbook(rule.todo)}`)
  const rowOf = (rule: AlarmRule) => ({
    text: textOf(rule),
    note: noteOf(rule),
    glyph: <Glyph kind={rule.severity} />,
  })
  const form: FormOf<AlarmRule> = (id, rule, acts) => <RuleEditor key={id} id={id} rule={rule} {...acts} />
  return (
    <EditedList
      words={own}
      {...list}
      fixed={effective.alarms.rules.filter(isOfServer)}
      fresh={freshId('rule', list.items)}
      rowOf={rowOf}
      form={form}
      removedText={(rule) => own.removed(textOf(rule))}
    />
  )
}
