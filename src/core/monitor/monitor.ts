import { createSteadyClock } from '#base/steady.ts'
import type { NodeKey, NodeLive, ScreenLive, ServiceLive } from '#fleet/live.ts'
import type { FleetUpdate } from '#fleet/snapshot.ts'
import type { ServiceId } from '#record/service.ts'
import { createAsker } from './asking.ts'
import { applyConfig, type MonitorConfig } from './configure.ts'
import { createExchangeLog } from './exchange.ts'
import { readingsToKeep, restoreReadings, type KeptReadings } from './kept-readings.ts'
import { takeOutcome } from './outcome.ts'
import { createProber } from './probes.ts'
import type { MonitorPorts } from './ports.ts'
import { createRounds } from './rounds.ts'
import { createSchedule } from './schedule.ts'
import { heartbeatOffsetOf } from './service-clock.ts'
import { mindTime } from './time-watch.ts'
import {
  createFleetState,
  type FleetState,
  type ServiceAsking,
  type TakenChanges,
  type TrackedService,
} from './tracked.ts'

/** Changes from the polls, before the rules are evaluated. */
export type Batch = Omit<FleetUpdate, 'revision' | 'changed'> & { readonly changed: readonly NodeLive[] }

export type Monitor = ReturnType<typeof createMonitor>

/** Polls every node at its time. Runs until it is disposed, whatever fails. */
export function createMonitor(ports: MonitorPorts) {
  const { clock, transport, probe, records, onChange, onAct, log = () => undefined, metrics } = ports
  let serverUrl = ''
  const steady = createSteadyClock(clock)
  const fleet = createFleetState(onChange, clock.wallMs())
  const { changes, screen } = fleet
  const schedule = createSchedule(fleet, ports.inFlightMax)
  const asker = createAsker({ clock, log, fleet, schedule })
  const prober = createProber({ transport, probe }, () => serverUrl, changes)
  const exchanges = createExchangeLog()
  const parts = { clock, log, fleet, schedule, asker, prober, exchanges, records, metrics }
  const rounds = createRounds({
    ports,
    steady,
    fleet,
    schedule,
    asker,
    mindTime: (notice) => mindTime(parts, notice),
    landed: (node, outcome, nowMs) => takeOutcome(parts, node, outcome, nowMs),
  })
  const nowIs = () => ({ nowMs: steady.nowMs(), wallMs: clock.wallMs() })
  const screenNow = (): ScreenLive => screenOf(fleet, steady.nowMs(), schedule.oldestSlotMs())

  const actNow = (act: (nowMs: number) => void): void => {
    onAct?.()
    act(rounds.notice())
    rounds.tick()
  }

  let kept: KeptReadings | undefined
  /** Then polls the nodes that failed before. */
  const restoreKept = (): void => {
    if (kept === undefined || fleet.nodes.size === 0) return
    const failing = restoreReadings(fleet, kept, nowIs(), metrics)
    kept = undefined
    actNow((nowMs) => asker.lookAt(failing, nowMs))
  }

  return {
    /** Replaces the configuration; unchanged nodes keep polling undisturbed. */
    configure: (config: MonitorConfig): void => {
      serverUrl = config.serverUrl
      actNow((nowMs) => applyConfig(parts, config, nowMs))
      restoreKept()
    },
    /** Polls one node or all of them without waiting for their slots; never faster than the limits allow. */
    pollNow: (key?: NodeKey): void => actNow((nowMs) => asker.askNow(key, nowMs)),
    /** Nodes in view: polls them first if they have no reading younger than an interval. */
    lookAt: (keys: readonly NodeKey[]): void => actNow((nowMs) => asker.lookAt(keys, nowMs)),
    /**
     * To be called after a key was added, unlocked or changed, or another signing time was allowed. Polls what waited for it,
     * for one service or for all.
     */
    keyChanged: (id?: ServiceId): void => {
      for (const service of fleet.services.values())
        if (id === undefined || service.id === id) prober.end(service)
      actNow((nowMs) => asker.keyChanged(id, nowMs))
    },
    /** The browser's online state. "Offline" counts only if polls fail too; "online" triggers a poll at once. */
    setOffline: (offline: boolean): void =>
      actNow((nowMs) => {
        if (!offline && screen.offlineSinceMs !== undefined) asker.networkBack(nowMs)
        screen.offlineSinceMs = offline ? (screen.offlineSinceMs ?? nowMs) : undefined
        changes.screen()
      }),
    takeBatch: (): Batch => ({ ...nowIs(), ...changedIn(fleet, changes.take()), screen: screenNow() }),
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

const changedIn = (
  { nodes, services }: FleetState,
  taken: TakenChanges,
): Pick<Batch, 'changed' | 'order' | 'services'> => ({
  changed: Array.from(taken.nodes).flatMap((key) => nodes.get(key)?.live ?? []),
  ...(taken.order && { order: Array.from(nodes.keys()) }),
  ...(taken.services && { services: Array.from(services.values(), serviceLive) }),
})

const serviceLive = (tracked: TrackedService): ServiceLive => ({
  id: tracked.id,
  service: tracked.service,
  rules: tracked.rules,
  offset: tracked.clock.offset,
  correction: tracked.clock.correction,
  diagnosed: tracked.probed?.found,
  ...(tracked.round && { round: tracked.round }),
  hold: publishedHold(tracked.asking),
  heartbeatOffset: heartbeatOffsetOf(tracked),
})

/** A pause is not published here, because each node's failure shows it. */
const publishedHold = ({ hold }: ServiceAsking): ServiceLive['hold'] =>
  hold === undefined || hold.reason === 'paused' ? undefined : { reason: hold.reason, untilMs: hold.untilMs }

const screenOf = ({ screen }: FleetState, nowMs: number, oldestSlotMs: number): ScreenLive => ({
  startedWallMs: screen.startedWallMs,
  gaps: screen.gaps,
  behindMs: Math.max(0, nowMs - oldestSlotMs),
  answered: screen.answered,
  failed: screen.failed,
  offline: screen.offlineSinceMs !== undefined,
})
