import { clocksOf } from '#evaluate/clock-causes.ts'
import { nodeKeyFromText, type FleetSnapshot, type NodeKey } from '#fleet/live.ts'
import { offsetMs } from '#record/clock-offset.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { AlarmSettings, Maintenance } from '#settings/alarm-settings.ts'
import type { ServiceId } from '#record/service.ts'
import type { AlarmId, AlarmKind, AlarmsView, AlarmSubject, AlarmNotification } from './alarm.ts'
import type { Evaluation } from './seen.ts'
import type { RowContext } from './rows.ts'
import {
  isForgettable,
  newInstance,
  applyEvaluation,
  type Instance,
  type Moment,
  type Stepped,
  type Timing,
  type Transition,
} from './instance.ts'
import type { Memory } from './operator-rules.ts'
import { isInScope } from './scope.ts'
import { createNotifier, groupTimingOf, type Notifier } from './notifier.ts'
import type { LastAnswer } from './self-rules.ts'

/** One step of one alarm, for the journal. */
export type AlarmTransition = {
  readonly instance: Instance
  readonly transition: Transition
  readonly at: Moment
  /** The bigger alarm that explained it at that moment, so that nobody was called. */
  readonly inhibitedBy?: AlarmId
}

export type AlarmPorts = {
  /** Which tab judges. */
  readonly writer: string
  readonly onTransition: (step: AlarmTransition) => void
  readonly onNotification: (notice: AlarmNotification) => void
  /** How far local time is ahead of UTC at a moment; absent: not at all. */
  readonly zoneOffsetMs?: (wallMs: number) => number
}

/** What all parts of the alarms share. */
export type AlarmRoom = {
  readonly ports: AlarmPorts
  readonly instances: Map<AlarmId, Instance>
  /** Polls that each node had when it was last looked at, and when it was last heard. */
  readonly polls: Map<NodeKey, number>
  readonly heard: Map<NodeKey, LastAnswer>
  readonly reach: Map<AlarmId, ReadonlySet<NodeKey>>
  readonly notifier: Notifier
  /** What rules remember of a subject, beside its alarm. */
  readonly memory: Map<AlarmId, Memory>
  settings: AlarmSettings
  /** Windows of maintenance that are open now. */
  windows: readonly Maintenance[]
  inhibitedBy: ReadonlyMap<AlarmId, AlarmId>
  snapshot: FleetSnapshot | undefined
  /** Time that was watched. It goes on where it was after a reload. */
  awakeMs: number
  steadyMs: number | undefined
  wallMs: number
  mutedUntilWallMs: number | undefined
  revision: number
  /** Undefined when something has changed since it was made. */
  shown: AlarmsView | undefined
  /** What changed since it was last kept: something that a person would miss, or only what was seen last. */
  unkept: 'much' | 'little' | 'nothing'
  /** Whether what is kept is as new as it should be. */
  kept: boolean
  /** Services that were watched in this session. */
  readonly services: Set<ServiceId>
  /** Whether anything but the lack of a key was ever seen, in this session or an earlier one. */
  hadKey: boolean
  /** Nobody has made or brought a first key yet. */
  awaitsKey: boolean
  /** When alarms of an earlier session were taken over. */
  restoredAwakeMs: number | undefined
}

/** Alarms at once; beyond it the newest are not taken up. */
const INSTANCES_MAX = 40_000

export function createRoom(ports: AlarmPorts): AlarmRoom {
  const room: AlarmRoom = {
    ports,
    instances: new Map(),
    polls: new Map(),
    heard: new Map(),
    reach: new Map(),
    notifier: createNotifier((one) => groupTimingOf(one, intervalOf(room, one.subject))),
    memory: new Map(),
    settings: { rules: [], maintenance: [] },
    windows: [],
    inhibitedBy: new Map(),
    snapshot: undefined,
    awakeMs: 0,
    steadyMs: undefined,
    wallMs: 0,
    mutedUntilWallMs: undefined,
    revision: 0,
    shown: undefined,
    unkept: 'nothing',
    kept: false,
    services: new Set(),
    hadKey: false,
    awaitsKey: false,
    restoredAwakeMs: undefined,
  }
  return room
}

