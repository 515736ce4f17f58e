import { createSteadyClock } from '#base/steady.ts'
import type { NodeKey, NodeLive, ScreenLive, ServiceLive } from '#fleet/live.ts'
import type { FleetUpdate } from '#fleet/snapshot.ts'
import type { ServiceId } from '#record/service.ts'
import { createAsker } from './asking.ts'
import { createChanges, type TakenChanges } from './changes.ts'
import { applyConfig, type MonitorConfig } from './configure.ts'
import { createExchangeLog, type Exchange } from './exchange.ts'
import { createRestoring, readingsToKeep, type KeptReadings } from './kept-readings.ts'
import { takeOutcome } from './outcome.ts'
import { createProber } from './probes.ts'
import type { MonitorPorts } from './ports.ts'
import { createRounds } from './rounds.ts'
import { createSchedule } from './schedule.ts'
import { heartbeatOffsetOf } from './service-clock.ts'
import { mindTime } from './time-watch.ts'
import { createFleetState, type FleetState, type ServiceAsking, type TrackedService } from './tracked.ts'

/** Polls every node at its time. Runs until it is disposed, whatever fails. */
export type Monitor = {
  /** Replaces the configuration; unchanged nodes keep polling undisturbed. */
  readonly configure: (config: MonitorConfig) => void
  /** Polls one node or all of them without waiting for their slots; never faster than the limits allow. */
  readonly pollNow: (node?: NodeKey) => void
  /** Nodes in view: polls them first if they have no reading younger than an interval. */
  readonly lookAt: (nodes: readonly NodeKey[]) => void
  /**
   * To be called after a key was added, unlocked or changed, or another signing time was allowed. Polls what waited for it, for
   * one service or for all.
   */
  readonly keyChanged: (service?: ServiceId) => void
  /** The browser's online state. "Offline" counts only if polls fail too; "online" triggers a poll at once. */
  readonly setOffline: (offline: boolean) => void
  readonly takeBatch: () => Batch
  readonly screen: () => ScreenLive
  /** The steady clock, used for all times that are not wall times. */
  readonly nowMs: () => number
  readonly readingsToKeep: () => KeptReadings
  /**
   * Restores what an earlier engine saved, for nodes without a reading. If there are no nodes yet, it waits for the next
   * configuration.
   */
  readonly restoreReadings: (kept: KeptReadings) => void
  /** Undefined until a request for this node was sent. */
  readonly lastExchange: (node: NodeKey) => Exchange | undefined
  readonly dispose: () => void
}

/** Changes from the polls, before the rules are evaluated. */
export type Batch = Omit<FleetUpdate, 'revision' | 'changed'> & { readonly changed: readonly NodeLive[] }

export function createMonitor(ports: MonitorPorts): Monitor {
  const { clock, transport, probe, records, onChange, log = () => undefined, metrics } = ports
  let serverUrl = ''
  const { changes, take } = createChanges(onChange)
  const steady = createSteadyClock(clock)
  const fleet = createFleetState(changes, clock.wallMs())
  const schedule = createSchedule(fleet, ports.inFlightMax)
  const asker = createAsker({ clock, log, fleet, schedule })
  const prober = createProber({ clock, transport, probe }, () => serverUrl, changes)
  const exchanges = createExchangeLog()
  const rounds = createRounds({
    ports,
    steady,
    fleet,
    schedule,
    asker,
    mindTime: (notice) => mindTime({ clock, fleet, asker, schedule, records, log }, notice),
    landed: (node, outcome, nowMs) =>
      takeOutcome({ clock, log, fleet, asker, prober, exchanges, records, metrics }, node, outcome, nowMs),
  })
  const { screen } = fleet
  const nowIs = () => ({ nowMs: steady.nowMs(), wallMs: clock.wallMs() })
  const restoring = createRestoring(fleet, nowIs, metrics)
  const screenNow = (): ScreenLive => screenOf(fleet, steady.nowMs(), schedule.oldestSlotMs())

  const actNow = (act: (nowMs: number) => void): void => {
    act(rounds.notice())
    rounds.tick()
  }

  const askFirst = (keys: readonly NodeKey[]): void => actNow((nowMs) => asker.lookAt(keys, nowMs))

  return {
    configure: (config) => {
      serverUrl = config.serverUrl
      const parts = { fleet, schedule, asker, prober, exchanges, records, metrics }
      actNow((nowMs) => applyConfig(parts, config, nowMs))
      askFirst(restoring.configured())
    },
    pollNow: (key) => actNow((nowMs) => asker.askNow(key, nowMs)),
    lookAt: askFirst,
    keyChanged: (id) => {
      for (const service of fleet.services.values())
        if (id === undefined || service.id === id) prober.end(service)
      actNow((nowMs) => asker.keyChanged(id, nowMs))
    },
    setOffline: (offline) => {
      const nowMs = rounds.notice()
      const isBack = !offline && screen.offlineSinceMs !== undefined
      screen.offlineSinceMs = offline ? (screen.offlineSinceMs ?? nowMs) : undefined
      changes.screen()
      if (!isBack) return
      asker.networkBack(nowMs)
      rounds.tick()
    },
    takeBatch: () => ({
      ...nowIs(),
      ...changedIn(fleet, take()),
      screen: screenNow(),
    }),
    screen: screenNow,
    nowMs: steady.nowMs,
    readingsToKeep: () => readingsToKeep(fleet, nowIs()),
    restoreReadings: (kept) => askFirst(restoring.restore(kept)),
    lastExchange: exchanges.get,
    dispose: () => {
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
