import type { Election, ElectionPorts } from './election.ts'
import { LOCK_BEATS, TAB_LIMITS } from './limits.ts'
import { startPulse } from './pulse.ts'
import { createSeat, isSure, nextTerm, sayBeat, setTimer, tell, type Seat as AnySeat } from './seat.ts'
import type { TabMessage } from './tab-message.ts'

/** The browser's lock that one tab has at a time. */
export type LeaderLock = {
  /** Waits for the lock, or steals it from whoever has it. Returns the end of it: the lock is given back, or no longer waited for. */
  readonly request: (
    how: 'wait' | 'steal',
    told: { readonly granted: () => void; readonly lost: () => void },
  ) => () => void
  /** Asks the browser who has it. May never call back. */
  readonly look: (told: (seen: LockView) => void) => void
}

/** `tabs`: the names of all tabs that exist, frozen ones among them. */
export type LockView = { readonly mine: boolean; readonly tabs: ReadonlySet<string> }

/** For one request; then it is given up, and the next is asked for in its own time. */
const LOOKS_MAX = 3

type Phase = 'waiting' | 'holding' | 'leading' | 'yielding' | 'resting'

type Seat = AnySeat<Phase> & {
  readonly lock: LeaderLock
  endRequest: () => void
  /** Before this moment the last leader that was heard does not send, and nobody else may. */
  fenceMs: number
  /** The last leader said that it has stopped. */
  hasStopped: boolean
  /** The lock is held, and it is known to be this tab's own: `term` is its own too. */
  hasTerm: boolean
}

/**
 * One tab has the lock, so one at most leads. The lock of a tab that closed or crashed is free
 * at once. A frozen tab keeps it: when its beats stay out it is stolen. The thief does not send
 * before the other's lease is over, and the other, woken, does not send before it has looked
 * whether the lock is still its own: so the two never both send.
 */
export function electByLock(ports: ElectionPorts & { readonly lock: LeaderLock }): Election {
  const seat: Seat = {
    ...createSeat<Phase>(ports, 'waiting', 'locks', LOCK_BEATS),
    lock: ports.lock,
    endRequest: () => undefined,
    fenceMs: Number.NEGATIVE_INFINITY,
    hasStopped: false,
    hasTerm: false,
  }
  const maySend = (): boolean => seat.phase === 'leading' && isSure(seat)
  queueUp(seat)
  ports.post({ kind: 'ask', from: ports.id })
  const endPulse = startPulse(ports.clock, LOCK_BEATS.beatMs, (lateMs) => pulse(seat, lateMs))
  return {
    role: seat.role,
    maySend,
    confirm: async () => {
      // On a busy computer a look itself may take longer than the lease, which begins with it.
      for (let looks = 0; looks < LOOKS_MAX && seat.phase === 'leading' && !maySend(); looks++)
        await new Promise<void>((done) => makeSure(seat, () => done(), done))
      return maySend()
    },
    hear: (message) => {
      if (seat.phase !== 'resting') hear(seat, message)
    },
    takeOver: () => {
      if (seat.phase !== 'waiting') return
      ports.post({ kind: 'take-over', from: ports.id })
      setTimer(seat, TAB_LIMITS.yieldMs, () => steal(seat, 'after-lease'))
    },
    rest: () => rest(seat),
    end: () => {
      endPulse()
      rest(seat)
    },
    wake: () => {
      if (seat.phase !== 'resting') return
      seat.phase = 'waiting'
      queueUp(seat)
      ports.post({ kind: 'ask', from: ports.id })
    },
  }
}

function pulse(seat: Seat, lateMs: number): void {
  if (seat.phase === 'resting') return
  if (seat.phase !== 'waiting') return beat(seat)
  const next = seat.silence.pulse(lateMs)
  if (next === 'wait') return
  if (next !== 'ask') tell(seat, { silent: true })
  seat.ports.post({ kind: 'ask', from: seat.ports.id })
  if (next === 'take') steal(seat, 'after-lease')
}

/** Says that this tab leads, if it does. A leader that can't make sure stays silent, and others take over. */
function beat(seat: Seat): void {
  makeSure(seat, (tabs) => {
    takeTerm(seat)
    if (seat.phase === 'holding' && isClear(seat, tabs)) lead(seat)
    if (seat.phase !== 'yielding') postBeat(seat)
  })
}

const postBeat = (seat: Seat): void => sayBeat(seat, seat.phase === 'holding' ? LOCK_BEATS.leaseMs : 0)

/** Looks whether the lock is this tab's own. The lease counts from before the look. */
function makeSure(
  seat: Seat,
  yes: (tabs: ReadonlySet<string>) => void,
  no: () => void = () => undefined,
): void {
  const lookedMs = seat.steady.nowMs()
  const { phase, endRequest } = seat
  seat.lock.look(({ mine, tabs }) => {
    if (seat.phase !== phase || seat.endRequest !== endRequest) return no()
    if (!mine) {
      lose(seat)
      return no()
    }
    seat.sureMs = Math.max(seat.sureMs, lookedMs)
    yes(tabs)
  })
}

