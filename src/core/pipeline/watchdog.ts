import { pollIntervalOf } from '#fleet/live.ts'
import type { AlarmKind, AlarmsView } from '#alarms/alarm.ts'
import type { Clock } from '#base/clock.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'

/** As long as a screen may be without news before it counts as blind, at least. */
const SILENCE_MIN_MS = 120_000
const SILENCE_INTERVALS = 3
/** With these on, this screen does not see its nodes. */
const NOT_WATCHING: readonly AlarmKind[] = ['paused', 'blind', 'network']

/** Whether nodes are really polled and alarms evaluated, so that a dead-man's ping may say so. */
export type Watchdog = {
  readonly evaluated: (view: AlarmsView) => void
  readonly isWatching: () => boolean
}

export function createWatchdog(clock: Clock, fleet: () => FleetSnapshot): Watchdog {
  let polls = 0
  let lastPollMs = Number.NEGATIVE_INFINITY
  let isBlind = false
  return {
    evaluated: ({ alarms }) => {
      const { answered, failed } = fleet().screen
      if (answered + failed > polls) lastPollMs = clock.monotonicMs()
      polls = answered + failed
      isBlind = alarms.some(({ kind, phase }) => phase === 'firing' && NOT_WATCHING.includes(kind))
    },
    isWatching: () => {
      const { services, nodes } = fleet()
      const intervals = Array.from(nodes.values(), (node) =>
        pollIntervalOf(node, services.get(node.serviceId)),
      )
      const limitMs = Math.max(SILENCE_MIN_MS, SILENCE_INTERVALS * Math.min(...intervals))
      // What nobody judges any more is no poll that was seen either.
      return nodes.size > 0 && !isBlind && clock.monotonicMs() - lastPollMs < limitMs
    },
  }
}
