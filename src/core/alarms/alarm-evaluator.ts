import { HOUR_MS } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { clocksOf, offsetMs } from '#record/clock-offset.ts'
import { nodeKeyFromText } from '#fleet/live.ts'
import { twinsIn, type FleetSnapshot, type Twins } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { AlarmRule, AlarmSettings, Maintenance } from '#settings/schema.ts'
import { actOn, alarmIdOf, nodeIn, resetSeverity, type Instance, type Moment } from './instance.ts'
import type { ActOnAlarms, AlarmAct } from './alarm-act.ts'
import type {
  AlarmId,
  AlarmMember,
  AlarmNotification,
  AlarmsView,
  AlarmSubject,
  AlarmView,
  ClosedReason,
} from './alarm.ts'
import { createBuiltInSettings, type BuiltInSettingsOf } from './built-in-settings.ts'
import { createAlarmState, type AlarmState, type AlarmTransition, type Change } from './alarm-state.ts'
import type { StoredAlarms } from './alarm-store.ts'
import { kindOf } from './metric-values.ts'
import { isInScope, openWindows } from './maintenance-windows.ts'
import { createNodeRules, createRuleFailures, evaluateUnpolled, type NodeRules } from './node-rules.ts'
import { createNotifier, groupTimingOf } from './notification-groups.ts'
import {
  listOf,
  memberOf,
  raisedOf,
  rowsOf,
  viewOf,
  type RaisedAlarms,
  type RowContext,
} from './alarm-rows.ts'
import { dueEvaluation, intervalOf, evaluateScreen, evaluateShared, type SelfFacts } from './shared-rules.ts'
import { createWatchedFleet } from './watched-fleet.ts'

type AlarmPorts = {
  readonly writer: string
  readonly onTransition: (transition: AlarmTransition) => void
  readonly onNotification: (notification: AlarmNotification) => void
  /** How far local time is ahead of UTC at a given time; absent: UTC. */
  readonly zoneOffsetMs?: (wallMs: number) => number
  readonly registry: MetricRegistry
}

/** A longer gap between two evaluations counts as not watched. */
const AWAKE_STEP_MAX_MS = 5_000
/** Stored alarms of nodes and services that are no longer configured are closed after this time. */
const STRAYS_KEPT_MS = HOUR_MS

const ALL_RULES = 'all'
const LASTING_RULES = 'lasting'
const SHARED_RULES = 'shared'

/** Evaluates all alarms of one screen. It has no clock: the caller passes the time. */
export class AlarmEvaluator {
  readonly #ports: AlarmPorts
  readonly #fleet = createWatchedFleet()
  readonly #failures = createRuleFailures()
  readonly #nodeRules: NodeRules
  readonly #alarms: AlarmState
  readonly #notifier = createNotifier((one) => groupTimingOf(one, intervalOf(this.#snapshot, one.subject)))
  #snapshot: FleetSnapshot | undefined
  #settings: AlarmSettings = { rules: [], maintenance: [], builtIn: [] }
  #builtIn: BuiltInSettingsOf = () => undefined
  #windows: readonly Maintenance[] = []
  /** Watched time, which continues after a reload. */
  #awakeMs = 0
  #wallMs = 0
  #steadyMs: number | undefined
  /** Watched time at the reload. Undefined: there was none, or it was too long ago to matter. */
  #restoredMs: number | undefined
  /** After a reload: the number of alarms whose node or service is listed. */
  #listed = 0
  #mutedUntilWallMs: number | undefined
  #view: AlarmsView | undefined
  #raised: RaisedAlarms | undefined
  #revision = 0
  #isPersisted = false
  #dirty: 'alarms' | 'evaluations' | 'nothing' = 'nothing'

