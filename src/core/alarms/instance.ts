import type {
  AlarmKind,
  AlarmSeverity,
  AlarmSubject,
  AlarmId,
  AlarmValue,
  Acknowledged,
  Shelved,
} from './alarm.ts'
import { badAmong, isCalm, isFlapping, NO_TRAIL, withState, type StateTrail } from './flapping.ts'

/** How patient a rule is. */
export type Timing = {
  /** It takes `bad` bad of the last `of` polls, of 1 to 21, */
  readonly bad: number
  readonly of: number
  /** and so long, from the first bad one on. */
  readonly holdMs: number
  /** It is over after so many good polls in a row, */
  readonly calm: number
  /** and so long, from the first good one on. */
  readonly keepMs: number
}

/** What one look at one subject says to one rule. `between`: within the deadband, so what was true stays true. `held`: nothing is known. */
export type Observation = {
  readonly state: 'bad' | 'good' | 'between' | 'held'
  readonly severity: AlarmSeverity
  readonly value?: AlarmValue | undefined
  readonly limit?: AlarmValue | undefined
  /** For how long what was seen may be taken to hold, when nothing new comes. */
  readonly freshForMs: number
}

/** `awakeMs`: time that this screen was really watching, since its alarms began. `serviceMs`: the service's own clock, where it is known. */
export type Moment = {
  readonly awakeMs: number
  readonly wallMs: number
  readonly serviceMs?: number | undefined
}

export type Phase = 'normal' | 'pending' | 'firing' | 'recovering'

/** One rule at one subject. Times are wall clock, but for those named awake and watched. */
export type Instance = {
  readonly id: AlarmId
  readonly ruleId: string
  readonly kind: AlarmKind
  readonly subject: AlarmSubject
  readonly phase: Phase
  readonly side: 'good' | 'bad'
  readonly trail: StateTrail
  /** Watched time since this pending or recovering began. */
  readonly watchedMs: number
  /** The last look that brought news, and for how long it holds. */
  readonly seenAwakeMs: number
  readonly freshForMs: number
  /** Since when nothing is known. */
  readonly heldAwakeMs: number | undefined
  /** The first bad evidence of what is or was raised, and of what may be raised next. */
  readonly sinceWallMs: number
  readonly badSinceWallMs: number
  readonly goodSinceWallMs: number | undefined
  readonly raisedWallMs: number | undefined
  readonly clearedWallMs: number | undefined
  readonly severity: AlarmSeverity
  readonly value: AlarmValue | undefined
  readonly limit: AlarmValue | undefined
  readonly acknowledged: Acknowledged | undefined
  /** It was raised, it is over, and nobody has seen either. */
  readonly unseen: boolean
  readonly shelved: (Shelved & { readonly untilAwakeMs: number }) | undefined
  readonly flapping: boolean
  /** How loud it was when people were last told of it; undefined while there is nothing that they have to be told the end of. */
  readonly told: AlarmSeverity | undefined
  /** When it was raised, newest last; at most 50. */
  readonly raises: readonly number[]
}

export type TransitionName =
  | 'pending'
  | 'reset'
  | 'raised'
  | 'worse'
  | 'recovering'
  | 'relapsed'
  | 'cleared'
  | 'flapping'
  | 'settled'
  | 'acknowledged'
  | 'unacknowledged'
  | 'seen'
  | 'shelved'
  | 'unshelved'
  | 'timer-restarted'
  | 'inhibited'
  | 'released'
  | 'maintenance-began'
  | 'maintenance-ended'
  | 'closed'

/** Why, e.g. "bad-evidence", "by-person", "shelf-ended". */
export type Transition = { readonly name: TransitionName; readonly reason: string; readonly note?: string }
export type Stepped = { readonly next: Instance; readonly transitions: readonly Transition[] }

const RAISES_MAX = 50
const LOUDEST: readonly AlarmSeverity[] = ['critical', 'warning', 'info']
export const isLouder = (a: AlarmSeverity, b: AlarmSeverity): boolean =>
  LOUDEST.indexOf(a) < LOUDEST.indexOf(b)

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
  seenAwakeMs: awakeMs,
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
  unseen: false,
  shelved: undefined,
  flapping: false,
  told: undefined,
  raises: [],
})

/** Nothing about it is worth remembering. */
export const isForgettable = ({ phase, unseen, shelved, told, flapping, trail }: Instance): boolean =>
  phase === 'normal' &&
  !unseen &&
  shelved === undefined &&
  told === undefined &&
  !flapping &&
  trail.bits === 0

/** Time that was watched since the last look, as far as what was seen then still held. */
const watchedSince = ({ heldAwakeMs, seenAwakeMs, freshForMs }: Instance, awakeMs: number): number =>
  heldAwakeMs === undefined ? Math.max(0, Math.min(awakeMs - seenAwakeMs, freshForMs)) : 0

