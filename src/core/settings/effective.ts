import { DEFAULTS } from '#base/defaults.ts'
import type { Detected } from '#record/detect.ts'
import type { TimestampUnit } from '#record/field.ts'
import { canonicalNodeId } from '#record/node-id.ts'
import type {
  AlarmScope,
  AlarmSettings,
  Limits,
  Rule,
  SavedView,
  ServerConfig,
  Service,
  Settings,
  StatusMeaning,
  Units,
  WatchedNode,
} from './schema.ts'

/** Equals the schema's defaults. A constant, so that the first page loads without the schema. */
export const EMPTY_SETTINGS: Settings = {
  version: 1,
  services: [],
  nodes: [],
  rules: [],
  display: { theme: 'system', contrast: 'system', timeZone: 'utc' },
  alarms: { rules: [], maintenance: [], builtIn: [] },
  views: [],
  history: {
    samplesDays: DEFAULTS.historySamplesDays,
    rollupsDays: DEFAULTS.historyRollupsDays,
    budgetBytes: DEFAULTS.historyBudgetBytes,
  },
}

export type SetRule = Rule & { readonly by: SetBy }

/** The configuration in force, with every node's service filled in. */
export type Effective = {
  readonly services: readonly Service[]
  readonly nodes: readonly (WatchedNode & { readonly service: string })[]
  /** The server's rules first: within one scope they take precedence over this browser's. */
  readonly rules: readonly SetRule[]
  /**
   * The server's first, then this browser's. Ids of the server's rules and maintenance windows have a prefix that makes them
   * unique.
   */
  readonly alarms: AlarmSettings
  /** The server's views first; with equal names this browser's view counts. */
  readonly views: readonly SavedView[]
}

/**
 * Merges the server's settings with this browser's. A service in both is this browser's, and a key that this browser chose
 * replaces the server's. A node in both is the server's, with this browser's notes if it has none. Nodes of unknown services
 * are left out.
 */
export function effectiveConfig(server: ServerConfig, settings: Settings): Effective {
  const services = new Map<string, Service>()
  const keys = new Map(settings.serviceKeys?.map(({ service, key }) => [service, key]))
  for (const service of server.services) {
    const key = keys.get(service.baseUrl) ?? service.key
    services.set(service.baseUrl, key === undefined ? service : { ...service, key })
  }
  for (const service of settings.services) services.set(service.baseUrl, service)
  const located = (list: readonly WatchedNode[], first: Service | undefined) =>
    list.flatMap((node) => {
      const { service = first?.baseUrl, id } = node
      if (service === undefined || !services.has(service)) return []
      return [[`${service} ${id === undefined ? '' : canonicalNodeId(id)}`, { ...node, service }] as const]
    })
  const provided = new Map(located(server.nodes, server.services[0]))
  const nodes = new Map(provided)
  for (const [key, own] of located(settings.nodes, settings.services[0] ?? server.services[0])) {
    const node = provided.get(key) ?? own
    const notes = node.notes ?? own.notes
    nodes.set(key, notes === undefined ? node : { ...node, notes })
  }
  return {
    services: Array.from(services.values()),
    nodes: Array.from(nodes.values()),
    rules: [
      ...server.rules.map((rule) => ({ ...rule, by: 'config' as const })),
      ...settings.rules.map((rule) => ({ ...rule, by: 'browser' as const })),
    ],
    alarms: {
      rules: [...ofServer(server.alarms?.rules), ...settings.alarms.rules],
      maintenance: [...ofServer(server.alarms?.maintenance), ...settings.alarms.maintenance],
      builtIn: [...(server.alarms?.builtIn ?? []), ...settings.alarms.builtIn],
    },
    views: [
      ...(server.views ?? []).filter(({ name }) => !settings.views.some((own) => own.name === name)),
      ...settings.views,
    ],
  }
}

/** Ids created by a browser never begin like this. */
const SERVER_ID = 'server:'

const ofServer = <T extends { readonly id: string }>(items: readonly T[] = []): T[] =>
  items.map((item) => ({ ...item, id: `${SERVER_ID}${item.id}` }))

/** Whether a rule or maintenance window is from the server's configuration, so that it cannot be changed here. */
export const isOfServer = ({ id }: { readonly id: string }): boolean => id.startsWith(SERVER_ID)

export function scopedRule(rule: SetRule): ScopedRule {
  const { units, limits, by } = rule
  const from = rule.for === 'tag' ? ({ kind: 'tag', tag: rule.tag, by } as const) : { kind: rule.for, by }
  return { from, units, limits }
}

export type RuleScope = Exclude<AlarmScope, { for: 'all' }>

