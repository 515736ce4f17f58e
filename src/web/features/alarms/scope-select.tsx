import type { AlarmScope } from '#settings/schema.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { SearchSelect } from '#parts/search-select.tsx'
import { scopeKey, scopeName, scopesOf } from './scopes.ts'

type ScopeSelectProps = {
  readonly value: AlarmScope
  /** Absent: all. */
  readonly allowed?: readonly AlarmScope['for'][]
  readonly onChange: (scope: AlarmScope) => void
}

export function ScopeSelect({ value, allowed, onChange }: ScopeSelectProps) {
  const { effective } = useConfiguration()
  const scopes = scopesOf(effective, value).filter((scope) => allowed?.includes(scope.for) ?? true)
  return (
    <SearchSelect
      label={alarmRuleTexts.fields.scope}
      hideLabel
      value={scopeKey(value)}
      options={scopes.map((scope) => ({ value: scopeKey(scope), label: scopeName(scope, effective) }))}
      onChange={(key) => onChange(scopes.find((scope) => scopeKey(scope) === key) ?? value)}
    />
  )
}
