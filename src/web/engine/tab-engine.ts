import type { Store } from '#base/store.ts'
import type { Clock } from '#base/clock.ts'
import { tryRule } from '#alarms/try-rule.ts'
import type { AlarmStore } from '#alarms/alarm-store.ts'
import { err } from '#base/result.ts'
import type { History, LaneData } from '#history/history.ts'
import type { StoredHistory } from '#history/transfer/stored-history.ts'
import type { Exchange } from '#monitor/exchange.ts'
import { createMonitor, type Monitor } from '#monitor/monitor.ts'
import type { NetworkProbe, Transport } from '#protocol/ports.ts'
import type { Signer, VerifySignature } from '#signing/signer.ts'
import type { TabCall } from '#tabs/share-message.ts'
import { createTabs, type Tabs, type TabsPorts, type TabState } from '#tabs/tabs.ts'
import { createAlarmDesk, type AlarmDesk } from './alarm-desk.ts'
import type { EngineApi, TabEvent } from './bridge.ts'
import {
  createNotificationService,
  OFFLINE_DELIVERY,
  type NotificationService,
  type DeliveryWorld,
} from './notification-service.ts'
import { createTransferCalls, type TransferCalls } from './transfer-calls.ts'
import { createEventCalls, type EventCalls, type LogKeeping } from './event-calls.ts'

/** How this tab finds the others. */
export type TabWorld = Pick<TabsPorts, 'id' | 'build' | 'random' | 'hesitates' | 'lock' | 'openChannel'>

type TabEnginePorts = {
  readonly clock: Clock
  readonly transport: Transport
  readonly signer: Signer
  readonly history: History & LogKeeping & Partial<Pick<StoredHistory, 'status'>>
  readonly alarmKeeper?: AlarmStore
  readonly probe?: NetworkProbe
  readonly verify?: VerifySignature
  readonly world: TabWorld
  /** Long work on this tab's own history; absent where nothing is kept. */
  readonly transfer?: EngineApi['transfer']
  /** Absent: nothing is sent to anybody. */
  readonly outgoing?: DeliveryWorld
}

type Offered =
  | 'configure'
  | 'pollNow'
  | 'lookAt'
  | 'keyChanged'
  | 'readLanes'
  | 'readUsual'
  | 'transfer'
  | 'readEvents'
  | 'appendEvents'
  | 'watchEvents'
  | 'lastExchange'
  | 'watchTabs'
  | 'tabAct'
  | 'sayToTabs'
  | 'watchAlarms'
  | 'watchNotices'
  | 'alarmAct'
  | 'readAlarmMembers'
  | 'tryRule'
  | 'sayOfScreen'
  | 'sendTo'
  | 'watchDeliveries'
  | 'testReceiver'
  | 'tryReceiver'

export type TabEngine = Pick<EngineApi, Offered> & {
  readonly monitor: Monitor
  /** Whether this tab leads, and in which term: only the one that leads writes history. */
  readonly state: Store<TabState>
  readonly dispose: () => void
}

/** One engine among those of several tabs: the one that leads asks, and the others show what it tells. */
export function createTabEngine(ports: TabEnginePorts): TabEngine {
  const { clock, transport, signer, history, probe, verify, world } = ports
  let listener: (event: TabEvent) => void = () => undefined
  const monitor = createMonitor({
    clock,
    signer,
    probe,
    ...(verify && { verify }),
    follows: true,
    log: (entries) => void history.log?.append(entries),
    // Between this and the request there is no wait in which the lead could be lost.
    transport: async (request, signal) =>
      (await tabs.confirm()) ? transport(request, signal) : err({ kind: 'aborted' }),
    history: {
      ...history,
      append: async (batch) => {
        tabs.samples(batch)
        await history.append(batch)
      },
    },
  })
  const tabs: Tabs = createTabs({
    ...world,
    clock,
    monitor,
    answer: async (call) => answer({ history, monitor, events, transfers, alarms, outgoing }, call),
    hearEvents: () => events.heard(),
    takeSamples: (batch) => void history.append(batch).catch(() => undefined),
    hearWord: (word) => listener({ kind: 'word', word }),
  })
  const events = createEventCalls(clock, history, tabs)
  const { alarms, outgoing, transfers, endDesks } = createDesks(ports, monitor, tabs)
  const readLanes = lanesOf(tabs, history)
  tabs.state.subscribe(() => listener({ kind: 'state', state: tabs.state.get() }))

  return {
    monitor,
    state: tabs.state,
    ...alarms.api,
    ...outgoing.api,
    dispose: () => {
      endDesks()
      events.end()
      tabs.end()
      monitor.dispose()
    },
    configure: async (config) => {
      monitor.configure(config)
      alarms.configured(config.alarms)
      tabs.configured()
    },
    pollNow: async (node) => tabs.command({ what: 'poll', node }),
    lookAt: async (node) => tabs.command({ what: 'look', node }),
    keyChanged: async () => tabs.command({ what: 'key-changed' }),
    readLanes,
    readUsual: usualFrom(tabs, history),
    transfer: transfers.anywhere,
    tryRule: (rule, range) => tryRule(readLanes, monitor.snapshot(), rule, range),
    readEvents: events.readAnywhere,
    appendEvents: events.appendAnywhere,
    watchEvents: events.watch,
    lastExchange: exchangeFrom(tabs, monitor),
    watchTabs: async (next) => {
      listener = next
      next({ kind: 'state', state: tabs.state.get() })
    },
    tabAct: async (act) => ({ 'take-over': tabs.takeOver, rest: tabs.rest, wake: tabs.wake })[act](),
    sayToTabs: async (word) => tabs.say(word),
  }
}

