import { nodeKeyFromText, type NodeKey } from '#fleet/live.ts'
import type { ActOnAlarms } from './alarm-act.ts'
import {
  isMoreSevere,
  isOn,
  type Acknowledged,
  type AlarmId,
  type AlarmKind,
  type AlarmSeverity,
  type AlarmSubject,
  type AlarmValue,
  type Shelved,
} from './alarm.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { AlarmRule } from '#settings/schema.ts'

/** A rule's result for one subject. `between`: within the deadband, so the state stays. */
export type Evaluation = {
  readonly state: 'bad' | 'good' | 'between' | 'unknown'
  readonly severity: AlarmSeverity
  readonly value?: AlarmValue | undefined
  readonly limit?: AlarmValue | undefined
}

export const UNKNOWN: Evaluation = { state: 'unknown', severity: 'info' }

export const good = (value?: AlarmValue, limit?: AlarmValue): Evaluation => ({
  state: 'good',
  severity: 'info',
  value,
  limit,
})

export const bad = (severity: AlarmSeverity, value?: AlarmValue, limit?: AlarmValue): Evaluation => ({
  state: 'bad',
  severity,
  value,
  limit,
})

export type Timing = Readonly<Pick<AlarmRule, 'raiseAfter' | 'forMs' | 'clearAfter' | 'keepFiringForMs'>>

/** `freshForMs`: how long it is current without new evidence. */
export type Observation = Evaluation & { readonly freshForMs: number }

/** `awakeMs`: watched time since these alarms began. `serviceMs`: the service's clock, if known. */
export type Moment = {
  readonly awakeMs: number
  readonly wallMs: number
  readonly serviceMs?: number | undefined
}

type Phase = 'normal' | 'pending' | 'firing' | 'recovering'

/** State of one rule for one subject. Times are wall clock unless their name says awake or watched. */
export type Instance = {
  readonly id: AlarmId
  readonly ruleId: string
  readonly kind: AlarmKind
  readonly subject: AlarmSubject
  readonly phase: Phase
  readonly side: 'good' | 'bad'
  readonly trail: StateTrail
  /** Watched time since the alarm became pending or recovering. */
  readonly watchedMs: number
  /** The last evaluation with new evidence, and how long it is current. */
  readonly evaluatedAwakeMs: number
  readonly freshForMs: number
  readonly heldAwakeMs: number | undefined
  /** First bad evidence of the current alarm (`since`) and of the next one (`badSince`). */
  readonly sinceWallMs: number
  readonly badSinceWallMs: number
  readonly goodSinceWallMs: number | undefined
  /** Watched time at which its last recovery began. */
  readonly goodSinceAwakeMs?: number
  readonly raisedWallMs: number | undefined
  /** Watched time of the raise. */
  readonly raisedAwakeMs?: number
  readonly clearedWallMs: number | undefined
  /** Watched time of the clearing. */
  readonly clearedAwakeMs?: number
  readonly severity: AlarmSeverity
  readonly value: AlarmValue | undefined
  readonly limit: AlarmValue | undefined
  readonly acknowledged: Acknowledged | undefined
  /** The alarm is over, and neither its problem nor its end was acknowledged. */
  readonly awaitsAcknowledgement: boolean
  readonly shelved: (Shelved & { readonly untilAwakeMs: number }) | undefined
  readonly flapping: boolean
  /** Undefined once its end needs no notification. */
  readonly notifiedSeverity: AlarmSeverity | undefined
  /** Watched time of the last notification. */
  readonly notifiedAwakeMs?: number
  /** Newest last; at most 50. */
  readonly raises: readonly number[]
}

export type TransitionName =
  | 'pending'
  | 'reset'
  | 'raised'
  | 'worse'
  | 'lowered'
  | 'recovering'
  | 'relapsed'
  | 'cleared'
  | 'flapping'
  | 'settled'
  | 'acknowledged'
  | 'unacknowledged'
  | 'end-acknowledged'
  | 'shelved'
  | 'unshelved'
  | 'timer-restarted'
  | 'inhibited'
  | 'released'
  | 'maintenance-began'
  | 'maintenance-ended'
  | 'closed'

/** `reason` is a code such as "bad-evidence", "by-person" or "shelf-ended". */
export type Transition = {
  readonly name: TransitionName
  readonly reason: string
  readonly note?: string
  readonly by?: string
}
export type Stepped = { readonly next: Instance; readonly transitions: readonly Transition[] }

const RAISES_MAX = 50

