import { randomBytes } from 'node:crypto'
import { PING_EVERY_DEFAULT_MS } from '#alarms/channels.ts'
import type { Outgoing, Post } from '#delivery/delivery-queue.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { EventLog } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import { createVerifier } from '#keys/verify-signature.ts'
import { createEngine, type EngineConfig, type EnginePorts } from '#pipeline/engine.ts'
import type { ServedWatch } from '#server/answer-watch.ts'
import { receiverIdOf, type Receiver } from '#settings/receiver.ts'
import { createAlarmTexts } from '#texts/alarm-message.ts'
import { createWatchHistory, pauseEntry } from './watch-history.ts'
import { openWatchJournal } from './watch-journal.ts'
import type { WatchFiles } from './state-file.ts'
import { figuresText, watchFigures } from './watch-figures.ts'
import { postUrlOf } from './watch-post.ts'
import { openWatchStores } from './watch-stores.ts'

export type WatchPorts = Pick<EnginePorts, 'clock' | 'transport' | 'signer' | 'metrics'> & {
  /** Requests in flight per host. */
  readonly inFlightMax: number
  readonly files: WatchFiles
  readonly post: Post
  /** The dashboard's address without a slash at the end, for links in messages. */
  readonly dashboardUrl: string
  readonly report: (line: string) => void
  /** Gets defects; the watch continues. */
  readonly onError: (error: unknown) => void
  /** Gets each poll's result. */
  readonly onSample?: (sample: Sample) => void
}

export type Watch = ServedWatch & {
  readonly configure: (config: EngineConfig, receivers: readonly Receiver[]) => void
  readonly start: () => void
  readonly stop: () => void
  readonly fleet: () => FleetSnapshot
  readonly nowMs: () => number
}

/** The whole engine without a browser: polls, evaluates, raises alarms and notifies. */
export function createWatch(ports: WatchPorts): Watch {
  const { clock, metrics, files, report, inFlightMax, dashboardUrl } = ports
  const stores = openWatchStores(files, report)
  const log = withErrors(openWatchJournal(files, report), ports.onError)
  const engine = createEngine({
    clock,
    metrics,
    transport: ports.transport,
    signer: ports.signer,
    id: randomBytes(8).toString('hex'),
    inFlightMax: () => inFlightMax,
    isBatching: () => false,
    verify: createVerifier(),
    history: createWatchHistory(log, metrics, ports.onSample ?? (() => undefined)),
    alarmStore: stores.alarms,
    readingStore: stores.readings,
    delivery: {
      post: ports.post,
      storage: stores.outbox,
      texts: (fleet) => createAlarmTexts(fleet, dashboardUrl, metrics),
    },
    // This computer has no screen to notify on.
    notify: () => undefined,
  })
  let receivers: ReadonlyMap<string, Receiver> = new Map()
  const watch: Watch = {
    configure: (config, next) => {
      receivers = new Map(next.map((receiver) => [receiverIdOf(receiver), receiver]))
      if (next.length === 0) report('The configuration names no receivers, so the watch notifies nobody.')
      stores.keepOutboxOf(Array.from(receivers.keys()))
      engine.outbox.configure(next.map(outgoingOf))
      engine.configure(config)
    },
    start: () => {
      void log.append(pauseEntry(stores.watchedUntilMs(), clock.wallMs()))
      engine.start()
    },
    stop: () => engine.stop('ended'),
    fleet: engine.fleet.get,
    nowMs: engine.monitor.nowMs,
    startedWallMs: clock.wallMs(),
    evaluatedWallMs: engine.alarms.evaluatedWallMs,
    view: engine.alarms.view.get,
    deliveries: () =>
      engine.outbox.states.get().flatMap((state) => {
        const receiver = receivers.get(state.id)
        return receiver === undefined ? [] : [{ ...state, receiver }]
      }),
    act: engine.alarms.act,
    members: engine.alarms.members,
    journal: log.read,
    metrics: () => figuresText(watchFigures(watch)),
  }
  return watch
}

/** The engine writes defects to the journal; this shows them at the terminal too. */
const withErrors = (log: EventLog, onError: (error: unknown) => void): EventLog => ({
  ...log,
  append: (entries) => {
    for (const { what, facts } of entries) if (what === 'internal-error') onError(facts?.['message'])
    return log.append(entries)
  },
})

const outgoingOf = (receiver: Receiver): Outgoing => ({
  id: receiverIdOf(receiver),
  kind: receiver.kind,
  postUrl: postUrlOf(receiver),
  via: 'direct',
  from: receiver.severity ?? 'warning',
  everyMs: receiver.everyMs ?? PING_EVERY_DEFAULT_MS,
  silences: receiver.silences ?? false,
  screenAlarms: receiver.screenAlarms ?? false,
  routing: receiver.routing,
})