export function ruleKey(scope: RuleScope): string {
  if (scope.for === 'tag') return `tag ${scope.tag}`
  if (scope.for === 'service') return `service ${scope.service}`
  return `node ${scope.service} ${scope.node === undefined ? '' : canonicalNodeId(scope.node)}`
}

type Parts = { readonly units: Units; readonly limits: Limits }

const NOTHING_SET: Parts = { units: {}, limits: {} }

export const ruleAt = (settings: Pick<Settings, 'rules'>, scope: RuleScope): Parts =>
  settings.rules.find((rule) => ruleKey(rule) === ruleKey(scope)) ?? NOTHING_SET

/** Sets the units and limits of a scope; an empty rule is removed. */
export function withRule(settings: Settings, scope: RuleScope, { units, limits }: Parts): Settings {
  const key = ruleKey(scope)
  const rule: Rule = { ...scope, units, limits }
  const isEmpty = Object.keys(units).length + Object.keys(limits).length === 0
  const index = settings.rules.findIndex((each) => ruleKey(each) === key)
  const others = settings.rules.filter((each) => ruleKey(each) !== key)
  const at = index === -1 ? others.length : index
  return { ...settings, rules: isEmpty ? others : others.toSpliced(at, 0, rule) }
}

/** The settings in which this key signs for the service. A service of the server's configuration stays unchanged. */
export function withServiceKey(settings: Settings, service: string, key: string): Settings {
  if (settings.services.some(({ baseUrl }) => baseUrl === service))
    return {
      ...settings,
      services: settings.services.map((each) => (each.baseUrl === service ? { ...each, key } : each)),
    }
  const others = (settings.serviceKeys ?? []).filter((each) => each.service !== service)
  return { ...settings, serviceKeys: [...others, { service, key }] }
}

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

// --- the values in force

type SetBy = 'config' | 'browser'

export type Origin =
  | { readonly kind: 'default' }
  | { readonly kind: 'detected'; readonly readings: number }
  | { readonly kind: 'service' | 'node'; readonly by: SetBy }
  | { readonly kind: 'tag'; readonly tag: string; readonly by: SetBy }

export type ScopeOrigin = Exclude<Origin, { kind: 'default' | 'detected' }>

export type ScopedRule = { readonly from: ScopeOrigin; readonly units: Units; readonly limits: Limits }

export type Resolved<T> = { readonly value: T; readonly from: Origin }

export type EffectiveSettings = {
  readonly participation: Resolved<'ratio' | 'percent'>
  readonly stakeDecimals: Resolved<number>
  readonly stakeSymbol: Resolved<string>
  /** `detect`: by the size of each number. */
  readonly heartbeat: Resolved<'detect' | TimestampUnit>
  readonly heartbeatPeriodMs: Resolved<number>
  /** An undefined value is not set. */
  readonly statusWords: ReadonlyMap<string, Resolved<StatusMeaning>>
  readonly extraFields: Resolved<readonly string[]>
  readonly participationBelow: Resolved<number | undefined>
  readonly participationAbove: Resolved<number | undefined>
  readonly stakeBelow: Resolved<string | undefined>
  readonly heartbeatWarningMs: Resolved<number | undefined>
  readonly heartbeatCriticalMs: Resolved<number | undefined>
  readonly answerTimeAboveMs: Resolved<number | undefined>
}

/** Statuses that have a meaning by default. The interface names only this one. */
const KNOWN_STATUSES: readonly string[] = ['ACTIVE']

const DEFAULT: Origin = { kind: 'default' }

/**
 * The settings in effect for a node: each from the nearest rule that sets it, otherwise from detection, otherwise the default.
 * `rules` are sorted nearest first: the node's, its tags' in their order, the service's; within one scope the server's before
 * this browser's. `pollIntervalMs`: 0 if it must not affect the heartbeat limits.
 */
