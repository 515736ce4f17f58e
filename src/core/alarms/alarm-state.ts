import type { AssessedNode, NodeKey } from '#fleet/live.ts'
import type { Twins } from '#fleet/snapshot.ts'
import {
  endShelf,
  alarmIdOf,
  applyEvaluation,
  isForgettable,
  newInstance,
  type Evaluation,
  type Instance,
  type Moment,
  type Stepped,
  type Timing,
  type Transition,
  type TransitionName,
} from './instance.ts'
import {
  isMoreSevere,
  isOn,
  mostSevereFirst,
  type AlarmId,
  type AlarmKind,
  type AlarmSubject,
  type AlarmValue,
  type ClosedReason,
  SELF_KINDS,
} from './alarm.ts'
import type { EventFacts, LogEntry } from '#history/event-log.ts'

export type AlarmTransition = {
  readonly instance: Instance
  readonly transition: Transition
  readonly at: Moment
  readonly inhibitedBy?: AlarmId
}

export type RuleEvaluation = {
  readonly ruleId: string
  readonly kind: AlarmKind
  readonly subject: AlarmSubject
  readonly timing: Timing
  readonly evaluation: Evaluation
  readonly freshForMs: number
}

type AlarmStatePorts = {
  readonly momentOf: (subject: AlarmSubject) => Moment
  readonly onTransition: (transition: AlarmTransition) => void
  readonly changed: (change: Change) => void
}

/**
 * `view`: only the presentation. `memory`: the rules' memory. `evaluations`: the last evaluation. `alarms`: changes whose
 * loss an operator would notice.
 */
export type Change = 'view' | 'memory' | 'evaluations' | 'alarms'

const INSTANCES_MAX = 40_000

export type AlarmState = ReturnType<typeof createAlarmState>

export function createAlarmState({ momentOf, onTransition, changed }: AlarmStatePorts) {
  const instances = new Map<AlarmId, Instance>()
  const reach = new Map<AlarmId, ReadonlySet<NodeKey>>()
  let inhibitedBy: ReadonlyMap<AlarmId, AlarmId> = new Map()
  const apply = ({ next, transitions }: Stepped): void => {
    const before = instances.get(next.id)
    if (next === before) return
    const isOfAlarm = transitions.length > 0 || next.notifiedSeverity !== before?.notifiedSeverity
    changed(isOfAlarm ? 'alarms' : 'evaluations')
    if (isForgettable(next)) {
      instances.delete(next.id)
      reach.delete(next.id)
    } else if (before !== undefined || instances.size < INSTANCES_MAX) instances.set(next.id, next)
    const at = momentOf(next.subject)
    const by = inhibitedBy.get(next.id)
    for (const transition of transitions)
      onTransition({ instance: next, transition, at, ...(by !== undefined && { inhibitedBy: by }) })
  }
  const report = (instance: Instance, transition: Transition): void => {
    changed('view')
    if (instance.phase === 'firing') onTransition({ instance, transition, at: momentOf(instance.subject) })
  }

  return {
    get: (id: AlarmId): Instance | undefined => instances.get(id),
    all: (): readonly Instance[] => Array.from(instances.values()),
    reach,
    momentOf,
    inhibitedBy: (): ReadonlyMap<AlarmId, AlarmId> => inhibitedBy,
    apply,
    report,
    restore: (instance: Instance) => void instances.set(instance.id, instance),
    endShelves: (): void => {
      for (const one of Array.from(instances.values()))
        if (one.shelved !== undefined) apply(endShelf(one, momentOf(one.subject)))
    },
    setNotified: (id: AlarmId, notified: Pick<Instance, 'notifiedSeverity' | 'notifiedAwakeMs'>): void => {
      const one = instances.get(id)
      if (one !== undefined) apply({ next: { ...one, ...notified }, transitions: [] })
    },
    evaluate: ({ ruleId, kind, subject, timing, evaluation, freshForMs }: RuleEvaluation): void => {
      const id = alarmIdOf(ruleId, subject)
      const known = instances.get(id)
      if (known === undefined && evaluation.state !== 'bad') return
      const now = momentOf(subject)
      const before = known ?? newInstance({ id, ruleId, kind, subject }, now)
      const after = applyEvaluation(before, timing, { ...evaluation, freshForMs }, now)
      apply(inhibitedBy.has(id) ? explainedEnd(before, after) : after)
    },
    close: (gone: readonly Instance[], reason: ClosedReason): void => {
      if (gone.length === 0) return
      for (const instance of gone) {
        instances.delete(instance.id)
        reach.delete(instance.id)
        onTransition({ instance, transition: { name: 'closed', reason }, at: momentOf(instance.subject) })
      }
      changed('alarms')
    },
    inhibit: (twins: Twins, watched: Watched): void => {
      const before = inhibitedBy
      inhibitedBy = inhibited(instances.values(), reach, twins, watched, before)
      for (const one of instances.values()) {
        const [was, is] = [before.get(one.id), inhibitedBy.get(one.id)]
        if (was === is) continue
        if ((was === undefined) === (is === undefined)) changed('view')
        else if (is === undefined) report(one, { name: 'released', reason: was ?? '' })
        else report(one, { name: 'inhibited', reason: is })
      }
    },
  }
}

