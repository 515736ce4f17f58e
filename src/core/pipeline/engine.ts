import { pollIntervalOf } from '#fleet/live.ts'
import type { AlarmKind, AlarmNotification, AlarmsView } from '#alarms/alarm.ts'
import { createOutbox } from '#delivery/outbox.ts'
import type { OutboxPorts, OutboxStorage, Post } from '#delivery/delivery-queue.ts'
import type { AlarmStore } from '#alarms/alarm-store.ts'
import type { Clock } from '#base/clock.ts'
import { createStore } from '#base/store.ts'
import { EMPTY_SNAPSHOT, type FleetSnapshot } from '#fleet/snapshot.ts'
import type { Charts } from '#charts/charts.ts'
import type { Sentinel } from '#history/history-status.ts'
import type { History } from '#history/history.ts'
import type { StoredHistory } from '#history/store/stored-history.ts'
import type { LineSource, TransferEnd, TransferSink, TransferTask } from '#history/transfer/transfer.ts'
import type { Transfer } from '#history/transfer/transfers.ts'
import type { MonitorConfig } from '#monitor/configure.ts'
import type { Log } from '#monitor/ports.ts'
import type { Reports } from '#report/summary.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { AlarmSettings } from '#settings/schema.ts'
import { createAlarmService } from './alarm-service.ts'
import { createNetworkRecorder, type NetworkStore } from './network-recorder.ts'
import { createPipeline, type PipelinePorts } from './pipeline.ts'

type StoredParts = Pick<StoredHistory, 'start' | 'status' | 'configure' | 'dispose' | 'saved' | 'log'>

export type EnginePorts = Pick<
  PipelinePorts,
  | 'clock'
  | 'transport'
  | 'signer'
  | 'probe'
  | 'inFlightMax'
  | 'isBatching'
  | 'verify'
  | 'metrics'
  | 'readingStore'
> & {
  /** Without charts and reports, nothing can be read. */
  readonly history: History & Partial<StoredParts & Charts & Reports>
  /** Export, import and backups. Absent: history is in memory only. */
  readonly transfer?: Transfer
  /** Absent: there are no files to import. */
  readonly linesOf?: (file: Blob) => LineSource
  /** Id of this engine as the writer of history and alarms; new at each start. */
  readonly id: string
  readonly alarmStore: AlarmStore
  /** Absent: the trend of the network's figures is lost when the engine ends. */
  readonly networkStore?: NetworkStore
  readonly delivery: {
    readonly post: Post
    readonly storage: OutboxStorage
    readonly texts: (
      fleet: () => FleetSnapshot,
    ) => Pick<OutboxPorts, 'describe' | 'summary' | 'details' | 'test'>
  }
  readonly notify: (notification: AlarmNotification) => void
}

export type EngineConfig = MonitorConfig & { readonly alarms?: AlarmSettings }

export type Engine = ReturnType<typeof createEngine>

/** Until it is started, the engine polls, writes and sends nothing. */
export function createEngine(ports: EnginePorts) {
  const { history, id } = ports
  const { fleet, outbox, alarms, pipeline, network } = compose(ports)
  const { monitor, subscribe } = pipeline
  let phase: 'waiting' | 'starting' | 'running' | 'stopped' = 'waiting'
  let config: EngineConfig | undefined
  let started: { readonly known: Sentinel | undefined } | undefined

  const putToWork = (next: EngineConfig): void => {
    monitor.configure(next)
    alarms.configure(next.alarms ?? EMPTY_SETTINGS.alarms)
  }

  return {
    monitor,
    fleet: { get: fleet.get },
    saveReadings: pipeline.readings.save,
    subscribe,
    network,
    alarms,
    outbox,
    history,
    metrics: ports.metrics,
    transfer: async (task: TransferTask<Blob>, sink: TransferSink): Promise<TransferEnd> =>
      ports.transfer === undefined || ports.linesOf === undefined
        ? { kind: 'failed', failure: 'none' }
        : ports.transfer('file' in task ? { ...task, file: ports.linesOf(task.file) } : task, sink),
    configure: (next: EngineConfig): void => {
      config = next
      if (phase === 'running') putToWork(next)
    },
    /** Starts to record history in this browser. `known`: what a page remembers of it. */
    keepHistory: (known: Sentinel | undefined): void => {
      // Every page calls it; only the first call counts.
      if (started !== undefined) return
      started = { known }
      if (phase === 'starting' || phase === 'running') void history.start?.(known)
    },
    start: (): void => {
      if (phase !== 'waiting') return
      phase = 'starting'
      outbox.setActive(true)
      alarms.start(id)
      pipeline.start()
      network.start()
      if (started !== undefined) void history.start?.(started.known)
      // Polling starts after the stored readings are restored, so that no node appears as unknown first.
      pipeline.readings.start(() => {
        phase = 'running'
        if (config !== undefined) putToWork(config)
      })
    },
    /** Ends every request and timer for good. `lost`: another engine already runs, so this one writes nothing more. */
    stop: (why: 'ended' | 'lost'): void => {
      if (phase === 'stopped') return
      phase = 'stopped'
      if (why === 'ended') void pipeline.readings.save()
      pipeline.readings.stop()
      network.stop()
      alarms.stop(why === 'ended')
      outbox.setActive(false)
      pipeline.dispose()
      history.dispose?.()
    },
  }
}

