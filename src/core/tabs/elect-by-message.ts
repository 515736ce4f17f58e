import type { Election, ElectionPorts } from './election.ts'
import { MESSAGE_BEATS, TAB_LIMITS } from './limits.ts'
import { startPulse } from './pulse.ts'
import { createSeat, isSure, nextTerm, sayBeat, setTimer, tell, type Seat as AnySeat } from './seat.ts'
import type { TabMessage } from './tab-message.ts'

type Seat = AnySeat<'watching' | 'claiming' | 'leading' | 'resting'> & {
  /** When a person last asked for this tab to lead, by the steady clock. */
  askedMs: number
}

/**
 * For pages without locks, which is plain http. Whoever claims and hears no objection leads.
 * While no tab is held up and messages arrive within half the time that a claim waits, one tab
 * at most sends; and a tab that was frozen for longer than its lease does not send before it
 * has claimed anew. Beyond that two may send at once, until a beat of one reaches the other.
 */
export function electByMessage(ports: ElectionPorts): Election {
  const seat: Seat = {
    ...createSeat<Seat['phase']>(ports, 'watching', 'messages', MESSAGE_BEATS),
    askedMs: Number.NEGATIVE_INFINITY,
  }
  const maySend = (): boolean => seat.phase === 'leading' && isSure(seat)
  claim(seat)
  const endPulse = startPulse(ports.clock, MESSAGE_BEATS.beatMs, (lateMs) => pulse(seat, lateMs))
  return {
    role: seat.role,
    maySend,
    confirm: async () => maySend(),
    hear: (message) => {
      if (seat.phase !== 'resting') hear(seat, message)
    },
    takeOver: () => {
      if (seat.phase !== 'watching') return
      seat.askedMs = seat.steady.nowMs()
      ports.post({ kind: 'take-over', from: ports.id })
      // A leader that is frozen can't answer; by then its lease is over.
      setTimer(seat, MESSAGE_BEATS.leaseMs, () => claim(seat))
    },
    rest: () => rest(seat),
    end: () => {
      endPulse()
      rest(seat)
    },
    wake: () => {
      if (seat.phase === 'resting') claim(seat)
    },
  }
}

function pulse(seat: Seat, lateMs: number): void {
  switch (seat.phase) {
    case 'leading':
      if (!isSure(seat)) claim(seat)
      else {
        seat.sureMs = seat.steady.nowMs()
        postBeat(seat)
      }
      break
    case 'watching': {
      const next = seat.silence.pulse(lateMs)
      if (next === 'wait') return
      if (next !== 'ask') tell(seat, { silent: true })
      if (next === 'take') claim(seat)
      else seat.ports.post({ kind: 'ask', from: seat.ports.id })
      break
    }
    case 'claiming':
    case 'resting':
      break
  }
}

const postBeat = (seat: Seat): void => sayBeat(seat, 0)

const postClaim = ({ ports: { post, id }, term }: Seat): void => post({ kind: 'claim', from: id, term })

function claim(seat: Seat): void {
  stop(seat, 'claiming')
  postClaim(seat)
  waitOnTime(seat, TAB_LIMITS.claimMs, () => lead(seat))
}

/** A tab that was held up meanwhile reads first what came in meanwhile: it may be an objection. */
function waitOnTime(seat: Seat, delayMs: number, run: () => void): void {
  const { clock } = seat.ports
  const dueMs = clock.monotonicMs() + delayMs
  setTimer(seat, delayMs, () => {
    if (clock.monotonicMs() - dueMs > TAB_LIMITS.graceMs) waitOnTime(seat, TAB_LIMITS.graceMs, run)
    else run()
  })
}

function stop(seat: Seat, phase: 'watching' | 'claiming' | 'resting'): void {
  seat.endTimer()
  seat.phase = phase
  seat.sureMs = Number.NEGATIVE_INFINITY
  seat.silence.heard()
  if (seat.leader === seat.ports.id) seat.leader = undefined
  tell(seat, { role: 'following' })
}

function lead(seat: Seat): void {
  seat.endTimer()
  seat.phase = 'leading'
  seat.term = nextTerm(seat)
  seat.leader = seat.ports.id
  seat.sureMs = seat.steady.nowMs()
  tell(seat, { role: 'leading', silent: false })
  postBeat(seat)
}

function rest(seat: Seat): void {
  if (seat.phase === 'resting') return
  const led = seat.phase === 'leading'
  stop(seat, 'resting')
  if (led) seat.ports.post({ kind: 'bye', from: seat.ports.id, term: seat.term })
}

function hear(seat: Seat, message: TabMessage): void {
  const { id, post } = seat.ports
  switch (message.kind) {
    case 'beat':
      hearBeat(seat, message)
      break
    case 'ask':
      if (seat.phase === 'leading' && isSure(seat)) postBeat(seat)
      break
    case 'claim':
      if (seat.phase === 'leading') {
        if (isSure(seat)) postBeat(seat)
      } else if (seat.phase === 'claiming') {
        // Of two that claim at once the lower name goes on; the other may have begun to listen only now.
        if (message.from < id) stop(seat, 'watching')
        else postClaim(seat)
      }
      break
    case 'take-over':
      if (seat.phase !== 'leading') return
      stop(seat, 'watching')
      post({ kind: 'yield', from: id, to: message.from, term: seat.term })
      break
    case 'yield':
      if (message.to === id && seat.phase === 'watching' && isAwaited(seat)) lead(seat)
      break
    case 'freeze':
      break // it is claimed when its beats stay out, and with them its lease
    case 'bye':
      if (message.from === seat.leader && seat.phase === 'watching') claim(seat)
      break
  }
}

/** An answer from before a freeze is worth nothing: the other has taken the lead back meanwhile. */
const isAwaited = (seat: Seat): boolean => seat.steady.nowMs() - seat.askedMs <= MESSAGE_BEATS.leaseMs

function hearBeat(seat: Seat, { from, term }: TabMessage & { readonly kind: 'beat' }): void {
  const isAbove = term > seat.term || (term === seat.term && from >= (seat.leader ?? ''))
  if (!isAbove) {
    // Somebody leads who has not heard of this tab yet: it hears now.
    if (seat.phase === 'leading' && isSure(seat)) postBeat(seat)
    return
  }
  if (seat.phase !== 'watching') stop(seat, 'watching')
  seat.term = term
  seat.leader = from
  seat.silence.heard()
  tell(seat, { silent: false })
}