/** An alarm that another one inhibited until it ended, and that was never notified, needs no acknowledgement. */
const explainedEnd = (before: Instance, { next, transitions }: Stepped): Stepped =>
  next.awaitsAcknowledgement && !before.awaitsAcknowledgement && next.notifiedSeverity === undefined
    ? { next: { ...next, awaitsAcknowledgement: false }, transitions }
    : { next, transitions }

const CALLS: readonly TransitionName[] = ['raised', 'worse', 'relapsed']

export function entryOf({ instance, transition, at, inhibitedBy }: AlarmTransition): LogEntry {
  const { id, ruleId, kind, subject, severity, value, limit } = instance
  const { name, reason, note, by } = transition
  const facts: EventFacts = {
    alarm: id,
    kind,
    ...(ruleId !== kind && { rule: ruleId }),
    severity,
    reason,
    ...(note !== undefined && { note }),
    ...(by !== undefined && { by }),
    ...(inhibitedBy !== undefined && CALLS.includes(name) && { inhibitedBy }),
    ...(value !== undefined && factsOf('value', value)),
    ...(limit !== undefined && factsOf('limit', limit)),
  }
  return {
    wallMs: at.wallMs,
    ...(at.serviceMs !== undefined && { serviceMs: at.serviceMs }),
    area: reason === 'by-person' ? 'operator' : 'alarm',
    what: `alarm-${name}`,
    ...('serviceId' in subject && { serviceId: subject.serviceId }),
    ...(subject.kind === 'node' && { nodeKey: subject.node }),
    facts,
  }
}

function factsOf(name: 'value' | 'limit', value: AlarmValue): EventFacts {
  const fact = 'value' in value ? value.value : 'code' in value ? value.code : value.text
  const before = 'before' in value && value.before !== undefined && { before: value.before }
  return { [name]: fact, [`${name}Unit`]: value.unit, ...before }
}

export type Reach = ReadonlyMap<AlarmId, ReadonlySet<NodeKey>>

/** A lost network and anything that stops polling rank above the key, the service and nodes. */
function rankOf({ kind, subject }: Instance): number {
  if (kind === 'clock-skew' || kind === 'round-too-long' || kind === 'blind') return 0
  if (subject.kind === 'screen')
    return kind === 'network' || kind === 'paused' || kind === 'unreachable' ? 3 : 0
  return subject.kind === 'key' ? 2 : subject.kind === 'service' ? 1 : 0
}

/** Kinds without an answer as evidence: such an alarm may be left over from the outage that is just ending. */
const SILENT: readonly string[] = ['unreachable', 'blind', 'paused', 'network']
const FAILING: readonly string[] = ['unreachable', 'rejected', 'key-rejected']
const NEVER: readonly string[] = [
  ...SELF_KINDS.filter((kind) => kind !== 'blind'),
  'clock-skew',
  'round-too-long',
]

type Watched = ReadonlyMap<NodeKey, Pick<AssessedNode, 'key' | 'serviceId'>>

/**
 * No alarm inhibits a more severe one, so that an outage reported as a warning does not hide a service's lasting silence. If only
 * some nodes are silent, the alarm that names the cause already has the right severity.
 */