export const newInstance = (
  { id, ruleId, kind, subject }: Pick<Instance, 'id' | 'ruleId' | 'kind' | 'subject'>,
  { awakeMs, wallMs }: Moment,
): Instance => ({
  id,
  ruleId,
  kind,
  subject,
  phase: 'normal',
  side: 'good',
  trail: NO_TRAIL,
  watchedMs: 0,
  evaluatedAwakeMs: awakeMs,
  freshForMs: 0,
  heldAwakeMs: undefined,
  sinceWallMs: wallMs,
  badSinceWallMs: wallMs,
  goodSinceWallMs: undefined,
  raisedWallMs: undefined,
  clearedWallMs: undefined,
  severity: 'info',
  value: undefined,
  limit: undefined,
  acknowledged: undefined,
  awaitsAcknowledgement: false,
  shelved: undefined,
  flapping: false,
  notifiedSeverity: undefined,
  raises: [],
})

export const isForgettable = ({
  phase,
  awaitsAcknowledgement,
  shelved,
  notifiedSeverity,
  flapping,
  trail,
}: Instance): boolean =>
  phase === 'normal' &&
  !awaitsAcknowledgement &&
  shelved === undefined &&
  notifiedSeverity === undefined &&
  !flapping &&
  trail.bits === 0

const watchedSince = ({ heldAwakeMs, evaluatedAwakeMs, freshForMs }: Instance, awakeMs: number): number =>
  heldAwakeMs === undefined ? Math.max(0, Math.min(awakeMs - evaluatedAwakeMs, freshForMs)) : 0

/** Missing evidence stops the alarm's timers and changes nothing else. */
export function applyEvaluation(before: Instance, timing: Timing, seen: Observation, now: Moment): Stepped {
  const watchedMs = before.watchedMs + watchedSince(before, now.awakeMs)
  if (seen.state === 'unknown') {
    return unstepped(
      before.heldAwakeMs === undefined ? { ...before, watchedMs, heldAwakeMs: now.awakeMs } : before,
    )
  }
  const side = seen.state === 'between' ? before.side : seen.state
  const isBad = side === 'bad'
  const trail = withState(before.trail, isBad)
  const updated: Instance = {
    ...before,
    side,
    trail,
    watchedMs,
    evaluatedAwakeMs: now.awakeMs,
    freshForMs: seen.freshForMs,
    heldAwakeMs: undefined,
    value: seen.value,
    limit: seen.limit,
  }
  return withFlapping(isBad ? afterBad(updated, timing, seen.severity, now) : afterGood(updated, timing, now))
}

const unstepped = (next: Instance): Stepped => ({ next, transitions: [] })

const stepped = (
  before: Instance,
  changes: Partial<Instance>,
  transition: Transition,
  earlier: readonly Transition[] = [],
): Stepped => ({ next: { ...before, ...changes }, transitions: [...earlier, transition] })

const ON_BAD = 'bad-evidence'
const ON_GOOD = 'good-evidence'
const BY_PERSON = 'by-person'

function afterBad(updated: Instance, timing: Timing, severity: AlarmSeverity, now: Moment): Stepped {
  switch (updated.phase) {
    case 'normal': {
      // A cleared, unacknowledged alarm keeps its time until it is raised again.
      const sinceWallMs = updated.awaitsAcknowledgement ? updated.sinceWallMs : now.wallMs
      const pending = {
        phase: 'pending',
        watchedMs: 0,
        severity,
        badSinceWallMs: now.wallMs,
        sinceWallMs,
      } as const
      return raisedIfDue(stepped(updated, pending, { name: 'pending', reason: ON_BAD }), timing, now)
    }
    case 'pending':
      return raisedIfDue(unstepped({ ...updated, severity }), timing, now)
    case 'recovering': {
      const firing = { phase: 'firing', watchedMs: 0, goodSinceWallMs: undefined } as const
      return escalated(stepped(updated, firing, { name: 'relapsed', reason: ON_BAD }), severity)
    }
    case 'firing':
      return escalated(unstepped(updated), severity)
  }
}

