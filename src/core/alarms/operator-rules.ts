import { textFingerprint } from '#base/fingerprint.ts'
import { counterStep } from '#history/counter.ts'
import type { Reading } from '#fleet/live.ts'
import type { AlarmCheck, AlarmRule } from '#settings/alarm-settings.ts'
import { isLess, shiftedText, sumText } from '#record/amount.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { ExactNumber } from '#record/exact-number.ts'
import { readParticipation } from '#record/participation.ts'
import type { AlarmSeverity, AlarmValue } from './alarm.ts'
import { type NodeContext, beyond } from './built-in-rules.ts'
import { type Evaluation, HELD, type Moment, bad, good } from './instance.ts'

/**
 * What a rule remembers of a node: what it saw last and since when, or what it saw within its window. In watched
 * time. `of`: the check that saw it, so that a rule which looks at something else now does not go by it.
 */
export type Memory =
  | {
      readonly kind: 'last'
      readonly of: AlarmCheck['kind']
      readonly text: string
      /** What it was until then. */
      readonly before?: string | undefined
      readonly sinceAwakeMs: number
    }
  | {
      readonly kind: 'points'
      readonly of: AlarmCheck['kind']
      readonly points: readonly Point[]
      /** When the last of them was seen, by this computer's clock. */
      readonly wallMs: number
      /** A counter's last total, as the node tells it. */
      readonly total: string | undefined
    }
export type Point = readonly [awakeMs: number, value: number]

/** More points in a window are thinned out. */
const POINTS_MAX = 240
/** Answers that it takes to tell which are slow. */
const ANSWERS_MIN = 5
/** Clocks that differ by less over the same time tell the same. */
const WATCHED_WITHIN_MS = 5_000
const HOUR_MS = 3_600_000

type RuleResult = { readonly evaluation: Evaluation; readonly memory: Memory | undefined }

/** What one answer says, as far as rules look at it; undefined: not usable. */
export type AnswerValues = {
  /** 0 to 1. */
  readonly participation: number | undefined
  /** As the node tells it, and by how many digits its point moves for the unit that is shown. */
  readonly stake: { readonly text: string; readonly decimals: number } | undefined
  /** Tells proofs apart. */
  readonly proof: string | undefined
  readonly verdict: 'verified' | 'wrong' | undefined
  /** The counter of threat responses, as the node tells it. */
  readonly threats: ExactNumber | undefined
  readonly latencyMs: number
}

/** What one of the operator's rules says to a node, and what it is to remember. Without a new reading it says nothing. */
export function evaluateRule(
  rule: Pick<AlarmRule, 'check' | 'severity'>,
  look: NodeContext,
  memory: Memory | undefined,
  now: Pick<Moment, 'awakeMs' | 'wallMs'>,
): RuleResult {
  const { reading, episode } = look.node
  if (reading === undefined || episode !== undefined) return { evaluation: HELD, memory }
  return evaluateValues(rule, valuesOf(reading, look), memory, now)
}

function valuesOf({ record, proof, latencyMs }: Reading, { settings }: NodeContext): AnswerValues {
  const { participation, stake, threatResponses } = record
  return {
    participation: participation.ok
      ? readParticipation(participation.value, settings.participation.value)?.ratio
      : undefined,
    stake: stake.ok ? { text: stake.value.text, decimals: settings.stakeDecimals.value } : undefined,
    proof: record.proof.ok ? textFingerprint(record.proof.value) : undefined,
    verdict: proof?.kind === 'wrong' || proof?.kind === 'verified' ? proof.kind : undefined,
    threats: threatResponses.ok ? threatResponses.value : undefined,
    latencyMs,
  }
}