/** What one look does to an alarm. Evidence that is missing stops its timers and changes nothing else. */
export function observe(before: Instance, timing: Timing, seen: Observation, now: Moment): Stepped {
  const watchedMs = before.watchedMs + watchedSince(before, now.awakeMs)
  if (seen.state === 'held') {
    if (before.heldAwakeMs !== undefined) return { next: before, transitions: [] }
    return { next: { ...before, watchedMs, heldAwakeMs: now.awakeMs }, transitions: [] }
  }
  const side = seen.state === 'between' ? before.side : seen.state
  const isBad = side === 'bad'
  const trail = withState(before.trail, isBad)
  const looked: Instance = {
    ...before,
    side,
    trail,
    watchedMs,
    seenAwakeMs: now.awakeMs,
    freshForMs: seen.freshForMs,
    heldAwakeMs: undefined,
    value: seen.value,
    limit: seen.limit,
  }
  const stepped = isBad ? afterBad(looked, timing, seen.severity, now) : afterGood(looked, timing, now)
  return withFlapping(stepped)
}

function afterBad(looked: Instance, timing: Timing, severity: AlarmSeverity, now: Moment): Stepped {
  switch (looked.phase) {
    case 'normal': {
      const pending: Instance = {
        ...looked,
        phase: 'pending',
        watchedMs: 0,
        severity,
        badSinceWallMs: now.wallMs,
        // What is over but unseen keeps its time until it is raised anew.
        sinceWallMs: looked.unseen ? looked.sinceWallMs : now.wallMs,
      }
      return tripped(
        { next: pending, transitions: [{ name: 'pending', reason: 'bad-evidence' }] },
        timing,
        now,
      )
    }
    case 'pending':
      return tripped({ next: { ...looked, severity }, transitions: [] }, timing, now)
    case 'recovering':
      return louder({ ...looked, phase: 'firing', watchedMs: 0, goodSinceWallMs: undefined }, severity, [
        { name: 'relapsed', reason: 'bad-evidence' },
      ])
    case 'firing':
      return louder(looked, severity, [])
  }
}

function tripped({ next, transitions }: Stepped, timing: Timing, now: Moment): Stepped {
  if (badAmong(next.trail, timing.of) < timing.bad || next.watchedMs < timing.holdMs)
    return { next, transitions }
  return {
    next: {
      ...next,
      phase: 'firing',
      watchedMs: 0,
      sinceWallMs: next.badSinceWallMs,
      raisedWallMs: now.wallMs,
      clearedWallMs: undefined,
      goodSinceWallMs: undefined,
      acknowledged: undefined,
      unseen: false,
      raises: [...next.raises, now.wallMs].slice(-RAISES_MAX),
    },
    transitions: [
      ...transitions,
      { name: 'raised', reason: timing.holdMs > 0 ? 'held-long-enough' : 'bad-evidence' },
    ],
  }
}

/** What gets worse is a new reason to look, whoever had seen or shelved it. Once it was critical it stays so until it is over. */
function louder(next: Instance, severity: AlarmSeverity, transitions: readonly Transition[]): Stepped {
  if (!isLouder(severity, next.severity)) return { next, transitions }
  return {
    next: { ...next, severity, acknowledged: undefined, shelved: undefined },
    transitions: [...transitions, { name: 'worse', reason: severity }],
  }
}

function afterGood(looked: Instance, timing: Timing, now: Moment): Stepped {
  switch (looked.phase) {
    case 'normal':
      return { next: looked, transitions: [] }
    case 'pending': {
      const mayStillTrip = timing.of > timing.bad && badAmong(looked.trail, timing.of) > 0
      if (mayStillTrip) return { next: looked, transitions: [] }
      const next: Instance = { ...looked, phase: 'normal', watchedMs: 0 }
      return { next, transitions: [{ name: 'reset', reason: 'good-evidence' }] }
    }
    case 'firing': {
      const next: Instance = { ...looked, phase: 'recovering', watchedMs: 0, goodSinceWallMs: now.wallMs }
      return calmed({ next, transitions: [{ name: 'recovering', reason: 'good-evidence' }] }, timing, now)
    }
    case 'recovering':
      return calmed({ next: looked, transitions: [] }, timing, now)
  }
}

function calmed({ next, transitions }: Stepped, timing: Timing, now: Moment): Stepped {
  if (!isCalm(next.trail, timing.calm) || next.watchedMs < timing.keepMs) return { next, transitions }
  return {
    next: {
      ...next,
      phase: 'normal',
      watchedMs: 0,
      clearedWallMs: next.goodSinceWallMs ?? now.wallMs,
      unseen: next.acknowledged === undefined,
      acknowledged: undefined,
    },
    transitions: [...transitions, { name: 'cleared', reason: 'good-evidence' }],
  }
}

function withFlapping({ next, transitions }: Stepped): Stepped {
  const flapping = isFlapping(next.trail, next.flapping)
  if (flapping === next.flapping) return { next, transitions }
  const name = flapping ? 'flapping' : 'settled'
  return { next: { ...next, flapping }, transitions: [...transitions, { name, reason: 'share-of-changes' }] }
}