export function resolveSettings(
  rules: readonly ScopedRule[],
  detected: Detected,
  pollIntervalMs = 0,
): EffectiveSettings {
  const unit = <K extends keyof Units>(key: K): Resolved<NonNullable<Units[K]>> | undefined => {
    for (const { units, from } of rules) {
      const value = units[key]
      if (value !== undefined) return { value, from }
    }
    return undefined
  }
  const limit = <K extends keyof Limits>(
    key: K,
  ): Resolved<NonNullable<Limits[K]> | undefined> | undefined => {
    for (const { limits, from } of rules) {
      const value = limits[key]
      if (value !== undefined) return { value: value ?? undefined, from }
    }
    return undefined
  }
  const set = <T>(value: T): Resolved<T> => ({ value, from: DEFAULT })
  const { participation, heartbeat, heartbeatPeriod } = detected
  const period = inForce(
    unit('heartbeatPeriodMs'),
    heartbeatPeriod && detectedAs(heartbeatPeriod.periodMs, heartbeatPeriod),
    DEFAULTS.heartbeatPeriodMs,
  )
  // Heartbeats between two polls are not seen, so a healthy node's newest one may be an interval old.
  const seenEveryMs = Math.max(period.value, pollIntervalMs)
  const none = set(undefined)
  const above = limit('participationAbove')
  return {
    participation: inForce(
      unit('participation'),
      participation && detectedAs(participation.unit, participation),
      'ratio',
    ),
    stakeDecimals: unit('stakeDecimals') ?? set(0),
    stakeSymbol: unit('stakeSymbol') ?? set(''),
    heartbeat: inForce(unit('heartbeat'), heartbeat && detectedAs('detect', heartbeat), 'detect'),
    heartbeatPeriodMs: period,
    statusWords: wordsIn(rules),
    extraFields: unit('extraFields') ?? set([]),
    participationBelow: limit('participationBelow') ?? set(usualParticipation(above?.value)),
    participationAbove: above ?? none,
    stakeBelow: limit('stakeBelow') ?? none,
    heartbeatWarningMs: limit('heartbeatWarningMs') ?? set(seenEveryMs * DEFAULTS.heartbeatWarningPeriods),
    heartbeatCriticalMs: limit('heartbeatCriticalMs') ?? set(seenEveryMs * DEFAULTS.heartbeatCriticalPeriods),
    answerTimeAboveMs: limit('answerTimeAboveMs') ?? none,
  }
}

/** If the upper limit is at or below the default lower limit, the default does not apply. */
const usualParticipation = (above: number | undefined): number | undefined =>
  above !== undefined && above <= DEFAULTS.participationBelow ? undefined : DEFAULTS.participationBelow

const detectedAs = <const T>(value: T, { readings }: { readonly readings: number }): Resolved<T> => ({
  value,
  from: { kind: 'detected', readings },
})

/** A unit as chosen, unless the choice is to detect it. */
function inForce<T>(
  chosen: Resolved<T | 'detect'> | undefined,
  detected: Resolved<T> | undefined,
  usual: T,
): Resolved<T> {
  if (chosen !== undefined && chosen.value !== 'detect') return { value: chosen.value, from: chosen.from }
  return detected ?? { value: usual, from: DEFAULT }
}

/** Merged word by word, so that a tag's rule for one word does not hide the words of wider scopes. */
function wordsIn(rules: readonly ScopedRule[]): ReadonlyMap<string, Resolved<StatusMeaning>> {
  const words = new Map<string, Resolved<StatusMeaning>>()
  for (const { units, from } of rules)
    for (const { word, means } of units.statusWords ?? [])
      if (!words.has(word)) words.set(word, { value: means, from })
  for (const word of KNOWN_STATUSES) if (!words.has(word)) words.set(word, { value: 'good', from: DEFAULT })
  return words
}

/** Shared by all nodes of a service: the rules of the service and of tags, its poll interval, and the detected units. */
export type ServiceRules = {
  readonly pollIntervalMs?: number
  readonly service: readonly ScopedRule[]
  readonly tags: readonly ScopedRule[]
  readonly detected: Detected
}

export const NO_SERVICE_RULES: ServiceRules = { service: [], tags: [], detected: {} }

/** Results shared by many nodes; discarded with their rules. */
const shared = new WeakMap<ServiceRules, Map<string, EffectiveSettings>>()

/** The settings in force for a node. `own` are the node's rules. Nodes without rules of their own share one result object. */
export function effectiveSettings(
  rules: ServiceRules,
  {
    tags,
    rules: own,
    pollIntervalMs = rules.pollIntervalMs,
  }: {
    readonly tags: readonly string[]
    readonly rules: readonly ScopedRule[]
    readonly pollIntervalMs?: number
  },
): EffectiveSettings {
  const byTag =
    rules.tags.length === 0
      ? []
      : tags.flatMap((tag) => rules.tags.filter(({ from }) => from.kind === 'tag' && from.tag === tag))
  const resolve = (): EffectiveSettings =>
    resolveSettings([...own, ...byTag, ...rules.service], rules.detected, pollIntervalMs)
  if (own.length > 0) return resolve()
  const key = [pollIntervalMs, ...byTag.map(({ from }) => (from.kind === 'tag' ? from.tag : ''))].join(' ')
  const known = shared.get(rules) ?? new Map<string, EffectiveSettings>()
  shared.set(rules, known)
  const found = known.get(key) ?? resolve()
  known.set(key, found)
  return found
}
