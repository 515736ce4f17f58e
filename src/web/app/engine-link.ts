import * as Comlink from 'comlink'
import type { EngineApi, EngineConfig, EngineState } from '#engine/bridge.ts'
import type { FleetUpdate } from '#fleet/live.ts'

type Wiring = {
  readonly startEngine: () => Worker
  readonly onUpdate: (update: FleetUpdate) => void
  readonly onState: (state: EngineState) => void
  /** Called before a new engine's first update. */
  readonly onRestart: () => void
  /** Gives the engine's end of a channel to the signer. */
  readonly openSignerPort: (port: MessagePort) => Promise<void>
}

/** An engine that threw its way out is started anew, but not in a loop. */
const RESTARTS_MAX = 5

/**
 * The engine Worker behind one object that outlives it: a new engine takes over the
 * configuration, the signer and the listener of the one before.
 */
export function createEngineLink({ startEngine, onUpdate, onState, onRestart, openSignerPort }: Wiring): {
  readonly api: EngineApi
  readonly restart: () => Promise<void>
} {
  const told: Told = {}
  let current = open()
  let crashes = 0

  function open(): {
    readonly remote: Comlink.Remote<EngineApi>
    readonly stop: () => void
    readonly ready: Promise<void>
  } {
    const worker = startEngine()
    const remote = Comlink.wrap<EngineApi>(worker)
    worker.addEventListener('error', () => {
      if (current.remote === remote && ++crashes <= RESTARTS_MAX) void restart()
    })
    const { port1, port2 } = new MessageChannel()
    // A signer that does not answer must not keep the engine from watching: polls then say so themselves.
    openSignerPort(port1).catch(() => undefined)
    const ready = (async () => {
      await remote.connectSigner(Comlink.transfer(port2, [port2]))
      await remote.subscribe(Comlink.proxy(onUpdate))
      await remote.watchState(Comlink.proxy(onState))
      await tellAgain(remote, told)
    })()
    return { remote, ready, stop: () => worker.terminate() }
  }

  async function restart(): Promise<void> {
    current.stop()
    onRestart()
    current = open()
    await current.ready
  }

  const ready = async (): Promise<Comlink.Remote<EngineApi>> => {
    await current.ready
    return current.remote
  }

  return {
    restart,
    api: {
      ...passedOn(ready),
      ...remembered(ready, told),
    },
  }
}

type Remembered =
  | 'configure'
  | 'watchEvents'
  | 'watchAlarms'
  | 'watchNotices'
  | 'sayOfScreen'
  | 'sendTo'
  | 'watchDeliveries'
  | 'keepHistory'

/** Calls that the next engine is told again. */
const remembered = (
  ready: () => Promise<Comlink.Remote<EngineApi>>,
  told: Told,
): Pick<EngineApi, Remembered> => ({
  configure: async (next) => {
    told.config = next
    await (await ready()).configure(next)
  },
  watchEvents: async (listener) => {
    told.events = listener
    await (await ready()).watchEvents(Comlink.proxy(listener))
  },
  watchAlarms: async (listener) => {
    told.alarms = listener
    await (await ready()).watchAlarms(Comlink.proxy(listener))
  },
  watchNotices: async (listener) => {
    told.notices = listener
    await (await ready()).watchNotices(Comlink.proxy(listener))
  },
  sayOfScreen: async (facts) => {
    told.facts = facts
    await (await ready()).sayOfScreen(facts)
  },
  sendTo: async (receivers) => {
    told.receivers = receivers
    await (await ready()).sendTo(receivers)
  },
  watchDeliveries: async (listener) => {
    told.deliveries = listener
    await (await ready()).watchDeliveries(Comlink.proxy(listener))
  },
  keepHistory: async (...args) => {
    told.keeping = args
    await keepIn(await ready(), ...args)
  },
})

/** Calls of which the next engine need not know. */
const passedOn = (ready: () => Promise<Comlink.Remote<EngineApi>>): Omit<EngineApi, Remembered> => ({
  connectSigner: async (port) => (await ready()).connectSigner(Comlink.transfer(port, [port])),
  subscribe: async (listener) => (await ready()).subscribe(Comlink.proxy(listener)),
  pollNow: async (node) => (await ready()).pollNow(node),
  lookAt: async (node) => (await ready()).lookAt(node),
  keyChanged: async () => (await ready()).keyChanged(),
  readLanes: async (query) => (await ready()).readLanes(query),
  readUsual: async (query) => (await ready()).readUsual(query),
  readEvents: async (query) => (await ready()).readEvents(query),
  appendEvents: async (entries) => (await ready()).appendEvents(entries),
  alarmAct: async (act) => (await ready()).alarmAct(act),
  tryRule: async (rule, range) => (await ready()).tryRule(rule, range),
  testReceiver: async (id) => (await ready()).testReceiver(id),
  tryReceiver: async (id) => (await ready()).tryReceiver(id),
  readAlarmMembers: async (id) => (await ready()).readAlarmMembers(id),
  transfer: async (task, sink) => (await ready()).transfer(task, Comlink.proxy(sink)),
  lastExchange: async (node) => (await ready()).lastExchange(node),
  runConnectionTest: async (draft, report) => (await ready()).runConnectionTest(draft, Comlink.proxy(report)),
  findProfile: async (draft, report) => (await ready()).findProfile(draft, Comlink.proxy(report)),
  watchState: async (listener) => (await ready()).watchState(Comlink.proxy(listener)),
  setRetention: async (retention) => (await ready()).setRetention(retention),
  testStorage: async () => (await ready()).testStorage(),
  setOffline: async (offline) => (await ready()).setOffline(offline),
})

/** What an engine was told, and the next one is told again. */
type Told = {
  config?: EngineConfig
  keeping?: Parameters<EngineApi['keepHistory']>
  events?: () => void
  alarms?: Parameters<EngineApi['watchAlarms']>[0]
  notices?: Parameters<EngineApi['watchNotices']>[0]
  facts?: Parameters<EngineApi['sayOfScreen']>[0]
  receivers?: Parameters<EngineApi['sendTo']>[0]
  deliveries?: Parameters<EngineApi['watchDeliveries']>[0]
}

async function tellAgain(
  remote: Comlink.Remote<EngineApi>,
  { config, keeping, events, alarms, notices, facts, receivers, deliveries }: Told,
): Promise<void> {
  if (alarms !== undefined) await remote.watchAlarms(Comlink.proxy(alarms))
  if (notices !== undefined) await remote.watchNotices(Comlink.proxy(notices))
  if (facts !== undefined) await remote.sayOfScreen(facts)
  if (receivers !== undefined) await remote.sendTo(receivers)
  if (deliveries !== undefined) await remote.watchDeliveries(Comlink.proxy(deliveries))
  if (config !== undefined) await remote.configure(config)
  if (keeping !== undefined) await keepIn(remote, ...keeping)
  if (events !== undefined) await remote.watchEvents(Comlink.proxy(events))
}

const keepIn = (
  remote: Comlink.Remote<EngineApi>,
  ...[start, listener]: Parameters<EngineApi['keepHistory']>
): Promise<void> => remote.keepHistory(start, Comlink.proxy(listener))
