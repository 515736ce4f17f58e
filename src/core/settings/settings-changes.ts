import { canonicalNodeId } from '#record/node-id.ts'
import type { Rule } from './rules.ts'
import type { Service, Settings, WatchedNode } from './settings.ts'

/** Whom a rule is for, without what it says. */
export type RuleScope =
  | { readonly for: 'service'; readonly service: string }
  | { readonly for: 'tag'; readonly tag: string }
  | { readonly for: 'node'; readonly service: string; readonly node?: string | undefined }

/** One thing that differs between two documents; the texts have the words. */
export type SettingsChange =
  | {
      readonly kind: 'service'
      readonly change: Change
      readonly name: string
      readonly fields: readonly string[]
    }
  | { readonly kind: 'nodes'; readonly added: number; readonly removed: number; readonly changed: number }
  | {
      readonly kind: 'rule'
      readonly change: Change
      readonly scope: RuleScope
      readonly fields: readonly string[]
    }
  | { readonly kind: 'display'; readonly fields: readonly string[] }
  /** A part of the document that this list has no words for. */
  | { readonly kind: 'other'; readonly field: string }

type Change = 'added' | 'removed' | 'changed'

/** What was done to `before` to become `after`. Empty where they say the same. */
export function changesBetween(before: Settings, after: Settings): readonly SettingsChange[] {
  return [
    ...listChanges(before.services, after.services, ({ baseUrl }) => baseUrl).map(
      ({ change, entry, fields }) => ({ kind: 'service' as const, change, name: nameOf(entry), fields }),
    ),
    ...nodeChanges(before, after),
    ...listChanges(before.rules, after.rules, (rule) => ruleKey(rule)).map(({ change, entry, fields }) => ({
      kind: 'rule' as const,
      change,
      scope: scopeOf(entry),
      fields,
    })),
    ...fieldsBetween(before.display, after.display, (fields) => ({ kind: 'display' as const, fields })),
    ...differing(before, after)
      .filter((field) => !LISTED_ABOVE.includes(field))
      .map((field) => ({ kind: 'other' as const, field })),
  ]
}

const LISTED_ABOVE: readonly string[] = ['services', 'nodes', 'rules', 'display']

const nameOf = ({ label, baseUrl }: Service): string => label ?? baseUrl

const scopeOf = (rule: Rule): RuleScope => {
  if (rule.for === 'tag') return { for: 'tag', tag: rule.tag }
  if (rule.for === 'service') return { for: 'service', service: rule.service }
  return { for: 'node', service: rule.service, ...(rule.node !== undefined && { node: rule.node }) }
}

/** Of one scope there is one rule. */
export function ruleKey(scope: RuleScope): string {
  if (scope.for === 'tag') return `tag ${scope.tag}`
  if (scope.for === 'service') return `service ${scope.service}`
  return `node ${scope.service} ${scope.node === undefined ? '' : canonicalNodeId(scope.node)}`
}

const nodeKey = ({ service, id }: WatchedNode, settings: Settings): string =>
  `${service ?? settings.services[0]?.baseUrl ?? ''} ${id === undefined ? '' : canonicalNodeId(id)}`

function nodeChanges(before: Settings, after: Settings): readonly SettingsChange[] {
  const named = (settings: Settings) =>
    settings.nodes.map((node) => [nodeKey(node, settings), { ...node, service: undefined }] as const)
  const changes = listChanges(named(before), named(after), ([key]) => key)
  const count = (change: Change): number => changes.filter((each) => each.change === change).length
  return changes.length === 0
    ? []
    : [{ kind: 'nodes', added: count('added'), removed: count('removed'), changed: count('changed') }]
}

type EntryChange<T> = { readonly change: Change; readonly entry: T; readonly fields: readonly string[] }

function listChanges<T extends object>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (entry: T) => string,
): readonly EntryChange<T>[] {
  const olds = new Map(before.map((entry) => [keyOf(entry), entry]))
  const news = new Map(after.map((entry) => [keyOf(entry), entry]))
  const changes: EntryChange<T>[] = []
  for (const [key, entry] of olds) if (!news.has(key)) changes.push({ change: 'removed', entry, fields: [] })
  for (const [key, entry] of news) {
    const old = olds.get(key)
    const fields = old === undefined ? [] : differing(flat(old), flat(entry))
    if (old === undefined) changes.push({ change: 'added', entry, fields })
    else if (fields.length > 0) changes.push({ change: 'changed', entry, fields })
  }
  return changes
}

/** A rule's units and limits as members of its own. */
const flat = (entry: object): object =>
  Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]) =>
      name === 'units' || name === 'limits' ? Object.entries(Object(value)) : [[name, value]],
    ),
  )

const fieldsBetween = <T>(
  before: object,
  after: object,
  make: (fields: readonly string[]) => T,
): readonly T[] => {
  const fields = differing(before, after)
  return fields.length === 0 ? [] : [make(fields)]
}

/** Names of the members that differ. */
function differing(before: object, after: object): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const text = (object: object, name: string): string | undefined => JSON.stringify(Reflect.get(object, name))
  return Array.from(names).filter((name) => text(before, name) !== text(after, name))
}
