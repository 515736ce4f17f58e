import { createSteadyClock, type SteadyClock } from '#base/steady.ts'
import { createStore, type Store } from '#base/store.ts'
import { NO_LEADER, type ElectionPorts, type TabRole } from './election.ts'
import type { BeatLimits } from './limits.ts'
import { createSilence, type Silence } from './silence.ts'

/** What both kinds of election keep. `Phase` is where this tab stands. */
export type Seat<Phase extends string> = {
  readonly ports: ElectionPorts
  readonly role: Store<TabRole>
  readonly steady: SteadyClock
  readonly silence: Silence
  readonly leaseMs: number
  phase: Phase
  /** The highest that was heard or held. */
  term: number
  /** The tab that was last heard to lead, or this one. */
  leader: string | undefined
  /** When this tab last made sure that it leads, by the steady clock, which may only err towards later. */
  sureMs: number
  endTimer: () => void
}

export function createSeat<Phase extends string>(
  ports: ElectionPorts,
  phase: Phase,
  by: TabRole['by'],
  limits: BeatLimits,
): Seat<Phase> {
  return {
    ports,
    role: createStore<TabRole>({ ...NO_LEADER, by }),
    steady: createSteadyClock(ports.clock),
    silence: createSilence(limits, ports.random, ports.hesitates),
    leaseMs: limits.leaseMs,
    phase,
    term: 0,
    leader: undefined,
    sureMs: Number.NEGATIVE_INFINITY,
    endTimer: () => undefined,
  }
}

export const isSure = (seat: Seat<string>): boolean => seat.steady.nowMs() - seat.sureMs <= seat.leaseMs

/** Publishes only what is new. */
export function tell(seat: Seat<string>, change: Partial<TabRole>): void {
  const before = seat.role.get()
  const next: TabRole = { ...before, term: seat.term, leader: seat.leader, ...change }
  const same =
    next.role === before.role &&
    next.term === before.term &&
    next.leader === before.leader &&
    next.silent === before.silent
  if (!same) seat.role.publish(next)
}

export const sayBeat = ({ ports, term }: Seat<string>, holdMs: number): void =>
  ports.post({ kind: 'beat', from: ports.id, term, holdMs, wallMs: ports.clock.wallMs() })

/** The next term: beyond all that were heard, and beyond those of an earlier day. */
export const nextTerm = (seat: Seat<string>): number => Math.max(seat.term + 1, seat.ports.clock.wallMs())

/** One wait at a time; a new one takes the place of the old. */
export function setTimer(seat: Seat<string>, delayMs: number, run: () => void): void {
  seat.endTimer()
  seat.endTimer = seat.ports.clock.after(delayMs, run)
}
