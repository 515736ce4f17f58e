import { HOUR_MS } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { clocksOf, offsetMs } from '#record/clock-offset.ts'
import { nodeKeyFromText } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { AlarmRule, AlarmSettings, Maintenance } from '#settings/schema.ts'
import { actOn, alarmIdOf, nodeIn, type Instance, type Moment } from './instance.ts'
import type { AlarmAct, AlarmId, AlarmMember, AlarmNotification, AlarmsView, AlarmSubject } from './alarm.ts'
import { createAlarmState, type AlarmState, type AlarmTransition, type Change } from './alarm-state.ts'
import type { StoredAlarms } from './alarm-store.ts'
import { kindOf } from './metric-values.ts'
import { isInScope, openWindows } from './maintenance-windows.ts'
import {
  createRuleFailures,
  type RuleFailures,
  createNodeRules,
  evaluateLasting,
  evaluateRefused,
  type NodeRules,
} from './node-rules.ts'
import { createNotifier, groupTimingOf } from './notification-groups.ts'
import { listOf, memberOf, raisedOf, rowsOf, type RaisedAlarms, type RowContext } from './alarm-rows.ts'
import { dueEvaluation, intervalOf, evaluateScreen, evaluateShared, type SelfFacts } from './shared-rules.ts'
import { createWatchedFleet, type WatchedFleet } from './watched-fleet.ts'

type AlarmPorts = {
  readonly writer: string
  readonly onTransition: (transition: AlarmTransition) => void
  readonly onNotification: (notification: AlarmNotification) => void
  /** How far local time is ahead of UTC at a moment; absent: not at all. */
  readonly zoneOffsetMs?: (wallMs: number) => number
  readonly registry: MetricRegistry
}

/** Evaluates all alarms of one screen. It has no clock: the caller passes the time. */
export type AlarmEvaluator = {
  /** `nowMs` is on the engine's steady clock. */
  readonly evaluate: (snapshot: FleetSnapshot, facts: SelfFacts, nowMs: number, wallMs: number) => void
  readonly configure: (settings: AlarmSettings) => void
  readonly act: (act: AlarmAct, wallMs: number) => void
  /** The same object while nothing has changed. */
  readonly view: () => AlarmsView
  readonly raised: () => RaisedAlarms
  readonly members: (id: AlarmId) => readonly AlarmMember[]
  readonly restore: (stored: StoredAlarms, wallMs: number) => void
  /** Changes since `stored` was last called: `much` is what a person would miss. */
  readonly dirty: () => 'much' | 'little' | 'nothing'
  readonly stored: () => StoredAlarms
  readonly setPersisted: (persisted: boolean) => void
}

/** A longer gap between two evaluations was not watched. */
const AWAKE_STEP_MAX_MS = 5_000
/** Stored alarms of nodes and services that are no longer configured are dropped after this. */
const STRAYS_KEPT_MS = HOUR_MS

type Watched = { snapshot: FleetSnapshot | undefined; settings: AlarmSettings }

