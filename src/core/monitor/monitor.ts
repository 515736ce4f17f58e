import { createSteadyClock } from '#base/steady.ts'
import type { NodeKey, NodeLive, ScreenLive, ServiceLive } from '#fleet/live.ts'
import { createChanges, type TakenChanges } from './changes.ts'
import { applyConfig, type MonitorConfig } from './configure.ts'
import { createDueQueue } from './due-queue.ts'
import { createExchangeLog, type Exchange } from './exchange.ts'
import { createLimiter } from './limiter.ts'
import { askNow, keyChanged, lookAt } from './on-demand.ts'
import { createProber } from './prober.ts'
import type { MonitorPorts, Room } from './room.ts'
import { createRounds } from './rounds.ts'
import { serviceLive, type TrackedNode } from './tracked.ts'

/** Polls every node at its time. Runs until it is disposed, whatever fails. */
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
  /** What has changed since this was last called. */
  readonly takeBatch: () => Batch
  readonly screen: () => ScreenLive
  /** The steady clock of all times that are not wall times. */
  readonly nowMs: () => number
  /** Undefined until a request of this node went out. */
  readonly lastExchange: (node: NodeKey) => Exchange | undefined
  /** Ends every request and timer. */
  readonly dispose: () => void
}

/** What polls brought, before anything is made of it. */
export type Batch = {
  readonly nowMs: number
  readonly wallMs: number
  readonly changed: readonly NodeLive[]
  /** Absent: as before. */
  readonly order?: readonly NodeKey[]
  readonly services?: readonly ServiceLive[]
  readonly screen: ScreenLive
}

export function createMonitor(ports: MonitorPorts): Monitor {
  const { clock, transport, probe, records, onChange, log = () => undefined } = ports
  let serverOrigin = ''
  const { changes, take } = createChanges(onChange)
  const steady = createSteadyClock(clock)
  const room: Room = {
    clock,
    steady,
    records,
    changes,
    log,
    nodes: new Map(),
    services: new Map(),
    limiter: createLimiter<TrackedNode>(),
    due: createDueQueue<TrackedNode>(),
    exchanges: createExchangeLog(),
    prober: createProber({ clock, transport, probe }, () => serverOrigin, changes.services),
    screen: {
      startedWallMs: clock.wallMs(),
      gaps: [],
      answered: 0,
      failed: 0,
      offlineSinceMs: undefined,
      networkSeenMs: Number.NEGATIVE_INFINITY,
    },
  }
  const rounds = createRounds(room, ports)

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
      changes.screen()
    },
    takeBatch: () => batchOf(room, take()),
    screen: () => screenLive(room),
    nowMs: steady.nowMs,
    lastExchange: room.exchanges.get,
    dispose: () => {
      rounds.dispose()
      room.prober.dispose()
    },
  }
}

const batchOf = (room: Room, taken: TakenChanges): Batch => ({
  nowMs: room.steady.nowMs(),
  wallMs: room.clock.wallMs(),
  changed: Array.from(taken.nodes).flatMap((key) => room.nodes.get(key)?.live ?? []),
  ...(taken.order && { order: Array.from(room.nodes.keys()) }),
  ...(taken.services && { services: Array.from(room.services.values(), serviceLive) }),
  screen: screenLive(room),
})

const screenLive = ({ screen, steady, limiter }: Room): ScreenLive => ({
  startedWallMs: screen.startedWallMs,
  gaps: screen.gaps,
  behindMs: Math.max(0, steady.nowMs() - (limiter.oldestSlotMs() ?? Number.POSITIVE_INFINITY)),
  answered: screen.answered,
  failed: screen.failed,
  offline: screen.offlineSinceMs !== undefined,
})
