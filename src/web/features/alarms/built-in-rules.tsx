import { isWeakened } from '#alarms/built-in-settings.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { useSay } from '#react/toasts.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import type { BuiltInChange } from '#settings/schema.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { builtInTexts as words, changeSentence } from '#texts/en-built-in.ts'
import { LinkButton } from '#ui/button.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { BuiltInForm } from './built-in-form.tsx'
import { BuiltInTable } from './built-in-table.tsx'
import { EditedList, putBack } from './edited-list.tsx'
import { scopeKey, scopeName } from './scopes.ts'
import { useAlarmSettings } from './use-alarm-settings.ts'

const { defaults } = alarmRuleTexts

/** The id of no rule. */
const NEW = ''

/** The changes to built-in rules, and the rules themselves. A change is identified by its rule and scope. */
export function BuiltInRules() {
  const { metrics } = useDashboard()
  const { effective, server } = useConfiguration()
  const { alarms, problem, save } = useAlarmSettings()
  const say = useSay()
  const textOf = (change: BuiltInChange): string =>
    changeSentence(change, scopeName(change.scope, effective), metrics)
  const saveList = (edit: (now: readonly Listed[]) => readonly Listed[]): boolean =>
    save((now) => ({ ...now, builtIn: edit(now.builtIn.map(listed)).map(({ change }) => change) }))
  const rowOf = ({ change }: Listed) => ({
    text: textOf(change),
    ...(isWeakened(change, metrics) && { note: words.canBeCritical }),
    glyph: <Glyph kind={change.off === true ? 'paused' : (change.severity ?? 'ok')} />,
  })
  const form = (id: string, given: Listed | undefined, close: () => void) => (
    <BuiltInForm
      key={id}
      opened={given === undefined && id !== NEW ? id : undefined}
      change={given?.change}
      onSave={(change) => {
        if (saveList((now) => replaced(now, id, change))) close()
      }}
      onCancel={close}
    />
  )
  return (
    <EditedList<Listed>
      words={{ ...words, title: defaults.title, lead: defaults.lead }}
      actions={
        <LinkButton size="small" look="quiet" href={hrefOf(`${SETTINGS_PATH}/units`)}>
          {defaults.setLimits}
        </LinkButton>
      }
      items={alarms.builtIn.map(listed)}
      fixed={(server.alarms?.builtIn ?? []).map(listed)}
      fresh={NEW}
      problem={problem}
      rowOf={rowOf}
      form={form}
      onRemove={(gone) => {
        if (saveList((now) => now.filter(({ id }) => id !== gone.id)))
          say(words.removed(textOf(gone.change)), () =>
            saveList((now) => putBack(now, gone, alarms.builtIn.map(listed))),
          )
      }}
    >
      {(edit) => <BuiltInTable changes={effective.alarms.builtIn} onOpen={edit} />}
    </EditedList>
  )
}

type Listed = { readonly id: string; readonly change: BuiltInChange }

const listed = (change: BuiltInChange): Listed => ({ id: `${change.rule} ${scopeKey(change.scope)}`, change })

/** Replaces the change of this id, and another one for the same rule and scope. */
function replaced(now: readonly Listed[], id: string, change: BuiltInChange): readonly Listed[] {
  const next = listed(change)
  const others = now.filter((each) => each.id === id || each.id !== next.id)
  const index = others.findIndex((each) => each.id === id)
  return index === -1 ? [...others, next] : others.with(index, next)
}