export function createAlarmEvaluator(ports: AlarmPorts): AlarmEvaluator {
  const watched: Watched = { snapshot: undefined, settings: { rules: [], maintenance: [] } }
  const time = createWatchedTime()
  const fleet = createWatchedFleet()
  const failures = createRuleFailures()
  const nodeRules = createNodeRules(ports.registry, failures)
  const published = createPublished(ports.writer)
  const alarms = createAlarmState({
    momentOf: (subject) => momentIn(watched.snapshot, time.now(), subject),
    onTransition: ports.onTransition,
    changed: published.changed,
  })
  const list = createList(alarms, watched, time, ports.zoneOffsetMs)
  const notifier = createNotifier((one) => groupTimingOf(one, intervalOf(watched.snapshot, one.subject)))
  const close = (gone: readonly Instance[], reason: 'node-removed' | 'rule-removed'): void => {
    for (const each of notifier.closed(gone, reason, list.context())) ports.onNotification(each)
    alarms.close(gone, reason)
  }
  /** Ends shelves, inhibits and notifies, after anything has changed. */
  const settle = (): void => {
    alarms.endShelves()
    alarms.inhibit()
    list.updateMaintenance()
    published.endMute(time.now().wallMs)
    const { notifications, notified } = notifier.step(list.present(), list.context())
    for (const each of notifications) ports.onNotification(each)
    for (const [id, severity] of notified) alarms.setNotified(id, severity)
  }
  const parts = { alarms, fleet, nodeRules, failures, watched, time, published }
  const evaluateRules = createRuleEvaluation(parts)

  return {
    evaluate: (next, facts, nowMs, wallMs) => {
      time.advance(nowMs, wallMs)
      const before = watched.snapshot
      // A snapshot is as old as its batch; ages go on meanwhile.
      const now = { ...next, nowMs, wallMs }
      watched.snapshot = now
      // The view before was a list without nodes.
      if (before === undefined) published.changed('view')
      const isSame = before?.nodes === now.nodes && before.services === now.services
      const restoredAgoMs = time.sinceRestoreMs()
      if (!isSame || restoredAgoMs !== undefined) {
        const isLate = restoredAgoMs !== undefined && restoredAgoMs >= STRAYS_KEPT_MS
        const gone = goneFrom(alarms.all(), now, isLate ? () => true : fleet.wasWatched)
        const left = fleet.leave(now)
        nodeRules.forget((_rule, node) => left.has(node) || (isLate && !now.nodes.has(node)))
        if (isLate) time.endRestore()
        close(gone, 'node-removed')
      }
      evaluateRules(now, before, facts)
      settle()
    },
    configure: (settings) => {
      watched.settings = settings
      const rules = new Map(settings.rules.filter(({ off }) => !off).map((rule) => [rule.id, rule]))
      nodeRules.forget((rule) => !rules.has(rule))
      close(unruled(alarms.all(), rules, watched.snapshot), 'rule-removed')
    },
    act: (act, wallMs) => {
      time.setWall(wallMs)
      if (act.act === 'mute') published.mute(Math.min(act.untilWallMs, wallMs + DEFAULTS.shelveMaxMs))
      if (act.act === 'unmute') published.mute(undefined)
      for (const one of list.meantBy(act)) alarms.apply(actOn(one, act, alarms.momentOf(one.subject)))
      settle()
    },
    view: () => published.view(() => ({ wallMs: time.now().wallMs, ...list.read() })),
    raised: () => published.raised(list.raised),
    members: (id) => list.rows().get(id)?.flatMap(memberOf) ?? [],
    ...createPersistence(parts),
  }
}

type Parts = {
  readonly alarms: AlarmState
  readonly fleet: WatchedFleet
  readonly nodeRules: NodeRules
  readonly failures: RuleFailures
  readonly watched: Readonly<Watched>
  readonly time: WatchedTime
  readonly published: Published
}

/** Evaluates every rule. A rule that throws does not stop the others. */
const createRuleEvaluation =
  ({ alarms, fleet, nodeRules, failures, watched, time, published }: Parts) =>
  (now: FleetSnapshot, before: FleetSnapshot | undefined, facts: SelfFacts): void => {
    const { awakeMs } = time.now()
    if (fleet.noteKey(now, awakeMs)) published.changed('much')
    for (const polled of fleet.polled(now, before, awakeMs)) {
      const evaluations = failures.held(`${ALL_RULES} ${polled.node.key}`, [], () =>
        nodeRules.evaluate(polled, now, watched.settings.rules, time.now()),
      )
      for (const each of evaluations) alarms.evaluate(each)
      if (watched.settings.rules.length > 0) published.changed('memory')
    }
    const unpolled = failures.held(LASTING_RULES, [], () => [
      ...evaluateRefused(alarms.all(), now),
      ...evaluateLasting(alarms.all(), now),
    ])
    for (const each of unpolled) alarms.evaluate(each)
    const shared = failures.held(SHARED_RULES, [], () => evaluateShared(now, alarms.all(), fleet, awakeMs))
    const ofScreen = evaluateScreen({ ...facts, failedRules: failures.text() }, now)
    for (const each of [...shared, ...ofScreen]) {
      const id = alarmIdOf(each.kind, each.subject)
      if (each.evaluation.state === 'bad') alarms.reach.set(id, new Set(each.nodes))
      const due = dueEvaluation(each, alarms.get(id), intervalOf(now, each.subject), awakeMs)
      if (due !== undefined) alarms.evaluate(due)
    }
  }

const ALL_RULES = 'all'
const LASTING_RULES = 'lasting'
const SHARED_RULES = 'shared'

