import { DEFAULTS } from '#base/defaults.ts'
import type { RaisedAlarms } from '#alarms/alarm-rows.ts'
import type { Clock } from '#base/clock.ts'
import type { Store } from '#base/store.ts'
import { withAlarms } from '#evaluate/assess.ts'
import { causesOf } from '#evaluate/causes.ts'
import type { Cause } from '#fleet/cause.ts'
import type { NodeKey, ScreenLive, NodeLive } from '#fleet/live.ts'
import { applyUpdate, wholeFleet, type FleetSnapshot, type FleetUpdate } from '#fleet/snapshot.ts'
import type { History } from '#history/history.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { createMonitor } from '#monitor/monitor.ts'
import type { MonitorPorts } from '#monitor/ports.ts'
import type { AlarmService } from './alarm-service.ts'
import { createCrossChecks } from './cross-checks.ts'
import { evaluateBatch } from './evaluate-batch.ts'
import { createReadingKeeper, type ReadingStore } from './reading-keeper.ts'
import { createRecorder } from './recorder.ts'
import { createTicker } from './ticker.ts'

export type AlarmStage = Pick<AlarmService, 'evaluate' | 'raised' | 'publish'>

export type PipelinePorts = Omit<MonitorPorts, 'records' | 'onChange' | 'onAct'> & {
  readonly fleet: Store<FleetSnapshot>
  readonly history: Pick<History, 'append' | 'forget'>
  readonly alarms: AlarmStage
  readonly readingStore: ReadingStore
}

/** Passes each batch of polls through every stage: at most every second, or every 250 ms after a user action. */
export function createPipeline({ fleet, history, alarms, readingStore, ...ports }: PipelinePorts) {
  const { clock, onError } = ports
  const recorder = createRecorder(history)
  const batches = createBatchTimer(clock, () => shown.assessed().nodes.size, processBatch)
  const sinks = { records: recorder, onChange: batches.plan, onAct: batches.beginPrompt }
  const monitor = createMonitor({ ...ports, ...sinks })
  const ticker = createTicker(clock, evaluateTime)
  const shown = createShown(fleet, monitor.screen(), ports.metrics)
  const readings = createReadingKeeper(clock, readingStore, monitor)
  const crossChecks = createCrossChecks(ports.metrics)
  const listeners = createListeners(fleet, safely)

  /** poll → record → evaluate → alarms → publish */
  function processBatch(): void {
    const polled = monitor.takeBatch()
    recorder.flush()
    const before = shown.assessed()
    const assessed = evaluateBatch(before, polled, onError, ports.metrics)
    const update = safely(() => crossChecks.take(assessed, () => applyUpdate(before, assessed))) ?? assessed
    readings.turned(readingsDue(before, update))
    shown.take(update)
    publish(shown.withAlarms({ ...update, ...evaluateCauses() }, stepAlarms()))
  }

  function evaluateTime(): void {
    // The next batch evaluates the same within a second.
    if (batches.isPlanned()) return
    const causes = evaluateCauses()
    const others = stepAlarms()
    if (others.length === 0 && causes === undefined) return safely(alarms.publish)
    const { revision, screen } = shown.assessed()
    const now = { nowMs: monitor.nowMs(), wallMs: clock.wallMs(), screen }
    publish(shown.withAlarms({ ...now, ...causes, revision: revision + 1, changed: [] }, others))
  }

  /** Keeps the previous causes if evaluation fails. */
  function evaluateCauses(): Pick<FleetUpdate, 'causes'> | undefined {
    return safely(() => shown.explain(monitor.nowMs(), clock.wallMs()))
  }

  /** Returns the nodes whose alarms changed. */
  function stepAlarms(): readonly NodeKey[] {
    return (
      safely(() => {
        alarms.evaluate(shown.assessed(), monitor.nowMs(), ticker.lateMs())
        return shown.raise(alarms.raised())
      }) ?? []
    )
  }

  function publish(update: FleetUpdate): void {
    listeners.publish(update)
    safely(alarms.publish)
  }

  /** Undefined if the stage threw. The other stages still run. */
  function safely<T>(stage: () => T): T | undefined {
    try {
      return stage()
    } catch (error) {
      onError(error)
      return undefined
    }
  }

  return {
    monitor,
    /**
     * At most every second, or every 250 ms after a user action. The first update contains the whole fleet and is sent at once.
     * Returns the unsubscribe function.
     */
    subscribe: listeners.add,
    /** Also evaluates causes and alarms in each second without a batch, because some follow from time alone. */
    start: ticker.start,
    readings,
    dispose: (): void => {
      monitor.dispose()
      ticker.end()
      batches.end()
      listeners.end()
      recorder.flush()
    },
  }
}