/** The same of an answer of which only its values are left. */
export function evaluateValues(
  { check, severity }: Pick<AlarmRule, 'check' | 'severity'>,
  { participation, stake, proof, verdict, threats, latencyMs }: AnswerValues,
  before: Memory | undefined,
  now: Pick<Moment, 'awakeMs' | 'wallMs'>,
): RuleResult {
  const memory = before?.of === check.kind ? before : undefined
  const unknown: RuleResult = { evaluation: HELD, memory }
  switch (check.kind) {
    case 'participation-below':
    case 'participation-above': {
      if (participation === undefined) return unknown
      const side = check.kind === 'participation-above' ? 1 : -1
      return {
        evaluation: beyond(participation, check.limit, side, check.deadband, 'ratio', severity),
        memory,
      }
    }
    case 'stake-below':
      return stake === undefined
        ? unknown
        : { evaluation: stakeBelow(check, severity, shownIn(stake)), memory }
    case 'stake-changed':
      return stake === undefined ? unknown : stakeChanged(severity, stake, lastOf(memory), now.awakeMs)
    case 'proof-unchanged':
      return proof === undefined
        ? unknown
        : proofUnchanged(check.limit, severity, proof, lastOf(memory), now.awakeMs)
    case 'proof-wrong':
      return verdict === undefined
        ? unknown
        : { evaluation: verdict === 'wrong' ? bad(severity) : good(), memory }
    case 'threat-rate-below':
    case 'threat-rate-above':
    case 'threats-stuck':
      return threats === undefined ? unknown : countThreats(check, severity, threats, pointsOf(memory), now)
    case 'answer-time-p95': {
      const points = withPoint(recent(pointsOf(memory), now), [now.awakeMs, latencyMs], check.windowMs)
      return {
        evaluation: slow(check, severity, points),
        memory: { kind: 'points', of: check.kind, points, wallMs: now.wallMs, total: undefined },
      }
    }
  }
}

const lastOf = (memory: Memory | undefined) => (memory?.kind === 'last' ? memory : undefined)
const pointsOf = (memory: Memory | undefined) => (memory?.kind === 'points' ? memory : undefined)

const shownIn = ({ text, decimals }: NonNullable<AnswerValues['stake']>): string =>
  shiftedText(text, decimals)

type Check<K extends AlarmCheck['kind']> = Extract<AlarmCheck, { kind: K }>

function stakeBelow(
  { limit, deadband }: Check<'stake-below'>,
  severity: AlarmSeverity,
  text: string,
): Evaluation {
  const [value, bound] = [{ unit: 'stake', text } as const, { unit: 'stake', text: limit } as const]
  if (isLess(text, limit)) return bad(severity, value, bound)
  const isClear = !isLess(text, sumText(limit, deadband))
  return isClear ? good(value, bound) : { ...good(value, bound), state: 'between', severity }
}

type Last = Extract<Memory, { kind: 'last' }>

/** Bad in the answer that brings another stake; who has seen it says so. Another unit is no other stake. */
function stakeChanged(
  severity: AlarmSeverity,
  { text, decimals }: NonNullable<AnswerValues['stake']>,
  last: Last | undefined,
  awakeMs: number,
): RuleResult {
  const isSame = last === undefined || last.text === text
  const before = isSame ? last?.before : last.text
  const value: AlarmValue = {
    unit: 'stake',
    text: shiftedText(text, decimals),
    ...(before !== undefined && { before: shiftedText(before, decimals) }),
  }
  const memory: Last = { kind: 'last', of: 'stake-changed', text, before, sinceAwakeMs: awakeMs }
  return isSame
    ? { evaluation: good(value), memory: last ?? memory }
    : { evaluation: bad(severity, value), memory }
}

function proofUnchanged(
  limitMs: number,
  severity: AlarmSeverity,
  text: string,
  last: Last | undefined,
  awakeMs: number,
): RuleResult {
  const limit: AlarmValue = { unit: 'ms', value: limitMs }
  if (last?.text !== text)
    return {
      evaluation: good({ unit: 'ms', value: 0 }, limit),
      memory: { kind: 'last', of: 'proof-unchanged', text, sinceAwakeMs: awakeMs },
    }
  const value: AlarmValue = { unit: 'ms', value: awakeMs - last.sinceAwakeMs }
  return {
    evaluation: value.value > limitMs ? bad(severity, value, limit) : good(value, limit),
    memory: last,
  }
}