function createPersistence({
  alarms,
  fleet,
  nodeRules,
  time,
  published,
}: Omit<Parts, 'failures' | 'watched'>): Pick<
  AlarmEvaluator,
  'restore' | 'dirty' | 'stored' | 'setPersisted'
> {
  return {
    dirty: published.dirty,
    setPersisted: published.setPersisted,
    stored: () => {
      const memory = nodeRules.memory()
      const ofNodes = alarms
        .all()
        .flatMap(({ subject }) => (subject.kind === 'node' ? [subject.node] : []))
        .concat(memory.map(([id]) => nodeIn(id)))
      published.clean()
      return {
        version: 1,
        ...time.now(),
        mutedUntilWallMs: published.mutedUntilWallMs(),
        hadKey: fleet.hadKey(),
        instances: alarms.all(),
        polls: fleet.pollsOf(ofNodes),
        memory,
      }
    },
    /** Timers continue where they were, because only watched time counts; after more than an hour they restart. */
    restore: (stored, wallMs) => {
      time.restore(stored.awakeMs, wallMs)
      published.restoreMute(stored.mutedUntilWallMs)
      fleet.restore(
        stored.polls.map(([node, made]) => [nodeKeyFromText(node), made] as const),
        stored.hadKey,
      )
      nodeRules.restore(stored.memory)
      const isLong = Math.abs(wallMs - stored.wallMs) > DEFAULTS.alarmTimersOutageMs
      for (const one of stored.instances) {
        const known: Instance = { ...one, heldAwakeMs: one.heldAwakeMs ?? stored.awakeMs }
        alarms.restore(known)
        const isTiming = known.phase === 'pending' || known.phase === 'recovering'
        if (isLong && isTiming && known.watchedMs > 0)
          alarms.apply({
            next: { ...known, watchedMs: 0 },
            transitions: [{ name: 'timer-restarted', reason: 'not-watched-too-long' }],
          })
      }
    },
  }
}

function createList(
  alarms: AlarmState,
  watched: Readonly<Watched>,
  time: WatchedTime,
  zoneOffsetMs: AlarmPorts['zoneOffsetMs'],
) {
  let windows: readonly Maintenance[] = []
  const isCovered = ({ subject }: Instance): boolean =>
    windows.some(({ scope }) => isInScope(scope, subject, watched.snapshot))
  const context = (): RowContext => {
    const todos = new Map(watched.settings.rules.map(({ id, todo }) => [id, todo]))
    return {
      ...time.now(),
      inhibitedBy: alarms.inhibitedBy(),
      reach: alarms.reach,
      inMaintenance: isCovered,
      todo: (ruleId) => todos.get(ruleId),
    }
  }
  const present = (): readonly Instance[] => presentIn(alarms.all(), watched.snapshot)
  const rows = () => rowsOf(present(), context())
  return {
    context,
    present,
    rows,
    read: () => listOf(present(), context()),
    raised: (): RaisedAlarms => raisedOf(present(), context()),
    meantBy: (act: AlarmAct): readonly Instance[] => {
      if (act.act === 'acknowledge-all') return present()
      if (!('ids' in act)) return []
      const all = rows()
      return act.ids.flatMap((id) => all.get(id) ?? alarms.get(id) ?? [])
    },
    /** Opens and closes maintenance windows, and reports each change for every alarm that is on. */
    updateMaintenance: (): void => {
      const open = openWindows(watched.settings.maintenance, time.now().wallMs, zoneOffsetMs)
      if (open.length === windows.length && open.every((one, at) => one === windows[at])) return
      const before = new Set(alarms.all().filter(isCovered))
      windows = open
      for (const one of alarms.all())
        if (before.has(one) !== isCovered(one))
          alarms.report(one, {
            name: isCovered(one) ? 'maintenance-began' : 'maintenance-ended',
            reason: 'maintenance-window',
          })
    },
  }
}

type Published = ReturnType<typeof createPublished>

