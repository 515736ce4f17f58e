import type { AlarmsView, AlarmNotification } from '#alarms/alarm.ts'
import type { OutboxStorage, Post } from '#alarms/delivery.ts'
import type { AlarmStore } from '#alarms/alarm-store.ts'
import { createOutbox, type Outbox } from '#alarms/outbox.ts'
import type { Clock } from '#base/clock.ts'
import { err } from '#base/result.ts'
import type { Sentinel } from '#history/history-status.ts'
import type { History } from '#history/history.ts'
import type { StoredHistory } from '#history/transfer/stored-history.ts'
import type { LineSource, TransferEnd, TransferSink, TransferTask } from '#history/transfer/transfer.ts'
import { createMonitor, type Monitor } from '#monitor/monitor.ts'
import type { NetworkProbe, Transport } from '#protocol/ports.ts'
import type { Signer, VerifySignature } from '#signing/signer.ts'
import { createAlarmService, type AlarmService } from './alarm-service.ts'
import { createAlarmFacts } from './alarm-facts.ts'
import type { EngineConfig } from './bridge.ts'
import { createWatchdog } from './watchdog.ts'

/** What a history offers that outlives the engine. */
type Keeping = Pick<
  StoredHistory,
  'start' | 'rest' | 'status' | 'configure' | 'dispose' | 'saved' | 'log' | 'transfer'
>

/** How messages leave this browser. */
export type DeliveryWorld = {
  readonly post: Post
  readonly storage: OutboxStorage
  /** Where this dashboard is, for links in messages. */
  readonly origin: string
}

export type EnginePorts = {
  readonly clock: Clock
  readonly transport: Transport
  readonly signer: Signer
  readonly probe?: NetworkProbe
  /** Checks proofs; absent: none is checked. */
  readonly verify?: VerifySignature
  readonly history: History & Partial<Keeping>
  /** Reads a file; absent where there are none. */
  readonly linesOf?: (file: Blob) => LineSource
  /** Who writes history and raises alarms: another name each time that an engine starts. */
  readonly id: string
  /** Where alarms are kept; absent: they end with the engine. */
  readonly alarmKeeper?: AlarmStore
  /** Absent: nothing is sent to anybody. */
  readonly outgoing?: DeliveryWorld
  /** People are to be notified. */
  readonly notify: (notice: AlarmNotification) => void
}

/** Polls, keeps, evaluates and sends, for whoever watches it; it knows no page. */
export type Engine = {
  readonly monitor: Omit<Monitor, 'configure' | 'dispose'>
  readonly alarms: Pick<AlarmService, 'view' | 'act' | 'members' | 'setFacts'>
  readonly outbox: Pick<Outbox, 'configure' | 'states' | 'test' | 'tryNow'>
  readonly history: EnginePorts['history']
  readonly transfer: (task: TransferTask<Blob>, sink: TransferSink) => Promise<TransferEnd>
  readonly configure: (config: EngineConfig) => void
  /** Keeps history in this browser from now on. `known`: what a page remembers of it. */
  readonly keepHistory: (known: Sentinel | undefined) => void
  /** Nothing is polled, written or sent before. */
  readonly start: () => void
  /** Ends every request and timer, at once and for good. `lost`: another engine runs already, so nothing more is written. */
  readonly stop: (why: 'ended' | 'lost') => void
}

export function createEngine(ports: EnginePorts): Engine {
  const { clock, history, id, notify, verify } = ports
  const monitor = createMonitor({
    clock,
    history,
    transport: ports.transport,
    signer: ports.signer,
    probe: ports.probe,
    ...(verify && { verify }),
    log: (entries) => void history.log?.append(entries),
  })
  const { outbox, send, evaluated } = createSending(ports, monitor)
  const alarms = createAlarmService({
    clock,
    monitor,
    log: history.log,
    saved: history.saved,
    status: history.status,
    keeper: ports.alarmKeeper,
    onNotification: (notification) => {
      send(notification)
      notify(notification)
    },
    evaluated,
  })
  const { configure, dispose } = monitor
  let phase: 'waiting' | 'running' | 'stopped' = 'waiting'
  let config: EngineConfig | undefined
  let kept: { readonly known: Sentinel | undefined } | undefined

  const putToWork = (next: EngineConfig): void => {
    configure(next)
    alarms.configure(next.alarms ?? { rules: [], maintenance: [] })
  }

  return {
    monitor,
    alarms,
    outbox,
    history,
    transfer: async (task, sink) =>
      history.transfer === undefined || ports.linesOf === undefined
        ? { kind: 'failed', failure: 'none' }
        : history.transfer('file' in task ? { ...task, file: ports.linesOf(task.file) } : task, sink),
    configure: (next) => {
      config = next
      if (phase === 'running') putToWork(next)
    },
    keepHistory: (known) => {
      // Every page says it, and one is enough.
      if (kept !== undefined) return
      kept = { known }
      if (phase === 'running') void history.start?.(known)
    },
    start: () => {
      if (phase !== 'waiting') return
      phase = 'running'
      outbox.setActive(true)
      alarms.start(id)
      if (kept !== undefined) void history.start?.(kept.known)
      if (config !== undefined) putToWork(config)
    },
    stop: (why) => {
      if (phase === 'stopped') return
      phase = 'stopped'
      if (why === 'lost') history.rest?.()
      alarms.stop(why === 'ended')
      outbox.setActive(false)
      dispose()
      history.dispose?.()
    },
  }
}

/** For an engine without a network. */
const OFFLINE_DELIVERY: DeliveryWorld = {
  post: async () => err({ kind: 'unreachable' }),
  storage: { load: async () => undefined, save: async () => undefined },
  origin: '',
}

/** Where alarms are sent from. */
function createSending({ clock, outgoing = OFFLINE_DELIVERY }: EnginePorts, monitor: Monitor) {
  const watchdog = createWatchdog(clock, monitor)
  const outbox = createOutbox({
    ...outgoing,
    ...createAlarmFacts(monitor.snapshot, outgoing.origin),
    clock,
    isWatching: watchdog.isWatching,
  })
  return {
    outbox,
    send: outbox.notify,
    evaluated: (view: AlarmsView): void => {
      watchdog.evaluated(view)
      outbox.sync(view)
    },
  }
}