export const alarmIdOf = (ruleId: string, subject: AlarmSubject): AlarmId =>
  subject.kind === 'node'
    ? `${ruleId} ${subject.node}`
    : `${ruleId} ${subject.kind} ${'serviceId' in subject ? subject.serviceId : ''}`

/** The node of an alarm that is a node's. */
export const nodeIn = (id: AlarmId): NodeKey => nodeKeyFromText(id.slice(id.indexOf(' ') + 1))

/** How often the subject is asked. */
export const intervalOf = ({ snapshot }: Pick<AlarmRoom, 'snapshot'>, subject: AlarmSubject): number =>
  ('serviceId' in subject ? snapshot?.services.get(subject.serviceId)?.service.pollIntervalMs : undefined) ??
  DEFAULTS.pollIntervalMs

export function aroundOf(room: AlarmRoom): RowContext {
  const { awakeMs, wallMs, inhibitedBy, reach, settings, windows, snapshot } = room
  const todos = new Map(settings.rules.map(({ id, todo }) => [id, todo]))
  return {
    awakeMs,
    wallMs,
    inhibitedBy,
    inMaintenance: ({ subject }) => windows.some(({ scope }) => isInScope(scope, subject, snapshot)),
    reach,
    todo: (ruleId) => todos.get(ruleId),
  }
}

export function momentOf({ snapshot, awakeMs, wallMs }: AlarmRoom, subject: AlarmSubject): Moment {
  const service = 'serviceId' in subject ? snapshot?.services.get(subject.serviceId) : undefined
  const clocks = service && clocksOf(service)
  return { awakeMs, wallMs, serviceMs: clocks && wallMs + offsetMs(clocks.offset) }
}

/** Takes an alarm as it is now, and tells how it came to be so. */
export function take(room: AlarmRoom, { next, transitions }: Stepped): void {
  const { instances, reach, ports } = room
  const before = instances.get(next.id)
  if (next === before) return
  room.shown = undefined
  if (transitions.length > 0 || next.notifiedSeverity !== before?.notifiedSeverity) room.unkept = 'much'
  else if (room.unkept === 'nothing') room.unkept = 'little'
  if (isForgettable(next)) {
    instances.delete(next.id)
    reach.delete(next.id)
  } else if (before !== undefined || instances.size < INSTANCES_MAX) instances.set(next.id, next)
  const at = momentOf(room, next.subject)
  const inhibitedBy = room.inhibitedBy.get(next.id)
  for (const transition of transitions)
    ports.onTransition({ instance: next, transition, at, ...(inhibitedBy !== undefined && { inhibitedBy }) })
}

/** Alarms of what is watched. One that was kept may be of a node that nobody has named yet in this session. */
export const presentIn = ({ instances, snapshot }: AlarmRoom): readonly Instance[] =>
  Array.from(instances.values()).filter(({ subject }) =>
    subject.kind === 'node'
      ? snapshot?.nodes.has(subject.node)
      : !('serviceId' in subject) || snapshot?.services.has(subject.serviceId),
  )

/** One rule's look at one subject. `freshForMs`: for how long it holds when nothing new comes. */
export type RuleLook = {
  readonly ruleId: string
  readonly kind: AlarmKind
  readonly subject: AlarmSubject
  readonly timing: Timing
  readonly evaluation: Evaluation
  readonly freshForMs: number
}

export function see(
  room: AlarmRoom,
  { ruleId, kind, subject, timing, evaluation, freshForMs }: RuleLook,
): void {
  const id = alarmIdOf(ruleId, subject)
  const known = room.instances.get(id)
  // Nothing is wrong and nothing was: most looks end here.
  if (known === undefined && evaluation.state !== 'bad') return
  const now = momentOf(room, subject)
  const before = known ?? newInstance({ id, ruleId, kind, subject }, now)
  take(room, applyEvaluation(before, timing, { ...evaluation, freshForMs }, now))
}