function createPublished(writer: string) {
  let shown: AlarmsView | undefined
  let raised: RaisedAlarms | undefined
  let revision = 0
  let persisted = false
  let dirty: ReturnType<AlarmEvaluator['dirty']> = 'nothing'
  let mutedUntilWallMs: number | undefined
  const changed = (change: Change): void => {
    if (change !== 'memory') shown = raised = undefined
    if (change === 'much') dirty = 'much'
    else if (change !== 'view' && dirty === 'nothing') dirty = 'little'
  }
  const mute = (untilWallMs: number | undefined): void => {
    mutedUntilWallMs = untilWallMs
    changed('much')
  }
  return {
    changed,
    mute,
    mutedUntilWallMs: () => mutedUntilWallMs,
    endMute: (wallMs: number): void => {
      if (mutedUntilWallMs !== undefined && wallMs >= mutedUntilWallMs) mute(undefined)
    },
    restoreMute: (untilWallMs: number | undefined): void => {
      mutedUntilWallMs = untilWallMs
      changed('view')
    },
    dirty: () => dirty,
    clean: (): void => {
      dirty = 'nothing'
    },
    setPersisted: (next: boolean): void => {
      if (!next) dirty = 'much'
      if (persisted !== next) shown = undefined
      persisted = next
    },
    raised: (read: () => RaisedAlarms): RaisedAlarms => (raised ??= read()),
    view: (
      read: () => Omit<AlarmsView, 'revision' | 'writer' | 'mutedUntilWallMs' | 'persisted'>,
    ): AlarmsView => (shown ??= { revision: ++revision, writer, ...read(), mutedUntilWallMs, persisted }),
  }
}

type WatchedTime = ReturnType<typeof createWatchedTime>

/** Watched time. It continues after a reload. */
function createWatchedTime() {
  let awakeMs = 0
  let wallMs = 0
  let steadyMs: number | undefined
  let restoredMs: number | undefined
  return {
    now: () => ({ awakeMs, wallMs }),
    advance: (nowMs: number, nextWallMs: number): void => {
      awakeMs += Math.min(AWAKE_STEP_MAX_MS, Math.max(0, nowMs - (steadyMs ?? nowMs)))
      steadyMs = nowMs
      wallMs = nextWallMs
    },
    setWall: (nextWallMs: number): void => {
      wallMs = nextWallMs
    },
    restore: (storedMs: number, nextWallMs: number): void => {
      awakeMs = storedMs
      restoredMs = storedMs
      wallMs = nextWallMs
    },
    /** Undefined: nothing was restored, or too long ago to matter. */
    sinceRestoreMs: () => (restoredMs === undefined ? undefined : awakeMs - restoredMs),
    endRestore: (): void => {
      restoredMs = undefined
    },
  }
}

function momentIn(
  snapshot: FleetSnapshot | undefined,
  now: Pick<Moment, 'awakeMs' | 'wallMs'>,
  subject: AlarmSubject,
): Moment {
  const service = 'serviceId' in subject ? snapshot?.services.get(subject.serviceId) : undefined
  const clocks = service && clocksOf(service)
  return { ...now, serviceMs: clocks && now.wallMs + offsetMs(clocks.offset) }
}

const isIn = (subject: AlarmSubject, snapshot: FleetSnapshot | undefined): boolean =>
  subject.kind === 'node'
    ? snapshot?.nodes.has(subject.node) === true
    : !('serviceId' in subject) || snapshot?.services.has(subject.serviceId) === true

/** A stored alarm may be of a node that is not configured yet in this session. */
const presentIn = (all: readonly Instance[], snapshot: FleetSnapshot | undefined): readonly Instance[] =>
  all.filter(({ subject }) => isIn(subject, snapshot))

/**
 * Alarms of nodes and services that are no longer configured. Those of an earlier session stay for an hour,
 * because the node list may load late, as when the dashboard's server is down.
 */
const goneFrom = (
  all: readonly Instance[],
  now: FleetSnapshot,
  mayGo: (subject: AlarmSubject) => boolean,
): readonly Instance[] => all.filter(({ subject }) => !isIn(subject, now) && mayGo(subject))

const unruled = (
  all: readonly Instance[],
  rules: ReadonlyMap<string, AlarmRule>,
  snapshot: FleetSnapshot | undefined,
): readonly Instance[] =>
  all.filter(({ ruleId, kind, subject }) => {
    if (ruleId === kind) return false
    const rule = rules.get(ruleId)
    if (rule === undefined || kindOf(rule.condition.metric, rule.condition.test) !== kind) return true
    return isIn(subject, snapshot) && !isInScope(rule.scope, subject, snapshot)
  })
