import type { Limits, Rule, StatusMeaning, Units } from './rules.ts'
import { ruleKey, type RuleScope } from './settings-changes.ts'
import type { Settings } from './settings.ts'

type Parts = { readonly units: Units; readonly limits: Limits }

const NOTHING_SET: Parts = { units: {}, limits: {} }

/** What the settings say for exactly this scope. */
export const ruleAt = (settings: Pick<Settings, 'rules'>, scope: RuleScope): Parts =>
  settings.rules.find((rule) => ruleKey(rule) === ruleKey(scope)) ?? NOTHING_SET

/** The settings with these units and limits for the scope; a rule that says nothing is taken out. */
export function withRule(settings: Settings, scope: RuleScope, { units, limits }: Parts): Settings {
  const key = ruleKey(scope)
  const rule: Rule = { ...scope, units, limits }
  const saysNothing = Object.keys(units).length + Object.keys(limits).length === 0
  const place = settings.rules.findIndex((each) => ruleKey(each) === key)
  const others = settings.rules.filter((each) => ruleKey(each) !== key)
  const at = place === -1 ? others.length : place
  return { ...settings, rules: saysNothing ? others : others.toSpliced(at, 0, rule) }
}

/** The settings in which a status word means this for every node of the service. */
export function withStatusWord(
  settings: Settings,
  service: string,
  word: string,
  means: StatusMeaning,
): Settings {
  const scope: RuleScope = { for: 'service', service }
  const { units, limits } = ruleAt(settings, scope)
  const others = (units.statusWords ?? []).filter((each) => each.word !== word)
  return withRule(settings, scope, { units: { ...units, statusWords: [...others, { word, means }] }, limits })
}
