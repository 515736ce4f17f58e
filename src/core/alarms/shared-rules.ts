import type { Cause } from '#fleet/cause.ts'
import { clocksOf, isFarApart, offsetMs } from '#record/clock-offset.ts'
import { blindAfterMs, conditionOf, CONDITIONS } from '#evaluate/conditions.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import { type AssessedNode, type NodeKey, type WatchGap, pollIntervalOf } from '#fleet/live.ts'
import { shortestIntervalMs, type FleetSnapshot } from '#fleet/snapshot.ts'
import type { ServiceId } from '#record/service.ts'
import {
  SHARED_KINDS,
  type AlarmKind,
  type AlarmSubject,
  type AlarmValue,
  type SelfKind,
  type SharedKind,
} from './alarm.ts'
import type { RuleEvaluation } from './alarm-state.ts'
import { withSeverity, withTiming, type BuiltInSettings } from './built-in-settings.ts'
import { alarmIdOf, bad, good, UNKNOWN, type Evaluation, type Instance } from './instance.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES } from '#protocol/failure.ts'

type SharedEvaluation = {
  readonly kind: SharedKind | SelfKind
  readonly subject: AlarmSubject
  readonly evaluation: Evaluation
  readonly nodes: readonly NodeKey[]
}

/**
 * Problems of more than one node, from the causes that banners show, most severe first. Several causes of one kind and subject
 * are merged.
 */
export function sharedTroubles(causes: readonly Cause[]): readonly SharedEvaluation[] {
  const troubles = new Map<string, SharedEvaluation>()
  for (const cause of causes) {
    const kind = kindOf(cause)
    if (kind === undefined || cause.severity === 'none' || cause.scope === 'node') continue
    const subject = subjectOf(kind, cause.serviceId)
    const id = alarmIdOf(kind, subject)
    const worse = troubles.get(id)
    const evaluation = worse?.evaluation ?? bad(cause.severity, valueOf(cause))
    troubles.set(id, { kind, subject, evaluation, nodes: [...(worse?.nodes ?? []), ...cause.nodes] })
  }
  return Array.from(troubles.values())
}

function kindOf({ evidence }: Cause): SharedKind | undefined {
  if (evidence.kind === 'no-network' || evidence.kind === 'portal') return 'network'
  if (evidence.kind === 'clock-offset') return 'clock-skew'
  if (evidence.kind === 'round-too-long') return 'round-too-long'
  if (evidence.kind !== 'failure') return undefined
  // If only some replicas refuse, neither the key nor a node is at fault.
  if (evidence.alternates === true) return 'unreachable'
  const condition = conditionOf(evidence.failure.kind)
  return condition === 'rejected' ? undefined : condition
}

function subjectOf(kind: SharedKind, serviceId: ServiceId | undefined): AlarmSubject {
  if (serviceId === undefined) return { kind: 'screen' }
  return { kind: kind === 'key-rejected' ? 'key' : 'service', serviceId }
}

function valueOf({ code, evidence }: Cause): AlarmValue {
  if (evidence.kind === 'clock-offset')
    // A negative age would be shown as none.
    return { unit: 'ms', value: Math.abs(offsetMs(evidence.offset)) }
  if (evidence.kind === 'round-too-long') return { unit: 'ms', value: evidence.round.takesMs }
  return evidence.kind === 'failure'
    ? { unit: 'failure', code, failure: evidence.failure }
    : { unit: 'failure', code }
}

/** Evaluates a problem that is no longer among the causes: it is over, or its state is unknown. */
export function sharedEnd(
  kind: SharedKind,
  subject: AlarmSubject,
  snapshot: FleetSnapshot,
  nodes: readonly AssessedNode[],
): Evaluation {
  if (kind === 'clock-skew') return clockEnd(subject, snapshot)
  // Without polls there is no measurement.
  if (kind === 'round-too-long') return nodes.some(isAnswered) ? good() : UNKNOWN
  const failedMs = nodes.reduce(
    (ms, { episode }) => Math.max(ms, episode?.sinceMs ?? ms),
    Number.NEGATIVE_INFINITY,
  )
  const ended = nodes.some((node) => {
    const service = snapshot.services.get(node.serviceId)
    if (service === undefined) return false
    if (node.episode === undefined) {
      const answeredMs = node.reading?.startedMs ?? Number.NEGATIVE_INFINITY
      // Once every node should have been polled again, an answer from before the newest failure does not show the end.
      const isOutdated = answeredMs < failedMs && snapshot.nowMs - answeredMs > pollIntervalOf(node, service)
      return isAnswered(node) && isCurrentAt(node, snapshot.nowMs) && !isOutdated
    }
    const condition = conditionOf(node.episode.failure.kind)
    if (kind === 'key-rejected') return false
    // A refusal shows that the service is reachable.
    return kind === 'paused'
      ? condition !== 'paused'
      : condition === 'key-rejected' || condition === 'rejected'
  })
  return ended ? good() : UNKNOWN
}

