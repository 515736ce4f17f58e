import { createSteadyClock } from '#base/steady.ts'
import { applyConfig, type MonitorConfig } from './configure.ts'
import { createDueQueue } from './due-queue.ts'
import { createExchangeLog, type Exchange } from './exchange.ts'
import { createLimiter } from './limiter.ts'
import type { FleetSnapshot, FleetUpdate, NodeKey, ScreenLive } from '#fleet/live.ts'
import { askNow, keyChanged, lookAt } from './on-demand.ts'
import { createProber } from './prober.ts'
import { createPublisher, type Publisher } from './publish.ts'
import { createRecorder } from './recorder.ts'
import type { MonitorPorts, Room, ScreenState } from './room.ts'
import { createRounds } from './rounds.ts'
import { serviceLive, type TrackedNode } from './tracked.ts'

/** The engine: asks every node in its turn, and tells what it knows. Runs until it is disposed, whatever fails. */
export type Monitor = {
  /** Makes it watch this and nothing else; unchanged nodes go on undisturbed. */
  readonly configure: (config: MonitorConfig) => void
  /** Asks one node, or all of them, without waiting for the slot; never faster than the limits allow. */
  readonly pollNow: (node?: NodeKey) => void
  /** Somebody opened this node: it is asked at once where nothing is known of it that is younger than an interval. */
  readonly lookAt: (node: NodeKey) => void
  /** A key came, was unlocked or changed: whatever waits for one is asked again. */
  readonly keyChanged: () => void
  /** What the browser says about its network. Believed only when polls fail too. */
  readonly setOffline: (offline: boolean) => void
  readonly snapshot: () => FleetSnapshot
  /** At most every 250 ms; the first update, sent at once, is the whole fleet. Returns the end of the subscription. */
  readonly subscribe: (listener: (update: FleetUpdate) => void) => () => void
  /** This engine's steady clock. */
  readonly nowMs: () => number
  /** Undefined until a request of this node went out. */
  readonly lastExchange: (node: NodeKey) => Exchange | undefined
  /** Ends every request and timer. */
  readonly dispose: () => void
}

export function createMonitor(ports: MonitorPorts): Monitor {
  let serverOrigin = ''
  const room = createRoom(ports, () => serverOrigin)
  const rounds = createRounds(room, ports)
  const { publisher } = room

  return {
    configure: (config) => {
      serverOrigin = config.serverOrigin
      applyConfig(room, config, rounds.notice())
      rounds.tick()
    },
    pollNow: (key) => {
      askNow(room, key, rounds.notice())
      rounds.tick()
    },
    lookAt: (key) => {
      lookAt(room, key, rounds.notice())
      rounds.tick()
    },
    keyChanged: () => {
      keyChanged(room, rounds.notice())
      rounds.tick()
    },
    setOffline: (offline) => {
      room.screen.offlineSinceMs = offline ? (room.screen.offlineSinceMs ?? rounds.notice()) : undefined
      publisher.screen()
    },
    snapshot: publisher.snapshot,
    subscribe: publisher.subscribe,
    nowMs: room.steady.nowMs,
    lastExchange: room.exchanges.get,
    dispose: () => {
      rounds.dispose()
      room.prober.dispose()
      publisher.dispose()
      room.recorder.flush()
    },
  }
}

function createRoom(
  { clock, history, transport, probe, log = () => undefined }: MonitorPorts,
  serverOrigin: () => string,
): Room {
  const steady = createSteadyClock(clock)
  const screen: ScreenState = {
    startedWallMs: clock.wallMs(),
    gaps: [],
    answered: 0,
    failed: 0,
    offlineSinceMs: undefined,
    networkSeenMs: Number.NEGATIVE_INFINITY,
  }
  const nodes: Room['nodes'] = new Map()
  const services: Room['services'] = new Map()
  const limiter = createLimiter<TrackedNode>()
  const recorder = createRecorder(history)
  const screenLive = (): ScreenLive => ({
    startedWallMs: screen.startedWallMs,
    gaps: screen.gaps,
    behindMs: Math.max(0, steady.nowMs() - (limiter.oldestSlotMs() ?? Number.POSITIVE_INFINITY)),
    answered: screen.answered,
    failed: screen.failed,
    offline: screen.offlineSinceMs !== undefined,
  })
  const publisher: Publisher = createPublisher(clock, {
    nowMs: steady.nowMs,
    node: (key) => nodes.get(key)?.live,
    order: () => Array.from(nodes.keys()),
    services: () => Array.from(services.values(), serviceLive),
    screen: screenLive,
    beforeBatch: recorder.flush,
  })
  const exchanges = createExchangeLog()
  const due = createDueQueue<TrackedNode>()
  const prober = createProber({ clock, transport, probe }, serverOrigin, publisher.services)
  return {
    clock,
    steady,
    nodes,
    services,
    due,
    limiter,
    publisher,
    recorder,
    log,
    exchanges,
    prober,
    screen,
  }
}