/** The lock was stolen. From a leader that soon noticed it should not have been: this tab, for one, will be more patient. */
function lose(seat: Seat): void {
  if (seat.phase === 'leading' && seat.steady.nowMs() - seat.sureMs <= TAB_LIMITS.slowMs)
    seat.silence.bePatient()
  queueUp(seat)
}

/** Follows, in the queue for the lock. */
function queueUp(seat: Seat): void {
  seat.phase = 'waiting'
  letGo(seat)
  seat.endRequest = seat.lock.request('wait', {
    granted: () => hold(seat, 'look'),
    lost: () => lose(seat),
  })
}

function letGo(seat: Seat): void {
  seat.endTimer()
  seat.endRequest()
  seat.sureMs = Number.NEGATIVE_INFINITY
  seat.silence.heard()
  if (seat.leader === seat.ports.id) seat.leader = undefined
  tell(seat, { role: 'following' })
}

/** `now`: the leader has said that it stopped. `after-lease`: it may be frozen, and think that it still leads. */
function steal(seat: Seat, from: 'now' | 'after-lease'): void {
  seat.endTimer()
  seat.endRequest()
  seat.endRequest = seat.lock.request('steal', {
    granted: () => hold(seat, from),
    lost: () => lose(seat),
  })
}

/** The lock is here. This tab beats once it is sure of it, and sends when nobody else can any more. */
function hold(seat: Seat, from: 'now' | 'after-lease' | 'look'): void {
  seat.phase = 'holding'
  seat.hasTerm = false
  if (from === 'now') seat.hasStopped = true
  if (from === 'after-lease') {
    seat.hasStopped = false
    seat.fenceMs = seat.steady.nowMs() + LOCK_BEATS.leaseMs
  }
  setTimer(seat, LOCK_BEATS.leaseMs, () => makeSure(seat, () => lead(seat)))
  makeSure(seat, (tabs) => {
    takeTerm(seat)
    if (isClear(seat, tabs)) lead(seat)
    else postBeat(seat)
  })
}

/** Once for each time that it holds the lock, whichever look is answered first. */
function takeTerm(seat: Seat): void {
  if (seat.hasTerm) return
  seat.hasTerm = true
  seat.term = nextTerm(seat)
}

/** Whether nobody else can be about to send: whoever led is gone or has said that it stopped, or there is no other tab. */
function isClear(seat: Seat, tabs: ReadonlySet<string>): boolean {
  if (seat.steady.nowMs() < seat.fenceMs) return false
  if (seat.hasStopped) return true
  const others = Array.from(tabs).filter((tab) => tab !== seat.ports.id)
  return seat.leader === undefined ? others.length === 0 : !others.includes(seat.leader)
}

function lead(seat: Seat): void {
  seat.endTimer()
  takeTerm(seat)
  seat.phase = 'leading'
  seat.leader = seat.ports.id
  seat.hasStopped = false
  tell(seat, { role: 'leading', silent: false })
  postBeat(seat)
}

function rest(seat: Seat): void {
  if (seat.phase === 'resting') return
  const { phase, term } = seat
  seat.phase = 'resting'
  letGo(seat)
  if (phase !== 'waiting') seat.ports.post({ kind: 'bye', from: seat.ports.id, term })
}

function hear(seat: Seat, message: TabMessage): void {
  switch (message.kind) {
    case 'beat':
      hearBeat(seat, message)
      break
    case 'ask':
      if (seat.phase === 'leading' || seat.phase === 'holding') beat(seat)
      break
    case 'take-over':
      if (seat.phase === 'leading') yieldTo(seat, message.from)
      break
    case 'yield':
      if (message.to === seat.ports.id && seat.phase === 'waiting' && message.from === seat.leader)
        steal(seat, 'now')
      break
    case 'bye':
      if (message.from === seat.leader && message.term >= seat.term) seat.hasStopped = true
      break
    case 'freeze':
      if (seat.phase === 'waiting' && message.from === seat.leader) steal(seat, 'after-lease')
      break
    case 'claim':
      break // of a page without locks, which is of another origin's kind
  }
}

function hearBeat(seat: Seat, { from, term, holdMs }: TabMessage & { readonly kind: 'beat' }): void {
  if (term < seat.term) return
  if (seat.phase !== 'waiting') {
    // Two can't have the lock: one of them has not noticed yet that it lost it.
    makeSure(seat, () => {
      seat.term = Math.max(seat.term, term + 1)
      tell(seat, {})
    })
    return
  }
  seat.term = term
  seat.leader = from
  seat.hasStopped = false
  seat.fenceMs = seat.steady.nowMs() + holdMs
  seat.silence.heard()
  tell(seat, { silent: false })
}

/** Stops at once. The lock is kept until it is taken, so that nobody else gets it in between. */
function yieldTo(seat: Seat, to: string): void {
  seat.phase = 'yielding'
  seat.sureMs = Number.NEGATIVE_INFINITY
  tell(seat, { role: 'following' })
  seat.ports.post({ kind: 'yield', from: seat.ports.id, to, term: seat.term })
  setTimer(seat, 2 * TAB_LIMITS.yieldMs, () => makeSure(seat, () => lead(seat)))
}
