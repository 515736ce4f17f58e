import { createFlights } from './flights.ts'
import { mindTime } from './gaps.ts'
import { endHolds } from './on-demand.ts'
import { shortestIntervalMs, type MonitorPorts, type Room } from './room.ts'
import { readTime, WAKE_EVERY_MS } from './time-watch.ts'

/** The one timer of the fleet, and what it sets off. */
export type Rounds = {
  /** Reads the steady clock, and minds a sleep or a set clock if there was one. */
  readonly notice: () => number
  /** Starts whatever may start now, and sets the timer for what comes next. */
  readonly tick: () => void
  readonly dispose: () => void
}

export function createRounds(room: Room, ports: MonitorPorts): Rounds {
  const { clock, steady, limiter, due } = room
  /** When the timer rings next by the steady clock; undefined while there is nothing to watch. */
  let wakeMs: number | undefined
  let cancel = (): void => undefined
  let disposed = false

  const notice = (): number => {
    const found = readTime(steady, wakeMs, shortestIntervalMs(room))
    if (wakeMs !== undefined) wakeMs = Math.max(wakeMs, found.nowMs) // each lateness is minded once
    mindTime(room, found)
    return found.nowMs
  }

  const setTimer = (nowMs: number): void => {
    cancel()
    const soonestMs = due.soonest()?.dueMs ?? Number.POSITIVE_INFINITY
    wakeMs = room.nodes.size === 0 ? undefined : Math.min(soonestMs, nowMs + WAKE_EVERY_MS)
    // Whole milliseconds, upwards: a timer that rings a fraction too early would have to ring twice.
    if (wakeMs !== undefined) cancel = clock.after(Math.ceil(Math.max(0, wakeMs - nowMs)), tick)
  }

  const tick = (): void => {
    if (disposed) return
    const nowMs = notice()
    flights.giveUpOverdue(nowMs)
    endHolds(room, nowMs)
    for (let next = due.soonest(); next !== undefined && next.dueMs <= nowMs; next = due.soonest()) {
      due.delete(next.item)
      const { service, suspect, urgent } = next.item
      limiter.enqueue(next.item, { host: service.host, service: service.id, suspect, urgent }, next.dueMs)
    }
    for (let ticket = limiter.take(); ticket !== undefined; ticket = limiter.take()) flights.start(ticket)
    setTimer(nowMs)
  }

  const flights = createFlights(room, ports, { notice, ended: tick })

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