export function inhibited(
  instances: Iterable<Instance>,
  reach: Reach,
  twins: Twins = new Map(),
  watched: Watched = new Map(),
  before: ReadonlyMap<AlarmId, AlarmId> = new Map(),
): ReadonlyMap<AlarmId, AlarmId> {
  const all = Array.from(instances)
  const bigger = all.filter((one) => isOn(one) && rankOf(one) > 0).toSorted((a, b) => rankOf(b) - rankOf(a))
  const instancesById = new Map(all.map((one) => [one.id, one]))
  const failing = new Map<NodeKey, Instance>()
  for (const one of all)
    if (one.subject.kind === 'node' && isOn(one) && FAILING.includes(one.kind))
      failing.set(one.subject.node, one)
  const found = new Map(
    Array.from(before).filter(([id, by]) => outlasts(instancesById.get(id), instancesById.get(by))),
  )
  for (const one of all) {
    if (NEVER.includes(one.kind)) continue
    const silent = reach.get(one.id) ?? new Set()
    const mayBeMilder = one.kind === 'blind' && hasAnsweringNode(one, silent, watched)
    const isMilder = (by: Instance): boolean => !mayBeMilder && isMoreSevere(one.severity, by.severity)
    const by = bigger.find(
      (big) =>
        rankOf(big) > rankOf(one) && !isMilder(big) && !isNewSince(big, one) && explains(big, one, reach),
    )
    const explained =
      by ?? (one.kind === 'blind' ? allFailing(silent, failing) : sameOf(one, twins, instancesById))
    if (explained !== undefined && !isMilder(explained)) found.set(one.id, explained.id)
  }
  return found
}

/**
 * An alarm stays inhibited after the end of the one that inhibited it, while it recovers or until it is evaluated again after
 * that recovery began: a node that failed in the outage may not have been polled since.
 */
const outlasts = (one: Instance | undefined, by: Instance | undefined): boolean =>
  one?.phase === 'recovering' ||
  (one !== undefined &&
    by?.goodSinceAwakeMs !== undefined &&
    !isOn(by) &&
    by.goodSinceAwakeMs > one.evaluatedAwakeMs)

/** The first answer after an outage can show a new problem, which the outage does not explain. */
const isNewSince = ({ phase, goodSinceWallMs }: Instance, { kind, badSinceWallMs }: Instance): boolean =>
  phase === 'recovering' &&
  goodSinceWallMs !== undefined &&
  badSinceWallMs >= goodSinceWallMs &&
  !SILENT.includes(kind)

function explains(big: Instance, small: Instance, reach: Reach): boolean {
  const nodes = reach.get(big.id)
  // A screen alarm without known nodes explains every node.
  if (nodes === undefined) return big.subject.kind === 'screen' || isSameService(big, small)
  if (small.subject.kind === 'node') return nodes.has(small.subject.node)
  if (isSameService(big, small)) return true
  const own = reach.get(small.id)
  return own !== undefined && own.size > 0 && Array.from(own).every((key) => nodes.has(key))
}

const isSameService = ({ subject }: Instance, small: Instance): boolean =>
  'serviceId' in subject && 'serviceId' in small.subject && subject.serviceId === small.subject.serviceId

/** The same alarm of the same node under its other key. */
function sameOf(
  { ruleId, subject }: Instance,
  twins: Twins,
  instances: ReadonlyMap<AlarmId, Instance>,
): Instance | undefined {
  const node = subject.kind === 'node' ? twins.get(subject.node) : undefined
  if (subject.kind !== 'node' || node === undefined) return undefined
  const twin = instances.get(alarmIdOf(ruleId, { ...subject, node }))
  return twin !== undefined && isOn(twin) ? twin : undefined
}

/** The most severe alarm of these nodes if each of them has one. */
function allFailing(
  nodes: ReadonlySet<NodeKey>,
  failing: ReadonlyMap<NodeKey, Instance>,
): Instance | undefined {
  const alarms = Array.from(nodes).flatMap((key) => failing.get(key) ?? [])
  return alarms.length < nodes.size ? undefined : alarms.toSorted(mostSevereFirst)[0]
}

/** Whether the service has a watched node that is not silent. */
const hasAnsweringNode = ({ subject }: Instance, silent: ReadonlySet<NodeKey>, watched: Watched): boolean =>
  Array.from(watched.values()).some(
    ({ key, serviceId }) => 'serviceId' in subject && serviceId === subject.serviceId && !silent.has(key),
  )