function raisedIfDue({ next, transitions }: Stepped, timing: Timing, now: Moment): Stepped {
  const { polls, of } = timing.raiseAfter
  // While an alarm flaps, its bad polls need not be close together.
  const isOften = badAmong(next.trail, next.flapping ? TRAIL_STATES : of) >= polls
  if (!isOften || next.watchedMs < timing.forMs) return { next, transitions }
  const firing: Partial<Instance> = {
    phase: 'firing',
    watchedMs: 0,
    sinceWallMs: next.badSinceWallMs,
    raisedWallMs: now.wallMs,
    raisedAwakeMs: now.awakeMs,
    clearedWallMs: undefined,
    goodSinceWallMs: undefined,
    acknowledged: undefined,
    awaitsAcknowledgement: false,
    raises: [...next.raises, now.wallMs].slice(-RAISES_MAX),
  }
  const reason = timing.forMs > 0 ? 'held-long-enough' : ON_BAD
  return stepped(next, firing, { name: 'raised', reason }, transitions)
}

/**
 * An alarm that becomes more severe needs attention again, even if acknowledged or shelved. A critical alarm stays critical
 * until it clears.
 */
function escalated({ next, transitions }: Stepped, severity: AlarmSeverity): Stepped {
  if (!isMoreSevere(severity, next.severity)) return { next, transitions }
  const worse = { severity, acknowledged: undefined, shelved: undefined }
  return stepped(next, worse, { name: 'worse', reason: severity }, transitions)
}

/** A severity that an operator sets for a rule applies to its active alarms at once. */
export function resetSeverity(before: Instance, severity: AlarmSeverity): Stepped {
  if (!isOn(before)) return unstepped(before)
  return isMoreSevere(before.severity, severity)
    ? stepped(before, { severity }, { name: 'lowered', reason: 'rule-changed' })
    : escalated(unstepped(before), severity)
}

function afterGood(updated: Instance, timing: Timing, now: Moment): Stepped {
  switch (updated.phase) {
    case 'normal':
      return unstepped(updated)
    case 'pending': {
      const { polls, of } = timing.raiseAfter
      const mayStillBeRaised = of > polls && badAmong(updated.trail, of) > 0
      return mayStillBeRaised
        ? unstepped(updated)
        : stepped(updated, { phase: 'normal', watchedMs: 0 }, { name: 'reset', reason: ON_GOOD })
    }
    case 'firing': {
      const goodSince = { goodSinceWallMs: now.wallMs, goodSinceAwakeMs: now.awakeMs }
      const recovering = { phase: 'recovering', watchedMs: 0, ...goodSince } as const
      return clearedIfDue(stepped(updated, recovering, { name: 'recovering', reason: ON_GOOD }), timing, now)
    }
    case 'recovering':
      return clearedIfDue(unstepped(updated), timing, now)
  }
}

function clearedIfDue({ next, transitions }: Stepped, timing: Timing, now: Moment): Stepped {
  if (!wereGood(next.trail, timing.clearAfter) || next.watchedMs < timing.keepFiringForMs)
    return { next, transitions }
  const cleared: Partial<Instance> = {
    phase: 'normal',
    watchedMs: 0,
    clearedWallMs: next.goodSinceWallMs ?? now.wallMs,
    clearedAwakeMs: now.awakeMs,
    awaitsAcknowledgement: next.acknowledged === undefined,
    acknowledged: undefined,
  }
  return stepped(next, cleared, { name: 'cleared', reason: ON_GOOD }, transitions)
}

function withFlapping({ next, transitions }: Stepped): Stepped {
  const flapping = isFlapping(next.trail, next.flapping)
  if (flapping === next.flapping) return { next, transitions }
  const name = flapping ? 'flapping' : 'settled'
  return stepped(next, { flapping }, { name, reason: 'share-of-changes' }, transitions)
}

export const alarmIdOf = (ruleId: string, subject: AlarmSubject): AlarmId =>
  subject.kind === 'node'
    ? `${ruleId} ${subject.node}`
    : `${ruleId} ${subject.kind} ${'serviceId' in subject ? subject.serviceId : ''}`

export const nodeIn = (id: AlarmId): NodeKey => nodeKeyFromText(id.slice(id.indexOf(' ') + 1))

/** The last states of the evidence, newest in the lowest bit; 1 is bad. */
type StateTrail = { readonly bits: number; readonly count: number }

/** Nagios uses 21 states, which have 20 changes. */
const TRAIL_STATES = 21
const FLAPPING_FROM_PERCENT = 20
const FLAPPING_UNTIL_PERCENT = 5

export const NO_TRAIL: StateTrail = { bits: 0, count: 0 }

const MASK = 2 ** TRAIL_STATES - 1

export const withState = ({ bits, count }: StateTrail, isBad: boolean): StateTrail => ({
  bits: ((bits << 1) | (isBad ? 1 : 0)) & MASK,
  count: Math.min(TRAIL_STATES, count + 1),
})

