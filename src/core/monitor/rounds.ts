import { DEFAULTS } from '#base/defaults.ts'
import type { SteadyClock } from '#base/steady.ts'
import type { Clock } from '#base/clock.ts'
import { createFlights } from './flights.ts'
import type { Holds } from './hold.ts'
import type { PollOutcome } from './poll.ts'
import type { MonitorPorts } from './ports.ts'
import type { Schedule } from './schedule.ts'
import { readTime, WAKE_EVERY_MS, type TimeNotice } from './time-watch.ts'
import type { FleetState, TrackedNode } from './tracked.ts'

/** The one timer of the fleet, and what it sets off. */
export type Rounds = {
  /** Reads the steady clock, and minds a sleep or a set clock if there was one. */
  readonly notice: () => number
  /** Starts whatever may start now, and sets the timer for what comes next. */
  readonly tick: () => void
  readonly dispose: () => void
}

type RoundParts = {
  readonly ports: Pick<MonitorPorts, 'transport' | 'signer' | 'verify'> & { readonly clock: Clock }
  readonly steady: SteadyClock
  readonly fleet: FleetState
  readonly schedule: Schedule
  readonly holds: Holds
  readonly mindTime: (notice: TimeNotice) => void
  readonly landed: (node: TrackedNode, outcome: PollOutcome, nowMs: number) => void
}

export function createRounds({
  ports,
  steady,
  fleet,
  schedule,
  holds,
  mindTime,
  landed,
}: RoundParts): Rounds {
  const { clock } = ports
  /** When the timer rings next by the steady clock; undefined while there is nothing to watch. */
  let wakeMs: number | undefined
  let cancel = (): void => undefined
  let disposed = false

  const notice = (): number => {
    const found = readTime(steady, wakeMs, shortestIntervalMs(fleet))
    if (wakeMs !== undefined) wakeMs = Math.max(wakeMs, found.nowMs) // each lateness is minded once
    mindTime(found)
    return found.nowMs
  }

  const setTimer = (nowMs: number): void => {
    cancel()
    const soonestMs = schedule.soonestMs() ?? Number.POSITIVE_INFINITY
    wakeMs = fleet.nodes.size === 0 ? undefined : Math.min(soonestMs, nowMs + WAKE_EVERY_MS)
    // Whole milliseconds, upwards: a timer that rings a fraction too early would have to ring twice.
    if (wakeMs !== undefined) cancel = clock.after(Math.ceil(Math.max(0, wakeMs - nowMs)), tick)
  }

  const tick = (): void => {
    if (disposed) return
    const nowMs = notice()
    flights.giveUpOverdue(nowMs)
    holds.endExpired(nowMs)
    schedule.queueDue(nowMs)
    for (let ticket = schedule.take(); ticket !== undefined; ticket = schedule.take()) flights.start(ticket)
    setTimer(nowMs)
  }

  const flights = createFlights({ ...ports, nowMs: steady.nowMs }, fleet, { notice, landed, ended: tick })

  return {
    notice,
    tick,
    dispose: () => {
      disposed = true
      cancel()
      flights.dispose()
    },
  }
}

const shortestIntervalMs = ({ services }: FleetState): number =>
  Math.min(
    DEFAULTS.pollIntervalMaxMs,
    ...Array.from(services.values(), ({ service }) => service.pollIntervalMs),
  )
