import { PartBoundaries } from '#parts/part-boundary.tsx'
import { hrefOf, PATHS } from '#react/routes.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { PageHead } from '#ui/page.tsx'
import type { AlarmRule, BuiltInChange, Maintenance } from '#settings/schema.ts'
import { isOfServer } from '#settings/effective.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { Glyph } from '#ui/glyph.tsx'
import { EditedList, type FormOf } from './edited-list.tsx'
import { RuleEditor } from './rule-editor.tsx'
import { clearText, ruleText } from './rule-text.ts'
import { scopeKey, scopeName } from './scopes.ts'
import { freshId, useAlarmList } from './use-alarm-settings.ts'
import { useWallNow } from '#react/ticking.tsx'
import { formatClock, formatLongDay, type Zone, zoneName } from '#texts/format-time.ts'
import { formatSpan, NO_BREAK } from '#texts/format.ts'
import { startText } from './maintenance-draft.ts'
import { MaintenanceForm } from './maintenance-form.tsx'
import { isWeakened } from '#alarms/built-in-settings.ts'
import { builtInTexts, changeSentence } from '#texts/en-built-in.ts'
import { LinkButton } from '#ui/button.tsx'
import { BuiltInForm } from './built-in-form.tsx'
import { BuiltInTable } from './built-in-table.tsx'

const { own, maintenance, defaults } = alarmRuleTexts

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

function MaintenanceWindows() {
  const list = useAlarmList('maintenance')
  const { effective, settings } = useConfiguration()
  const { fleet } = useDashboard()
  const nowMs = useWallNow() ?? 0
  const form: FormOf<Maintenance> = (id, window, acts) => (
    <MaintenanceForm key={id} id={id} window={window} nowMs={fleet.get().wallMs} {...acts} />
  )
  return (
    <EditedList
      words={maintenance}
      {...list}
      fixed={effective.alarms.maintenance.filter(isOfServer)}
      fresh={freshId('window', list.items)}
      rowOf={({ when, scope, reason }) => ({
        text: maintenance.sentence(
          whenText(when, nowMs, settings.display.timeZone),
          scopeName(scope, effective),
        ),
        ...(reason !== '' && { note: maintenance.reasonIs(reason) }),
      })}
      form={form}
      removedText={() => maintenance.removed}
    />
  )
}

/** Always includes the date, because a window may lie in any year. */
function whenText(when: Maintenance['when'], nowMs: number, zone: Zone): string {
  if (when.kind === 'once') {
    const day = formatLongDay(when.fromMs, zone)
    const endDay = formatLongDay(when.toMs, zone)
    const end = formatClock(when.toMs, zone)
    const range = maintenance.once(
      `${day} ${formatClock(when.fromMs, zone)}`,
      endDay === day ? end : `${endDay} ${end}`,
      zoneName(zone, when.fromMs, when.toMs),
    )
    if (when.toMs <= nowMs) return `${range}, ${maintenance.past}`
    return when.fromMs <= nowMs ? `${range}, ${maintenance.open}` : range
  }
  const days = when.days.map((day) => maintenance.day[day] ?? '').join(', ')
  return maintenance.weekly(
    days,
    startText(when.startMinute),
    zoneName(when.zone),
    formatSpan(when.minutes * 60_000).replaceAll(NO_BREAK, ' '),
  )
}

/** The id of no rule. */
const NEW = ''

/** The changes to built-in rules, and the rules themselves. A change is identified by its rule and scope. */
function BuiltInRules() {
  const { metrics } = useDashboard()
  const { effective, server } = useConfiguration()
  const { items, problem, change: changeList } = useAlarmList('builtIn')
  const textOf = (change: BuiltInChange): string =>
    changeSentence(change, scopeName(change.scope, effective), metrics)
  const rowOf = ({ change }: Listed) => ({
    text: textOf(change),
    ...(isWeakened(change, metrics) && { note: builtInTexts.canBeCritical }),
    glyph: <Glyph kind={change.off === true ? 'paused' : (change.severity ?? 'ok')} />,
  })
  const form: FormOf<Listed> = (id, given, { onSave, onCancel }) => (
    <BuiltInForm
      key={id}
      opened={given === undefined && id !== NEW ? id : undefined}
      change={given?.change}
      onSave={(change) => onSave(listed(change))}
      onCancel={onCancel}
    />
  )
  return (
    <EditedList<Listed>
      words={{ ...builtInTexts, title: defaults.title, lead: defaults.lead }}
      actions={
        <LinkButton size="small" look="quiet" href={hrefOf(`${PATHS.settings}/units`)}>
          {defaults.setLimits}
        </LinkButton>
      }
      items={items.map(listed)}
      fixed={(server.alarms?.builtIn ?? []).map(listed)}
      fresh={NEW}
      problem={problem}
      change={(edit) => changeList((now) => edit(now.map(listed)).map(({ change }) => change))}
      rowOf={rowOf}
      form={form}
      removedText={({ change }) => builtInTexts.removed(textOf(change))}
    >
      {(edit) => <BuiltInTable changes={effective.alarms.builtIn} onOpen={edit} />}
    </EditedList>
  )
}

type Listed = { readonly id: string; readonly change: BuiltInChange }

const listed = (change: BuiltInChange): Listed => ({ id: `${change.rule} ${scopeKey(change.scope)}`, change })