function compose(ports: EnginePorts) {
  const { clock, history, notify, metrics } = ports
  const { texts, ...world } = ports.delivery
  const log: Log = (entry) => void history.log?.append([entry])
  const fleet = createStore(EMPTY_SNAPSHOT)
  const watchdog = createWatchdog(clock, fleet.get)
  const outbox = createOutbox({ ...world, ...texts(fleet.get), clock, isWatching: watchdog.isWatching })
  const alarms = createAlarmService({
    clock,
    log: history.log,
    saved: history.saved,
    status: history.status,
    store: ports.alarmStore,
    metrics,
    onNotification: (notification) => {
      outbox.notify(notification)
      notify(notification)
    },
    evaluated: (view, awaited) => {
      watchdog.evaluated(view)
      outbox.sync(view, alarms.members, awaited)
    },
  })
  const pipeline = createPipeline({
    ...ports,
    fleet,
    alarms,
    log,
    onError: createErrorLog(clock, log),
  })
  const { nowMs } = pipeline.monitor
  const network = createNetworkRecorder({ clock, nowMs, fleet, metrics, store: ports.networkStore })
  return { fleet, outbox, alarms, pipeline, network }
}

/** Without a finished poll for this long, or for three intervals if that is longer, the engine is not watching. */
const SILENCE_MIN_MS = 120_000
const SILENCE_INTERVALS = 3
/** While one of these alarms fires, the engine has no answers from its nodes. */
const NOT_WATCHING: readonly AlarmKind[] = ['paused', 'blind', 'network']

/** Detects whether nodes are polled and alarms evaluated. A dead-man's ping is sent only then. */
export function createWatchdog(clock: Clock, fleet: () => FleetSnapshot) {
  let polls = 0
  let lastPollMs = Number.NEGATIVE_INFINITY
  let isBlind = false
  return {
    evaluated: ({ alarms }: AlarmsView): void => {
      const { answered, failed } = fleet().screen
      if (answered + failed > polls) lastPollMs = clock.monotonicMs()
      polls = answered + failed
      isBlind = alarms.some(({ kind, phase }) => phase === 'firing' && NOT_WATCHING.includes(kind))
    },
    isWatching: (): boolean => {
      const { services, nodes } = fleet()
      const intervals = Array.from(nodes.values(), (node) =>
        pollIntervalOf(node, services.get(node.serviceId)),
      )
      const limitMs = Math.max(SILENCE_MIN_MS, SILENCE_INTERVALS * Math.min(...intervals))
      return nodes.size > 0 && !isBlind && clock.monotonicMs() - lastPollMs < limitMs
    },
  }
}

/** Logs a defect once instead of with every batch. */
function createErrorLog(clock: Clock, log: Log) {
  let last: string | undefined
  return (error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error)
    if (message === last) return
    last = message
    log({ wallMs: clock.wallMs(), area: 'watching', what: 'internal-error', facts: { message } })
  }
}