/** A reading restored from an earlier session is not an answer in this one. */
const isAnswered = ({ episode, answered }: AssessedNode): boolean => episode === undefined && answered > 0

function clockEnd(subject: AlarmSubject, { services }: FleetSnapshot): Evaluation {
  const compared = Array.from(services.values()).flatMap((service) => {
    const isConcerned =
      subject.kind === 'screen' || ('serviceId' in subject && subject.serviceId === service.id)
    return isConcerned ? (clocksOf(service) ?? []) : []
  })
  return compared.some(({ offset }) => !isFarApart(offset)) ? good() : UNKNOWN
}

/** Facts about this screen; undefined: unknown. A text is the reason. */
export type SelfFacts = {
  readonly notSaving?: string | false | undefined
  /** Delay of this screen's own timer in ms, which shows how busy the computer is. A sleep does not count. */
  readonly lateMs?: number | undefined
  readonly failedRules?: string | undefined
} & Partial<PagesFacts>

export type PagesFacts = {
  readonly soundBlocked: boolean | undefined
  /** How long a visible page has not responded; 0: all respond. */
  readonly blockedMs: number | undefined
  /** How the last engine ended, if that was recent. */
  readonly engineLost: 'died' | 'hung' | false | undefined
  readonly memoryMb: number | false | undefined
  readonly isOldVersion: boolean | undefined
  /** Uncaught errors of pages in the last minutes. */
  readonly errors: number | undefined
}

/** In watched time. `awakeMs` undefined: no answer since this session began at `sinceMs`. */
export type LastAnswer = { readonly awakeMs: number | undefined; readonly sinceMs: number }

const wrong = (kind: SelfKind, value?: AlarmValue): Evaluation => bad(CONDITIONS[kind].severity, value)

const SCREEN: AlarmSubject = { kind: 'screen' }

export function evaluateScreen(facts: SelfFacts, snapshot: FleetSnapshot): readonly SharedEvaluation[] {
  const { screen, wallMs, causes } = snapshot
  const { lateMs } = facts
  const behindMs = Math.max(lateMs ?? 0, screen.behindMs)
  // After a sleep polls are late, and the sleep has an alarm of its own.
  const gap = screen.gaps.at(-1)
  const isWaking = gap !== undefined && Math.abs(wallMs - gap.toWallMs) < shortestIntervalMs(snapshot)
  const isLate = (lateMs ?? 0) > CONDITIONS.throttled.overMs
  const isBehind = isLate || causes.some(({ code }) => code === 'watch/behind')
  const throttled = isBehind
    ? wrong('throttled', { unit: 'ms', value: behindMs })
    : lateMs === undefined
      ? UNKNOWN
      : good()
  const found: readonly (readonly [SelfKind, Evaluation])[] = [
    ['throttled', isWaking && !isLate ? UNKNOWN : throttled],
    ['gap', gapEvaluation(gap, wallMs)],
    wrongIf('not-saving', facts.notSaving, reason),
    wrongIf('sound-blocked', facts.soundBlocked),
    wrongIf('page-blocked', facts.blockedMs, (value) => ({ unit: 'ms', value })),
    wrongIf('engine-lost', facts.engineLost, reason),
    wrongIf('memory-high', facts.memoryMb, (mb) => reason(`${mb} MB`)),
    wrongIf('old-version', facts.isOldVersion),
    wrongIf('page-errors', facts.errors, (value) => ({ unit: 'count', value })),
    wrongIf('rule-failed', facts.failedRules ?? false, reason),
  ]
  return found.map(([kind, evaluation]) => ({ kind, subject: SCREEN, evaluation, nodes: [] }))
}

/** A gap is raised for as long as its banner is shown. */
function gapEvaluation(gap: WatchGap | undefined, wallMs: number): Evaluation {
  if (gap === undefined || wallMs - gap.toWallMs >= CONDITIONS.gap.reportedForMs) return good()
  return wrong('gap', { unit: 'ms', value: Math.abs(gap.toWallMs - gap.fromWallMs) })
}

const reason = (text: string): AlarmValue => ({ unit: 'reason', text })

/** `undefined` is unknown; false or 0 is good. */
const wrongIf = <T>(
  kind: SelfKind,
  fact: T | false | 0 | undefined,
  toValue?: (fact: T) => AlarmValue,
): readonly [SelfKind, Evaluation] => [
  kind,
  fact === undefined ? UNKNOWN : fact === false || fact === 0 ? good() : wrong(kind, toValue?.(fact)),
]