type Points = Extract<Memory, { kind: 'points' }>
type ThreatCheck = Check<'threat-rate-below' | 'threat-rate-above' | 'threats-stuck'>

/** What was seen before a long absence says nothing of the window that is watched now. */
const recent = (before: Points | undefined, { awakeMs, wallMs }: Pick<Moment, 'awakeMs' | 'wallMs'>) =>
  before === undefined || unwatchedMs(before, awakeMs, wallMs) > DEFAULTS.alarmTimersOutageMs
    ? []
    : before.points

const unwatchedMs = ({ points, wallMs: lastMs }: Points, awakeMs: number, wallMs: number): number =>
  Math.abs(wallMs - lastMs - (awakeMs - (points.at(-1)?.[0] ?? awakeMs)))

/** The counter goes on over a reload: from its total, as the node tells it, and not from what a session has seen. */
function countThreats(
  check: ThreatCheck,
  severity: AlarmSeverity,
  { text, value }: ExactNumber,
  before: Points | undefined,
  now: Pick<Moment, 'awakeMs' | 'wallMs'>,
): RuleResult {
  const { awakeMs, wallMs } = now
  const points = recent(before, now)
  const [lastMs, count] = points.at(-1) ?? [awakeMs, 0]
  const total = before?.total
  const step = counterStep(total === undefined ? undefined : { text: total, value: Number(total) }, {
    text,
    value,
  })
  // What happened unseen is spread over the time that passed; only the watched part of it counts.
  const isWatched = before === undefined || unwatchedMs(before, awakeMs, wallMs) < WATCHED_WITHIN_MS
  const share = isWatched ? 1 : Math.min(1, Math.max(awakeMs - lastMs, 1) / Math.abs(wallMs - before.wallMs))
  const increase = points.length === 0 ? 0 : step.increase * share
  const all = withPoint(points, [awakeMs, count + increase], check.windowMs)
  const memory: Points = { kind: 'points', of: check.kind, points: all, wallMs, total: text }
  return { evaluation: rateOf(check, severity, all), memory }
}

/** The window, and the last point before it, so that it is known what was when it began. */
function withPoint(before: readonly Point[], point: Point, windowMs: number): readonly Point[] {
  const [awakeMs] = point
  const start = before.findLastIndex(([atMs]) => atMs <= awakeMs - windowMs)
  const kept = before.slice(Math.max(0, start))
  const earlier = kept.at(-2)
  // Points that stand too closely make room: the newest takes the place of the one before.
  const isClose = earlier !== undefined && awakeMs - earlier[0] < windowMs / POINTS_MAX
  return [...(isClose ? kept.slice(0, -1) : kept), point]
}

function rateOf(check: ThreatCheck, severity: AlarmSeverity, points: readonly Point[]): Evaluation {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return HELD
  const spanMs = last[0] - first[0]
  const increase = last[1] - first[1]
  if (check.kind === 'threats-stuck') {
    const limit: AlarmValue = { unit: 'ms', value: check.windowMs }
    if (increase > 0) return good({ unit: 'ms', value: 0 }, limit)
    return spanMs < check.windowMs ? HELD : bad(severity, { unit: 'ms', value: spanMs }, limit)
  }
  // Too little was watched to tell how many there are in an hour.
  if (spanMs < check.windowMs) return HELD
  const perHour = (increase / spanMs) * HOUR_MS
  return beyond(
    perHour,
    check.limit,
    check.kind === 'threat-rate-above' ? 1 : -1,
    check.deadband,
    'per-hour',
    severity,
  )
}

function slow(
  check: Check<'answer-time-p95'>,
  severity: AlarmSeverity,
  points: readonly Point[],
): Evaluation {
  const newestMs = points.at(-1)?.[0] ?? 0
  const within = points.filter(([atMs]) => atMs > newestMs - check.windowMs)
  if (within.length < ANSWERS_MIN) return HELD
  const sorted = within.map(([, value]) => value).toSorted((a, b) => a - b)
  const p95 = sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0
  return beyond(p95, check.limit, 1, check.deadband, 'ms', severity)
}
