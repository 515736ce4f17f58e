import { DEFAULTS } from '#base/defaults.ts'
import type { Detected } from '#record/detect.ts'
import type { Limits, StatusMeaning, Units } from './rules.ts'

/** Where a value was set: by `/config.json` of this server, or in this browser. */
export type SetBy = 'config' | 'browser'

/** Where a value in force comes from. */
export type Origin =
  | { readonly kind: 'default' }
  | { readonly kind: 'detected'; readonly readings: number }
  | { readonly kind: 'service' | 'node'; readonly by: SetBy }
  | { readonly kind: 'tag'; readonly tag: string; readonly by: SetBy }

export type RuledBy = Exclude<Origin, { kind: 'default' | 'detected' }>

/** Units and limits of one scope, and which scope that is. */
export type ScopedRule = { readonly from: RuledBy; readonly units: Units; readonly limits: Limits }

/** A value, and why it is this one. */
export type Ruled<T> = { readonly value: T; readonly from: Origin }

/** Everything that is open about one node's record, answered. */
export type EffectiveRules = {
  readonly participation: Ruled<'ratio' | 'percent'>
  readonly stakeDecimals: Ruled<number>
  /** Empty: none. */
  readonly stakeSymbol: Ruled<string>
  /** `detect`: each number tells by its size. */
  readonly heartbeat: Ruled<'detect' | 's' | 'ms'>
  readonly heartbeatPeriodMs: Ruled<number>
  /** Undefined values: nobody has said. */
  readonly statusWords: ReadonlyMap<string, Ruled<StatusMeaning>>
  readonly extraFields: Ruled<readonly string[]>
  /** Undefined: no limit. */
  readonly participationBelow: Ruled<number | undefined>
  readonly participationAbove: Ruled<number | undefined>
  readonly stakeBelow: Ruled<string | undefined>
  readonly heartbeatWarningMs: Ruled<number | undefined>
  readonly heartbeatCriticalMs: Ruled<number | undefined>
  readonly answerTimeAboveMs: Ruled<number | undefined>
}

/** The words that mean something before anybody has said so. Unspecified: the interface names this one only. */
export const KNOWN_STATUSES: readonly string[] = ['ACTIVE']

const DEFAULT: Origin = { kind: 'default' }

/**
 * What holds for a node: each value by the nearest rule that says it, then by what was
 * detected, then by default. `rules` stand nearest first: the node's, its tags' in their
 * order, the service's; within one scope this browser's before the server's.
 */
export function effectiveRules(rules: readonly ScopedRule[], detected: Detected): EffectiveRules {
  const unit = <K extends keyof Units>(key: K): Ruled<NonNullable<Units[K]>> | undefined => {
    for (const { units, from } of rules) {
      const value = units[key]
      if (value !== undefined) return { value, from }
    }
    return undefined
  }
  const limit = <K extends keyof Limits>(key: K): Ruled<NonNullable<Limits[K]> | undefined> | undefined => {
    for (const { limits, from } of rules) {
      const value = limits[key]
      if (value !== undefined) return { value: value ?? undefined, from }
    }
    return undefined
  }
  const set = <T>(value: T): Ruled<T> => ({ value, from: DEFAULT })
  const period = periodIn(unit('heartbeatPeriodMs'), detected)
  const none = set(undefined)
  return {
    participation: participationIn(unit('participation'), detected),
    stakeDecimals: unit('stakeDecimals') ?? set(0),
    stakeSymbol: unit('stakeSymbol') ?? set(''),
    heartbeat: heartbeatIn(unit('heartbeat'), detected),
    heartbeatPeriodMs: period,
    statusWords: wordsIn(rules),
    extraFields: unit('extraFields') ?? set([]),
    participationBelow: limit('participationBelow') ?? none,
    participationAbove: limit('participationAbove') ?? none,
    stakeBelow: limit('stakeBelow') ?? none,
    heartbeatWarningMs: limit('heartbeatWarningMs') ?? set(period.value * DEFAULTS.heartbeatWarningPeriods),
    heartbeatCriticalMs:
      limit('heartbeatCriticalMs') ?? set(period.value * DEFAULTS.heartbeatCriticalPeriods),
    answerTimeAboveMs: limit('answerTimeAboveMs') ?? none,
  }
}

type Said<K extends keyof Units> = Ruled<NonNullable<Units[K]>> | undefined

function participationIn(
  said: Said<'participation'>,
  { participation }: Detected,
): EffectiveRules['participation'] {
  if (said !== undefined && said.value !== 'detect') return { value: said.value, from: said.from }
  if (participation === undefined) return { value: 'ratio', from: DEFAULT }
  return { value: participation.unit, from: { kind: 'detected', readings: participation.readings } }
}

function heartbeatIn(said: Said<'heartbeat'>, { heartbeat }: Detected): EffectiveRules['heartbeat'] {
  if (said !== undefined && said.value !== 'detect') return said
  const from: Origin = heartbeat === undefined ? DEFAULT : { kind: 'detected', readings: heartbeat.readings }
  return { value: 'detect', from }
}

function periodIn(said: Said<'heartbeatPeriodMs'>, { heartbeatPeriod }: Detected): Ruled<number> {
  if (said !== undefined && said.value !== 'detect') return { value: said.value, from: said.from }
  if (heartbeatPeriod === undefined) return { value: DEFAULTS.heartbeatPeriodMs, from: DEFAULT }
  const { periodMs, readings } = heartbeatPeriod
  return { value: periodMs, from: { kind: 'detected', readings } }
}

/** Word by word, so that a tag that says one more does not silence the others. */
function wordsIn(rules: readonly ScopedRule[]): ReadonlyMap<string, Ruled<StatusMeaning>> {
  const words = new Map<string, Ruled<StatusMeaning>>()
  for (const { units, from } of rules)
    for (const { word, means } of units.statusWords ?? [])
      if (!words.has(word)) words.set(word, { value: means, from })
  for (const word of KNOWN_STATUSES) if (!words.has(word)) words.set(word, { value: 'good', from: DEFAULT })
  return words
}

/** What holds for every node of one service before its tags and itself have a say: rules of the service and of tags, and what was detected. */
export type Ruling = {
  readonly service: readonly ScopedRule[]
  readonly tags: readonly ScopedRule[]
  readonly detected: Detected
}

export const NO_RULING: Ruling = { service: [], tags: [], detected: {} }

/** Results that many nodes share; they go with their ruling. */
const shared = new WeakMap<Ruling, Map<string, EffectiveRules>>()

/** What holds for a node of the service. `own` are the node's rules. Nodes without rules of their own share the result. */
export function rulesOf(
  ruling: Ruling,
  { tags, rules: own }: { readonly tags: readonly string[]; readonly rules: readonly ScopedRule[] },
): EffectiveRules {
  const byTag =
    ruling.tags.length === 0
      ? []
      : tags.flatMap((tag) => ruling.tags.filter(({ from }) => from.kind === 'tag' && from.tag === tag))
  if (own.length > 0) return effectiveRules([...own, ...byTag, ...ruling.service], ruling.detected)
  const key = byTag.map(({ from }) => (from.kind === 'tag' ? from.tag : '')).join(' ')
  const known = shared.get(ruling) ?? new Map<string, EffectiveRules>()
  shared.set(ruling, known)
  const found = known.get(key) ?? effectiveRules([...byTag, ...ruling.service], ruling.detected)
  known.set(key, found)
  return found
}