export function evaluateBlindness(
  snapshot: FleetSnapshot,
  lastAnswers: ReadonlyMap<NodeKey, LastAnswer>,
  awakeMs: number,
): readonly SharedEvaluation[] {
  const byService = new Map<
    ServiceId,
    { blind: NodeKey[]; ofMs: number; answered: boolean; awaited: boolean }
  >()
  for (const node of snapshot.nodes.values()) {
    const { key, serviceId } = node
    const service = snapshot.services.get(serviceId)
    const last = lastAnswers.get(key)
    if (service === undefined || last === undefined) continue
    const found = byService.get(serviceId) ?? { blind: [], ofMs: 0, answered: false, awaited: false }
    byService.set(serviceId, found)
    const silentMs = awakeMs - (last.awakeMs ?? last.sinceMs)
    found.answered ||= last.awakeMs !== undefined
    // A node that has never answered, such as one with a wrong id, says nothing about the others.
    found.awaited ||= last.awakeMs === undefined && node.reading !== undefined
    if (silentMs <= blindAfterMs(pollIntervalOf(node, service))) continue
    found.blind.push(key)
    found.ofMs = Math.max(found.ofMs, silentMs)
  }
  return Array.from(byService, ([serviceId, { blind, ofMs, answered, awaited }]) => ({
    kind: 'blind',
    subject: { kind: 'service', serviceId },
    nodes: blind,
    evaluation:
      blind.length > 0
        ? wrong('blind', { unit: 'nodes', value: blind.length, ofMs })
        : awaited || !answered
          ? UNKNOWN
          : good(),
  }))
}

export const intervalOf = (snapshot: FleetSnapshot | undefined, subject: AlarmSubject): number =>
  pollIntervalOf(
    (subject.kind === 'node' ? snapshot?.nodes.get(subject.node) : undefined) ?? {},
    'serviceId' in subject ? snapshot?.services.get(subject.serviceId) : undefined,
  )

const SHARED: readonly string[] = SHARED_KINDS
const isShared = (kind: AlarmKind): kind is SharedKind => SHARED.includes(kind)

const isLackOfKey = ({ evidence }: Cause): boolean =>
  evidence.kind === 'failure' && evidence.failure.kind === 'no-key'

/**
 * A single refusal may come from one replica among several, and a single request may lack its signature by chance. Refusals of
 * all nodes put a hold on the service, and without a key no request is sent.
 */
function isCertain(cause: Cause, { services }: FleetSnapshot): boolean {
  const { evidence, misses, serviceId } = cause
  const kind = kindOf(cause)
  if (evidence.kind !== 'failure' || (kind !== 'key-rejected' && kind !== 'paused')) return true
  if (misses >= CONDITIONS[kind].polls || FAILURES[evidence.failure.kind].again === 'wait') return true
  return serviceId !== undefined && services.get(serviceId)?.hold?.reason === 'refused'
}

/** Until the first key is set, neither its absence nor silence is a problem. */
export function evaluateShared(
  now: FleetSnapshot,
  known: readonly Instance[],
  watched: { readonly lastAnswers: ReadonlyMap<NodeKey, LastAnswer>; readonly awaitsKey: () => boolean },
  awakeMs: number,
): readonly SharedEvaluation[] {
  const troubles = sharedTroubles(
    now.causes.filter((cause) => isCertain(cause, now) && !(watched.awaitsKey() && isLackOfKey(cause))),
  )
  const on = new Set<string>(troubles.map(({ kind, subject }) => alarmIdOf(kind, subject)))
  const ends = known.flatMap(({ id, kind, subject }): readonly SharedEvaluation[] => {
    if (subject.kind === 'node' || on.has(id) || !isShared(kind)) return []
    const nodes = Array.from(now.nodes.values()).filter(
      ({ serviceId }) => subject.kind === 'screen' || serviceId === subject.serviceId,
    )
    return [{ kind, subject, evaluation: sharedEnd(kind, subject, now, nodes), nodes: [] }]
  })
  const blind = watched.awaitsKey() ? [] : evaluateBlindness(now, watched.lastAnswers, awakeMs)
  return [...troubles, ...ends, ...blind]
}

/** Subjects without polls are evaluated when they change, once per interval, and when the delay that was set has passed. */
export function dueEvaluation(
  { kind, subject, ...found }: SharedEvaluation,
  known: Instance | undefined,
  settings: BuiltInSettings | undefined,
  intervalMs: number,
  awakeMs: number,
): RuleEvaluation | undefined {
  const evaluation = withSeverity(found.evaluation, settings)
  const sinceMs = known === undefined ? 0 : awakeMs - known.evaluatedAwakeMs
  const isDue = known?.phase === 'pending' && known.watchedMs + sinceMs >= (settings?.forMs ?? 0)
  const isSame =
    known !== undefined &&
    known.heldAwakeMs === undefined &&
    known.side === evaluation.state &&
    (evaluation.state === 'good' || known.severity === evaluation.severity)
  if (isSame && !isDue && sinceMs < intervalMs) return undefined
  return {
    ruleId: kind,
    kind,
    subject,
    evaluation,
    // Causes are published only once they are certain, so one evaluation is enough.
    timing: withTiming(
      { raiseAfter: { polls: 1, of: 1 }, forMs: 0, clearAfter: 1, keepFiringForMs: 2 * intervalMs },
      settings,
    ),
    freshForMs: DEFAULTS.staleAfterIntervals * intervalMs,
  }
}
