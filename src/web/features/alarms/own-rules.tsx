import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { AlarmRule } from '#settings/alarm-settings.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSay } from '#react/toasts.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { Panel } from '#ui/panel.tsx'
import { SentenceRow } from '#ui/sentence.tsx'
import { Stack } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { RuleEditor } from './rule-editor.tsx'
import { clearText, ruleText } from './rule-text.ts'
import { scopeName } from './scopes.ts'
import { freshId, useAlarmSettings } from './use-alarm-settings.ts'

const words = alarmRuleTexts.own

/** A runbook may be as long as a page; here stands its beginning. */
const CHARS_MAX = 300

/** Rules that the operator added: for a service, a tag or a node. */
export function OwnRules() {
  const { alarms, problem, save } = useAlarmSettings()
  const { effective } = useConfiguration()
  const { metrics } = useDashboard()
  const say = useSay()
  // The id of the rule that is edited; a fresh one is that of a new rule.
  const [editing, setEditing] = useState<string>()
  const fresh = freshId('rule', alarms.rules)
  const put = (rule: AlarmRule): void => {
    const isSaved = save((now) => {
      const place = now.rules.findIndex(({ id }) => id === rule.id)
      return { ...now, rules: place === -1 ? [...now.rules, rule] : now.rules.with(place, rule) }
    })
    if (isSaved) setEditing(undefined)
  }
  const remove = (rule: AlarmRule): void => {
    if (save((now) => ({ ...now, rules: now.rules.filter(({ id }) => id !== rule.id) })))
      say(words.removed(textOf(rule)), () => save((now) => ({ ...now, rules: [...now.rules, rule] })))
  }
  const textOf = (rule: AlarmRule): string =>
    (rule.name === undefined ? '' : `${rule.name}: `) +
    ruleText(rule, scopeName(rule.scope, effective), metrics) +
    (rule.off ? `, ${words.off}` : '')
  const noteOf = (rule: AlarmRule): string =>
    clearText(rule, metrics) + (rule.todo === undefined ? '' : `. ${words.runbook(rule.todo)}`)
  const editor = (id: string, rule?: AlarmRule) => (
    <RuleEditor key={id} id={id} rule={rule} onSave={put} onCancel={() => setEditing(undefined)} />
  )
  return (
    <Panel
      title={words.title}
      actions={
        editing === undefined && (
          <Button size="small" icon={<Plus className="i s" aria-hidden />} onClick={() => setEditing(fresh)}>
            {words.add}
          </Button>
        )
      }
    >
      <Stack>
        {problem !== undefined && <p role="alert">{problem}</p>}
        {alarms.rules.length === 0 && editing === undefined && (
          <Empty title={words.none.title}>{words.none.text}</Empty>
        )}
        {alarms.rules.map((rule) =>
          rule.id === editing ? (
            editor(rule.id, rule)
          ) : (
            <SentenceRow
              key={rule.id}
              glyph={<Glyph kind={rule.severity} />}
              text={<VisibleText text={textOf(rule)} charsMax={CHARS_MAX} />}
              note={<VisibleText text={noteOf(rule)} charsMax={CHARS_MAX} />}
              actions={
                <>
                  <Button size="small" onClick={() => setEditing(rule.id)}>
                    {words.edit}
                  </Button>
                  <Button size="small" look="quiet" onClick={() => remove(rule)}>
                    {words.remove}
                  </Button>
                </>
              }
            />
          ),
        )}
        {editing === fresh && editor(fresh)}
      </Stack>
    </Panel>
  )
}