  constructor(ports: AlarmPorts) {
    this.#ports = ports
    this.#nodeRules = createNodeRules(ports.registry, this.#failures)
    this.#alarms = createAlarmState({
      momentOf: (subject) => momentIn(this.#snapshot, this.#now(), subject),
      onTransition: ports.onTransition,
      changed: (change) => this.#changed(change),
    })
  }

  /** `nowMs` is on the engine's steady clock. */
  evaluate(next: FleetSnapshot, facts: SelfFacts, nowMs: number, wallMs: number): void {
    this.#awakeMs += Math.min(AWAKE_STEP_MAX_MS, Math.max(0, nowMs - (this.#steadyMs ?? nowMs)))
    this.#steadyMs = nowMs
    this.#wallMs = wallMs
    const before = this.#snapshot
    // A snapshot carries the time of its batch; the present time is later.
    const now = { ...next, nowMs, wallMs }
    this.#snapshot = now
    // Until now the view listed no nodes.
    if (before === undefined) this.#changed('view')
    const isSame = before?.nodes === now.nodes && before.services === now.services
    if (!isSame && this.#restoredMs !== undefined) this.#noteListed()
    if (!isSame || this.#restoredMs !== undefined) this.#closeGone(now)
    this.#applyBuiltInSettings()
    this.#evaluateRules(now, before, facts)
    this.#settle()
  }

  configure(settings: AlarmSettings): void {
    this.#settings = settings
    this.#builtIn = createBuiltInSettings(settings.builtIn, () => this.#snapshot)
    const rules = new Map(settings.rules.filter(({ off }) => !off).map((rule) => [rule.id, rule]))
    this.#nodeRules.forget((rule) => !rules.has(rule))
    this.#close(unruled(this.#alarms.all(), rules, this.#snapshot), 'rule-removed')
  }

  act(act: AlarmAct, wallMs: number): void {
    this.#wallMs = wallMs
    if (act.act === 'mute') this.#mute(Math.min(act.untilWallMs, wallMs + DEFAULTS.shelveMaxMs))
    else if (act.act === 'unmute') this.#mute(undefined)
    else
      for (const one of this.#affectedBy(act))
        this.#alarms.apply(actOn(one, act, this.#alarms.momentOf(one.subject)))
    this.#settle()
  }

  /** The same object while nothing has changed. */
  view(): AlarmsView {
    this.#view ??= {
      revision: ++this.#revision,
      writer: this.#ports.writer,
      wallMs: this.#wallMs,
      ...listOf(this.#present(), this.#context()),
      mutedUntilWallMs: this.#mutedUntilWallMs,
      persisted: this.#isPersisted,
    }
    return this.#view
  }

  /** The same object while nothing has changed. */
  raised(): RaisedAlarms {
    this.#raised ??= raisedOf(this.#present(), this.#context())
    return this.#raised
  }

  members(id: AlarmId): readonly AlarmMember[] {
    return this.#rows().get(id)?.flatMap(memberOf) ?? []
  }

  /** Rows of an earlier session's alarms whose node or service is not listed, or not listed yet. */
  awaited(): readonly AlarmView[] {
    if (this.#restoredMs === undefined) return []
    const unlisted = this.#alarms.all().filter(({ subject }) => !isIn(subject, this.#snapshot))
    const context = this.#context()
    return Array.from(rowsOf(unlisted, context)).flatMap(([id, row]) => viewOf(id, row, context) ?? [])
  }

  /** Changes since the last call of `stored`. `alarms`: changes whose loss an operator would notice. */
  dirty(): 'alarms' | 'evaluations' | 'nothing' {
    return this.#dirty
  }

  setPersisted(isPersisted: boolean): void {
    if (!isPersisted) this.#dirty = 'alarms'
    if (this.#isPersisted !== isPersisted) this.#view = undefined
    this.#isPersisted = isPersisted
  }

  stored(): StoredAlarms {
    const memory = this.#nodeRules.memory()
    const instances = this.#alarms.all()
    const nodes = instances.flatMap(({ subject }) => (subject.kind === 'node' ? [subject.node] : []))
    this.#dirty = 'nothing'
    return {
      version: 1,
      ...this.#now(),
      mutedUntilWallMs: this.#mutedUntilWallMs,
      hadKey: this.#fleet.hadKey(),
      instances,
      polls: this.#fleet.pollsOf([...nodes, ...memory.map(([id]) => nodeIn(id))]),
      reach: Array.from(this.#alarms.reach, ([id, keys]) => [id, Array.from(keys)] as const),
      memory,
    }
  }

  /** Timers continue where they were, because only watched time counts; after more than an hour they restart. */
  restore(stored: StoredAlarms, wallMs: number): void {
    this.#awakeMs = this.#restoredMs = stored.awakeMs
    this.#wallMs = wallMs
    this.#mutedUntilWallMs = stored.mutedUntilWallMs
    this.#changed('view')
    this.#fleet.restore(
      stored.polls.map(([node, made]) => [nodeKeyFromText(node), made] as const),
      stored.hadKey,
    )
    this.#nodeRules.restore(stored.memory)
    for (const [id, keys] of stored.reach) this.#alarms.reach.set(id, new Set(keys.map(nodeKeyFromText)))
    const isLong = Math.abs(wallMs - stored.wallMs) > DEFAULTS.alarmTimersOutageMs
    for (const one of stored.instances) {
      const known: Instance = { ...one, heldAwakeMs: one.heldAwakeMs ?? stored.awakeMs }
      this.#alarms.restore(known)
      const isTiming = known.phase === 'pending' || known.phase === 'recovering'
      if (isLong && isTiming && known.watchedMs > 0)
        this.#alarms.apply({
          next: { ...known, watchedMs: 0 },
          transitions: [{ name: 'timer-restarted', reason: 'not-watched-too-long' }],
        })
    }
  }

  #now() {
    return { awakeMs: this.#awakeMs, wallMs: this.#wallMs }
  }

  #changed(change: Change): void {
    if (change !== 'memory') this.#view = this.#raised = undefined
    if (change === 'alarms') this.#dirty = 'alarms'
    else if (change !== 'view' && this.#dirty === 'nothing') this.#dirty = 'evaluations'
  }

  #mute(untilWallMs: number | undefined): void {
    this.#mutedUntilWallMs = untilWallMs
    this.#changed('alarms')
  }

  #present(): readonly Instance[] {
    return this.#alarms.all().filter(({ subject }) => isIn(subject, this.#snapshot))
  }

  #context(): RowContext {
    const todos = new Map(this.#settings.rules.map(({ id, todo }) => [id, todo]))
    return {
      ...this.#now(),
      inhibitedBy: this.#alarms.inhibitedBy(),
      reach: this.#alarms.reach,
      twins: this.#twins(),
      inMaintenance: (one) => this.#isInMaintenance(one),
      todo: (ruleId) => todos.get(ruleId),
    }
  }

  #twins(): Twins {
    return this.#snapshot === undefined ? new Map() : twinsIn(this.#snapshot)
  }

  #rows(): ReturnType<typeof rowsOf> {
    return rowsOf(this.#present(), this.#context())
  }

  #affectedBy(act: ActOnAlarms): readonly Instance[] {
    if (act.act === 'acknowledge-all') return this.#present()
    const rows = this.#rows()
    return act.ids.flatMap((id) => rows.get(id) ?? this.#alarms.get(id) ?? [])
  }

  #close(gone: readonly Instance[], reason: ClosedReason): void {
    for (const each of this.#notifier.closed(gone, reason, this.#context())) this.#ports.onNotification(each)
    this.#alarms.close(gone, reason)
  }

  /**
   * Closes alarms of nodes and services that are no longer configured. Alarms of an earlier session stay for an hour, because
   * the node list may load late, for example while the dashboard server is down.
   */
  #closeGone(now: FleetSnapshot): void {
    const isLate = this.#restoredMs !== undefined && this.#awakeMs - this.#restoredMs >= STRAYS_KEPT_MS
    const gone = this.#alarms
      .all()
      .filter(({ subject }) => !isIn(subject, now) && (isLate || this.#fleet.wasWatched(subject)))
    const left = this.#fleet.leave(now)
    this.#nodeRules.forget((_rule, node) => left.has(node) || (isLate && !now.nodes.has(node)))
    if (isLate) this.#restoredMs = undefined
    this.#close(gone, 'node-removed')
  }

  /** Alarms of an earlier session are shown once their nodes are listed. */
  #noteListed(): void {
    const listed = this.#present().length
    if (listed !== this.#listed) this.#changed('view')
    this.#listed = listed
  }

  /** Ends the alarms of disabled rules, and gives the others the severity that was set. */
  #applyBuiltInSettings(): void {
    if (this.#settings.builtIn.length === 0) return
    const off: Instance[] = []
    for (const one of this.#alarms.all()) {
      const settings = one.ruleId === one.kind ? this.#builtIn(one.kind, one.subject) : undefined
      if (settings?.off === true) off.push(one)
      else if (settings?.severity !== undefined) this.#alarms.apply(resetSeverity(one, settings.severity))
    }
    this.#close(off, 'rule-off')
  }

  /** A rule that throws does not stop the others. */
  #evaluateRules(now: FleetSnapshot, before: FleetSnapshot | undefined, facts: SelfFacts): void {
    const { rules } = this.#settings
    const [alarms, fleet, failures, awakeMs] = [this.#alarms, this.#fleet, this.#failures, this.#awakeMs]
    if (fleet.noteKey(now, awakeMs)) this.#changed('alarms')
    for (const polled of fleet.polled(now, before, awakeMs)) {
      const evaluations = failures.isolate(`${ALL_RULES} ${polled.node.key}`, [], () =>
        this.#nodeRules.evaluate(polled, now, rules, this.#builtIn, this.#now()),
      )
      for (const each of evaluations) alarms.evaluate(each)
      if (rules.length > 0) this.#changed('memory')
    }
    fleet.noteIntervals(now, before, awakeMs)
    const unpolled = failures.isolate(LASTING_RULES, [], () =>
      evaluateUnpolled(alarms.all(), now, this.#builtIn),
    )
    for (const each of unpolled) alarms.evaluate(each)
    const shared = failures.isolate(SHARED_RULES, [], () => evaluateShared(now, alarms.all(), fleet, awakeMs))
    const ofScreen = evaluateScreen({ ...facts, failedRules: failures.text() }, now)
    for (const each of [...shared, ...ofScreen]) {
      const { kind, subject } = each
      const id = alarmIdOf(kind, subject)
      const settings = this.#builtIn(kind, subject)
      if (settings?.off === true) continue
      if (each.evaluation.state === 'bad') alarms.reach.set(id, new Set(each.nodes))
      const due = dueEvaluation(each, alarms.get(id), settings, intervalOf(now, subject), awakeMs)
      if (due !== undefined) alarms.evaluate(due)
    }
  }

  /** Ends expired shelving, inhibits and notifies. Call this after any change. */
  #settle(): void {
    this.#alarms.endShelves()
    this.#alarms.inhibit(this.#twins(), this.#snapshot?.nodes ?? new Map())
    this.#updateMaintenance()
    if (this.#mutedUntilWallMs !== undefined && this.#wallMs >= this.#mutedUntilWallMs) this.#mute(undefined)
    const { notifications, notified, isWaiting } = this.#notifier.step(this.#present(), this.#context())
    for (const each of notifications) this.#ports.onNotification(each)
    for (const [id, notifiedSeverity] of notified)
      this.#alarms.setNotified(id, { notifiedSeverity, notifiedAwakeMs: this.#awakeMs })
    // The next session continues the wait from the stored time.
    if (isWaiting) this.#dirty = 'alarms'
  }

  #isInMaintenance({ subject }: Instance): boolean {
    return this.#windows.some(({ scope }) => isInScope(scope, subject, this.#snapshot))
  }

  #updateMaintenance(): void {
    const open = openWindows(this.#settings.maintenance, this.#wallMs, this.#ports.zoneOffsetMs)
    if (open.length === this.#windows.length && open.every((one, at) => one === this.#windows[at])) return
    const before = new Set(this.#alarms.all().filter((one) => this.#isInMaintenance(one)))
    this.#windows = open
    for (const one of this.#alarms.all()) {
      const isCovered = this.#isInMaintenance(one)
      const name = isCovered ? 'maintenance-began' : 'maintenance-ended'
      if (before.has(one) !== isCovered) this.#alarms.report(one, { name, reason: 'maintenance-window' })
    }
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
    : !('serviceId' in subject) ||
      Array.from(snapshot?.nodes.values() ?? []).some(({ serviceId }) => serviceId === subject.serviceId)

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