const nothingKept: EngineApi['transfer'] = async () => ({ kind: 'failed', failure: 'none' })

/** What this tab heard since it was opened is less than what the one that asks has seen, but better than nothing. */
const lanesOf =
  (tabs: Pick<Tabs, 'ask'>, history: History): EngineApi['readLanes'] =>
  async (query) => {
    const heard = await tabs.ask({ what: 'lanes', query })
    return isLanes(heard) ? heard : history.readLanes(query)
  }

const exchangeFrom =
  (tabs: Pick<Tabs, 'ask'>, monitor: Monitor): EngineApi['lastExchange'] =>
  async (node) => {
    const heard = await tabs.ask({ what: 'exchange', node })
    return isExchange(heard) ? heard : monitor.lastExchange(node)
  }

const usualFrom =
  (tabs: Pick<Tabs, 'ask'>, history: History): EngineApi['readUsual'] =>
  async (query) => {
    const heard = await tabs.ask({ what: 'usual', query })
    return typeof heard === 'object' && heard !== null ? heard : ((await history.readUsual?.(query)) ?? {})
  }

/** Where alarms are judged, and from where others are told of them; and long work on the history. */
function createDesks(
  { clock, history, world, alarmKeeper, ...ports }: TabEnginePorts,
  monitor: Monitor,
  tabs: Tabs,
) {
  const { log, saved, status } = history
  const outgoing = createNotificationService({
    ...(ports.outgoing ?? OFFLINE_DELIVERY),
    clock,
    monitor,
    tabs,
  })
  const alarms = createAlarmDesk({
    clock,
    monitor,
    tabs,
    outgoing,
    id: world.id,
    log,
    saved,
    status,
    keeper: alarmKeeper,
  })
  let jobs = 0
  const nextId = (): string => `${world.id} ${++jobs}`
  const transfers = createTransferCalls(clock, ports.transfer ?? nothingKept, tabs, nextId)
  const endDesks = (): void => {
    alarms.end()
    outgoing.end()
    transfers.end()
  }
  return { alarms, outgoing, transfers, endDesks }
}

type Answering = {
  readonly history: History
  readonly monitor: Monitor
  readonly events: EventCalls
  readonly transfers: TransferCalls
  readonly alarms: AlarmDesk
  readonly outgoing: NotificationService
}

/** What a tab that leads tells another one. */
async function answer(
  { history, monitor, events, transfers, alarms, outgoing }: Answering,
  call: TabCall,
): Promise<unknown> {
  switch (call.what) {
    case 'lanes':
      return history.readLanes(call.query)
    case 'usual':
      return history.readUsual?.(call.query)
    case 'exchange':
      return monitor.lastExchange(call.node)
    case 'transfer':
      return transfers.answer(call)
    case 'events':
      return events.read(call.query)
    case 'append-events':
      return events.append(call.entries)
    case 'deliveries':
    case 'try-receiver':
      return outgoing.answer(call)
    default:
      return alarms.answer(call)
  }
}

// The same code answered, so one field tells an answer from none.
const isLanes = (value: unknown): value is LaneData =>
  typeof value === 'object' && value !== null && 'heartbeatAge' in value
const isExchange = (value: unknown): value is Exchange =>
  typeof value === 'object' && value !== null && 'requestHeaders' in value