function badAmong({ bits }: StateTrail, of: number): number {
  let count = 0
  for (let index = 0; index < of; index++) count += (bits >> index) & 1
  return count
}

const wereGood = (trail: StateTrail, of: number): boolean => trail.count >= of && badAmong(trail, of) === 0

/**
 * The share of state changes in percent by Nagios' formula: each of 20 possible changes weighs from 0.75 (oldest) to 1.25
 * (newest). Missing states count as no change.
 */
export function changePercent({ bits, count }: StateTrail): number {
  const changes = TRAIL_STATES - 1
  let weighed = 0
  for (let index = 0; index < count - 1; index++) {
    const changed = ((bits >> index) & 1) !== ((bits >> (index + 1)) & 1)
    if (changed) weighed += 0.75 + ((changes - 1 - index) * 0.5) / (changes - 1)
  }
  return (weighed / changes) * 100
}

/** Starts at 20 % and ends at 5 %. */
export function isFlapping(trail: StateTrail, was: boolean): boolean {
  const percent = changePercent(trail)
  if (percent >= FLAPPING_FROM_PERCENT) return true
  return was && percent > FLAPPING_UNTIL_PERCENT
}

const TEXT_MAX = 2_000

/** An act that does not apply changes nothing. */
export function actOn(before: Instance, act: ActOnAlarms, now: Moment): Stepped {
  const { next, transitions } = applied(before, act, now)
  const { by } = act
  return by === undefined
    ? { next, transitions }
    : { next, transitions: transitions.map((one) => ({ ...one, by })) }
}

function applied(before: Instance, act: ActOnAlarms, now: Moment): Stepped {
  switch (act.act) {
    case 'acknowledge':
    case 'acknowledge-all':
      return acknowledge(before, act.note?.trim().slice(0, TEXT_MAX), act.by, now)
    case 'unacknowledge':
      return before.acknowledged === undefined
        ? unstepped(before)
        : stepped(before, { acknowledged: undefined }, { name: 'unacknowledged', reason: BY_PERSON })
    case 'acknowledge-end':
      return acknowledgeEnd(before)
    case 'shelve':
      return shelve(before, act, now)
    case 'unshelve':
      return before.shelved === undefined ? unstepped(before) : unshelved(before, BY_PERSON)
  }
}

function acknowledge(
  before: Instance,
  note: string | undefined,
  by: string | undefined,
  { wallMs }: Moment,
): Stepped {
  if (before.awaitsAcknowledgement) return acknowledgeEnd(before)
  if (!isOn(before)) return unstepped(before)
  const text = note === '' ? undefined : note
  const acknowledged = {
    wallMs,
    ...(text !== undefined && { note: text }),
    ...(by !== undefined && { by }),
  }
  // A second note replaces the first; the journal has both.
  if (before.acknowledged !== undefined && text === undefined) return unstepped(before)
  const noted = text !== undefined && { note: text }
  return stepped(before, { acknowledged }, { name: 'acknowledged', reason: BY_PERSON, ...noted })
}

const acknowledgeEnd = (before: Instance): Stepped =>
  before.awaitsAcknowledgement
    ? stepped(before, { awaitsAcknowledgement: false }, { name: 'end-acknowledged', reason: BY_PERSON })
    : unstepped(before)

function shelve(
  before: Instance,
  { untilWallMs, reason, by }: Shelved,
  { wallMs, awakeMs }: Moment,
): Stepped {
  // Shelving always ends: an invalid or past time shelves nothing.
  if (!(untilWallMs > wallMs)) return unstepped(before)
  const lastsMs = Math.min(untilWallMs - wallMs, DEFAULTS.shelveMaxMs)
  const text = reason.trim().slice(0, TEXT_MAX)
  const shelved = {
    untilWallMs: wallMs + lastsMs,
    reason: text,
    untilAwakeMs: awakeMs + lastsMs,
    ...(by !== undefined && { by }),
  }
  return stepped(before, { shelved }, { name: 'shelved', reason: BY_PERSON, note: text })
}

const unshelved = (before: Instance, reason: string): Stepped =>
  stepped(before, { shelved: undefined }, { name: 'unshelved', reason })

/** Uses both clocks, because setting a clock back must not prolong shelving. */
export function endShelf(before: Instance, { wallMs, awakeMs }: Moment): Stepped {
  const { shelved } = before
  if (shelved === undefined || (wallMs < shelved.untilWallMs && awakeMs < shelved.untilAwakeMs))
    return unstepped(before)
  return unshelved(before, 'shelf-ended')
}
