import { createSteadyClock } from '#base/steady.ts'
import type { NodeKey, NodeLive, ScreenLive, ServiceLive } from '#fleet/live.ts'
import type { FleetUpdate } from '#fleet/snapshot.ts'
import type { ServiceId } from '#record/service.ts'
import { askNow, keyChanged, lookAt, networkBack } from './asking.ts'
import { applyConfig, type MonitorConfig } from './configure.ts'
import { createExchangeLog } from './exchange.ts'
import { readingsToKeep, restoreReadings, type KeptReadings } from './kept-readings.ts'
import { createProber } from './probes.ts'
import type { MonitorPorts } from './ports.ts'
import { createRounds } from './rounds.ts'
import { createSchedule } from './schedule.ts'
import { heartbeatOffsetOf } from './service-clock.ts'
import { createFleetState, type FleetState, type TrackedService } from './tracked.ts'

/** Changes from the polls, before the rules are evaluated. */
export type Batch = Omit<FleetUpdate, 'revision' | 'changed'> & { readonly changed: readonly NodeLive[] }

export type Monitor = ReturnType<typeof createMonitor>

/** Polls every node at its time. Runs until it is disposed, whatever fails. */
export function createMonitor(ports: MonitorPorts) {
  const { clock, records, onChange, onAct, log = () => undefined, metrics } = ports
  let serverUrl = ''
  const steady = createSteadyClock(clock)
  const fleet = createFleetState(onChange, clock.wallMs())
  const { changes, screen } = fleet
  const isBatched = ({ service }: TrackedService) => service.via === 'proxy' && ports.isBatching()
  const schedule = createSchedule(fleet, ports.inFlightMax, isBatched)
  const prober = createProber(ports, () => serverUrl, changes)
  const exchanges = createExchangeLog()
  const wake = (): void => rounds.tick()
  const parts = { clock, log, fleet, schedule, prober, exchanges, records, metrics, wake }
  const rounds = createRounds(ports, steady, parts)
  const nowIs = () => ({ nowMs: steady.nowMs(), wallMs: clock.wallMs() })
  const screenNow = (): ScreenLive => screenOf(screen, steady.nowMs(), schedule.oldestSlotMs())

  const actNow = (act: (nowMs: number) => void): void => {
    onAct?.()
    act(rounds.notice())
    rounds.tick()
  }

  let kept: KeptReadings | undefined
  /** Restores the saved readings once there are nodes, then polls the nodes that were failing. */
  const restoreKept = (): void => {
    if (kept === undefined || fleet.nodes.size === 0) return
    const failing = restoreReadings(fleet, kept, nowIs(), metrics)
    kept = undefined
    actNow((nowMs) => lookAt(parts, failing, nowMs))
  }

  return {
    /** Replaces the configuration; unchanged nodes keep polling undisturbed. */
    configure: (config: MonitorConfig): void => {
      serverUrl = config.serverUrl
      actNow((nowMs) => applyConfig(parts, config, nowMs))
      restoreKept()
    },
    /** Polls one node or all of them without waiting for their slots; never faster than the limits allow. */
    pollNow: (key?: NodeKey): void => actNow((nowMs) => askNow(parts, key, nowMs)),
    /** Nodes in view: polls them first if they have no reading younger than an interval. */
    lookAt: (keys: readonly NodeKey[]): void => actNow((nowMs) => lookAt(parts, keys, nowMs)),
    /**
     * Call this after a key was added, unlocked or changed, or another signing time was allowed. Polls what waited for it,
     * for one service or for all.
     */
    keyChanged: (id?: ServiceId): void => {
      for (const service of fleet.services.values())
        if (id === undefined || service.id === id) prober.end(service)
      actNow((nowMs) => keyChanged(parts, id, nowMs))
    },
    /** The browser's online state. "Offline" counts only if polls fail too; "online" triggers a poll at once. */
    setOffline: (offline: boolean): void =>
      actNow((nowMs) => {
        if (!offline && screen.offlineSinceMs !== undefined) networkBack(parts, nowMs)
        screen.offlineSinceMs = offline ? (screen.offlineSinceMs ?? nowMs) : undefined
        changes.screen()
      }),
    takeBatch: (): Batch => {
      const { nodes, order, services } = changes.take()
      return {
        ...nowIs(),
        changed: Array.from(nodes).flatMap((key) => fleet.nodes.get(key)?.live ?? []),
        ...(order && { order: Array.from(fleet.nodes.keys()) }),
        ...(services && { services: Array.from(fleet.services.values(), serviceLive) }),
        screen: screenNow(),
      }
    },
    screen: screenNow,
    /** The steady clock, used for all times that are not wall times. */
    nowMs: steady.nowMs,
    readingsToKeep: () => readingsToKeep(fleet, nowIs()),
    /**
     * Restores what an earlier engine saved, for nodes without a reading. If there are no nodes yet, it waits for the next
     * configuration.
     */
    restoreReadings: (readings: KeptReadings): void => {
      kept = readings
      restoreKept()
    },
    /** Undefined until a request for this node was sent. */
    lastExchange: exchanges.get,
    dispose: (): void => {
      rounds.dispose()
      prober.dispose()
    },
  }
}

function serviceLive(tracked: TrackedService): ServiceLive {
  const { id, service, rules, clock, probed, round, asking } = tracked
  const { hold } = asking
  return {
    id,
    service,
    rules,
    offset: clock.offset,
    ...(clock.isAgreed && { isClockAgreed: true }),
    correction: clock.correction,
    ...(clock.wasSet && { clockSet: clock.wasSet }),
    diagnosed: probed?.found,
    ...(round && { round }),
    // A pause is not published here, because each node's failure shows it.
    hold:
      hold === undefined || hold.reason === 'paused'
        ? undefined
        : { reason: hold.reason, untilMs: hold.untilMs },
    heartbeatOffset: heartbeatOffsetOf(tracked),
  }
}

const screenOf = (screen: FleetState['screen'], nowMs: number, oldestSlotMs: number): ScreenLive => ({
  startedWallMs: screen.startedWallMs,
  gaps: screen.gaps,
  behindMs: Math.max(0, nowMs - oldestSlotMs),
  answered: screen.answered,
  failed: screen.failed,
  offline: screen.offlineSinceMs !== undefined,
})
