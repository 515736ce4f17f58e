import { isWeakened } from '#alarms/built-in-settings.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import type { BuiltInChange } from '#settings/schema.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { builtInTexts as words, changeSentence } from '#texts/en-built-in.ts'
import { LinkButton } from '#ui/button.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { BuiltInForm } from './built-in-form.tsx'
import { BuiltInTable } from './built-in-table.tsx'
import { EditedList, type FormOf } from './edited-list.tsx'
import { scopeKey, scopeName } from './scopes.ts'
import { useAlarmList } from './use-alarm-settings.ts'

const { defaults } = alarmRuleTexts

/** The id of no rule. */
const NEW = ''

/** The changes to built-in rules, and the rules themselves. A change is identified by its rule and scope. */
export function BuiltInRules() {
  const { metrics } = useDashboard()
  const { effective, server } = useConfiguration()
  const { items, problem, change: changeList } = useAlarmList('builtIn')
  const textOf = (change: BuiltInChange): string =>
    changeSentence(change, scopeName(change.scope, effective), metrics)
  const rowOf = ({ change }: Listed) => ({
    text: textOf(change),
    ...(isWeakened(change, metrics) && { note: words.canBeCritical }),
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
      words={{ ...words, title: defaults.title, lead: defaults.lead }}
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
      removedText={({ change }) => words.removed(textOf(change))}
    >
      {(edit) => <BuiltInTable changes={effective.alarms.builtIn} onOpen={edit} />}
    </EditedList>
  )
}

type Listed = { readonly id: string; readonly change: BuiltInChange }

const listed = (change: BuiltInChange): Listed => ({ id: `${change.rule} ${scopeKey(change.scope)}`, change })