/** Schedules batches: at most one per second, more often after a user action. */
function createBatchTimer(clock: Clock, nodeCount: () => number, run: () => void) {
  let lastMs = Number.NEGATIVE_INFINITY
  let promptUntilMs = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined
  const batch = (): void => {
    cancel = undefined
    lastMs = clock.monotonicMs()
    run()
  }
  const plan = (): void => {
    const nowMs = clock.monotonicMs()
    // The start of a poll is a change too. The delay lets its answer join the same update.
    const dueMs =
      nowMs < promptUntilMs
        ? lastMs + promptMs(nodeCount())
        : Math.max(lastMs + DEFAULTS.publishEveryMs, nowMs + DEFAULTS.publishPromptlyMs)
    cancel ??= clock.after(Math.max(0, dueMs - nowMs), batch)
  }
  const end = (): void => {
    cancel?.()
    cancel = undefined
  }
  return {
    plan,
    isPlanned: () => cancel !== undefined,
    beginPrompt: (): void => {
      promptUntilMs = clock.monotonicMs() + DEFAULTS.promptForMs
      if (cancel === undefined) return
      end()
      plan()
    },
    end,
  }
}

/** An update of many nodes costs a page more, so a large fleet publishes less often. */
const promptMs = (nodes: number): number =>
  Math.min(DEFAULTS.publishEveryMs, Math.max(DEFAULTS.publishPromptlyMs, nodes))

/** A listener that throws does not affect the others. */
function createListeners(fleet: Store<FleetSnapshot>, safely: (stage: () => void) => void) {
  const listeners = new Set<(update: FleetUpdate) => void>()
  return {
    add: (listener: (update: FleetUpdate) => void): (() => void) => {
      listeners.add(listener)
      listener(wholeFleet(fleet.get()))
      return () => {
        listeners.delete(listener)
      }
    },
    publish: (update: FleetUpdate): void => {
      for (const listener of Array.from(listeners)) safely(() => listener(update))
    },
    end: (): void => listeners.clear(),
  }
}

/** The evaluated fleet: without alarms for the alarm stage, with them for pages. */
function createShown(fleet: Store<FleetSnapshot>, screen: ScreenLive, metrics: MetricRegistry) {
  let assessed: FleetSnapshot = { ...fleet.get(), screen }
  let explained = JSON.stringify(assessed.causes)
  let raised: RaisedAlarms = new Map()
  fleet.publish(assessed)
  return {
    assessed: () => assessed,
    take: (update: FleetUpdate): void => {
      assessed = applyUpdate(assessed, update)
      // Published before the alarm stage, because alarm texts describe nodes by this snapshot.
      fleet.publish(applyUpdate(fleet.get(), update))
    },
    explain: (nowMs: number, wallMs: number): { readonly causes: readonly Cause[] } | undefined => {
      const causes = causesOf({ ...assessed, nowMs, wallMs }, nowMs, metrics)
      const text = JSON.stringify(causes)
      if (text === explained) return undefined
      explained = text
      assessed = { ...assessed, causes }
      return { causes }
    },
    raise: (now: RaisedAlarms): readonly NodeKey[] => {
      const before = raised
      raised = now
      return before === now
        ? []
        : Array.from(new Set([...before.keys(), ...now.keys()])).filter(
            (key) => JSON.stringify(before.get(key)) !== JSON.stringify(now.get(key)),
          )
    },
    /** `others`: further nodes that are published with this update. */
    withAlarms: (update: FleetUpdate, others: readonly NodeKey[]): FleetUpdate => {
      const keys = new Set([...update.changed.map(({ key }) => key), ...others])
      const nodes = Array.from(keys).flatMap((key) => assessed.nodes.get(key) ?? [])
      const whole = { ...update, changed: nodes.map((node) => withAlarms(node, raised.get(node.key))) }
      assessed = { ...assessed, revision: update.revision }
      fleet.publish(applyUpdate(fleet.get(), whole))
      return whole
    },
  }
}

/**
 * When to save the last readings: `soon` if nodes started or stopped failing or the list of nodes changed, `first` if a node
 * answered for the first time.
 */
function readingsDue(
  { nodes }: FleetSnapshot,
  { changed, order }: FleetUpdate,
): 'soon' | 'first' | undefined {
  const hasTurned = ({ key, episode }: NodeLive): boolean =>
    (nodes.get(key)?.episode === undefined) !== (episode === undefined)
  if (order !== undefined || changed.some(hasTurned)) return 'soon'
  const isFirst = ({ key, reading }: NodeLive): boolean =>
    reading !== undefined && nodes.get(key)?.reading === undefined
  return changed.some(isFirst) ? 'first' : undefined
}
