import { groupBy } from '#base/group-by.ts'
import { CONDITIONS } from '#evaluate/conditions.ts'
import type { NodeLive } from '#fleet/live.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { AlarmScope, BuiltInChange } from '#settings/schema.ts'
import {
  FAILURE_KINDS,
  SELF_KINDS,
  SHARED_KINDS,
  isMoreSevere,
  type AlarmKind,
  type AlarmSeverity,
  type AlarmSubject,
} from './alarm.ts'
import { builtInTests } from './built-in-rules.ts'
import type { Evaluation, Timing } from './instance.ts'
import { isInScope, type TaggedNodes } from './maintenance-windows.ts'
import { kindOf } from './metric-values.ts'

/** The operator's settings for a built-in rule and one subject; undefined members are the rule's own. */
export type BuiltInSettings = {
  readonly off: boolean
  readonly severity: AlarmSeverity | undefined
  readonly forMs: number | undefined
}

/** Undefined if no change applies to the rule and the subject. */
export type BuiltInSettingsOf = (kind: string, subject: AlarmSubject) => BuiltInSettings | undefined

/** Nearest to the node first, as for limits. */
const NEAREST: readonly AlarmScope['for'][] = ['node', 'tag', 'service', 'all']

export function createBuiltInSettings(
  changes: readonly BuiltInChange[],
  snapshot: () => TaggedNodes | undefined,
): BuiltInSettingsOf {
  const byRule = groupBy(changes, ({ rule }) => rule)
  return (kind, subject) => {
    const ofRule = byRule.get(kind)
    return ofRule && resolve(ofRule, subject, snapshot())
  }
}

function resolve(
  changes: readonly BuiltInChange[],
  subject: AlarmSubject,
  snapshot: TaggedNodes | undefined,
): BuiltInSettings | undefined {
  const found = changes.filter(({ scope }) => isInScope(scope, subject, snapshot))
  if (found.length === 0) return undefined
  const tags = (subject.kind === 'node' && snapshot?.nodes.get(subject.node)?.tags) || []
  const rank = ({ scope }: BuiltInChange): number =>
    NEAREST.indexOf(scope.for) + (scope.for === 'tag' ? tags.indexOf(scope.tag) / (tags.length + 1) : 0)
  const sorted = found.toSorted((a, b) => rank(a) - rank(b))
  const nearest = <K extends 'off' | 'severity' | 'forMs'>(name: K): BuiltInChange[K] =>
    sorted.find((change) => change[name] !== undefined)?.[name]
  return { off: nearest('off') ?? false, severity: nearest('severity'), forMs: nearest('forMs') }
}

export const withTiming = (timing: Timing, settings: BuiltInSettings | undefined): Timing =>
  settings?.forMs === undefined
    ? timing
    : { ...timing, raiseAfter: { polls: 1, of: 1 }, forMs: settings.forMs }

export const withSeverity = (evaluation: Evaluation, settings: BuiltInSettings | undefined): Evaluation =>
  settings?.severity === undefined || evaluation.state !== 'bad'
    ? evaluation
    : { ...evaluation, severity: settings.severity }

/** Every built-in rule, those of metrics first. */
export const builtInKinds = (registry: MetricRegistry): readonly AlarmKind[] => [
  ...registry.flatMap((metric) => builtInTests(metric).map((test) => kindOf(metric.id, test))),
  ...new Set([...FAILURE_KINDS, ...SHARED_KINDS, ...SELF_KINDS]),
]

const OF_NODES: readonly string[] = FAILURE_KINDS
const isCondition = (kind: string): kind is keyof typeof CONDITIONS => Object.hasOwn(CONDITIONS, kind)

const WIDEST: readonly AlarmScope['for'][] = NEAREST.toReversed()

/** Scopes that have an effect on a rule, by the subject of its alarms. */
export function scopesOf(kind: string): readonly AlarmScope['for'][] {
  if (OF_NODES.includes(kind) || !isCondition(kind)) return WIDEST
  return WIDEST.slice(0, CONDITIONS[kind].subject === 'screen' ? 1 : 2)
}

/** The highest severity of a rule's alarms without a change. */
export const severestOf = (kind: string, registry: MetricRegistry): AlarmSeverity => {
  const metric = registry.find(({ id }) => kind.startsWith(`${id}-`))
  if (metric === undefined) return isCondition(kind) ? CONDITIONS[kind].severity : 'warning'
  const isStepped = kind === kindOf(metric.id, 'left') || kind === kindOf(metric.id, 'old')
  return isStepped ? 'critical' : 'warning'
}

/** Whether the change disables a rule that can be critical, or lowers its severity. */
export const isWeakened = (
  { rule, off, severity }: Pick<BuiltInChange, 'rule' | 'off' | 'severity'>,
  registry: MetricRegistry,
): boolean =>
  severestOf(rule, registry) === 'critical' &&
  (off === true || (severity !== undefined && isMoreSevere('critical', severity)))

type Weakened = { readonly rule: string; readonly settings: BuiltInSettings }

/** The rules that are weakened for one node. */
export function weakenedFor(
  changes: readonly BuiltInChange[],
  node: Pick<NodeLive, 'key' | 'serviceId' | 'tags'>,
  registry: MetricRegistry,
): readonly Weakened[] {
  if (changes.length === 0) return []
  const settingsOf = createBuiltInSettings(changes, () => ({ nodes: new Map([[node.key, node]]) }))
  return builtInKinds(registry).flatMap((rule) => {
    const settings = settingsOf(rule, { kind: 'node', node: node.key, serviceId: node.serviceId })
    return settings && isWeakened({ rule, ...settings }, registry) ? [{ rule, settings }] : []
  })
}
