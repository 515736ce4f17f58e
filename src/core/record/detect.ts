import { DAY_MS } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { sum } from '#base/sum.ts'
import type { ExactNumber } from './exact-number.ts'
import type { Field, Timestamp, TimestampUnit } from './field.ts'

/**
 * Units and periods detected from a service's answers because its interface does not specify them; undefined while
 * undetermined.
 */
export type Detected = {
  readonly participation?: { readonly unit: 'ratio' | 'percent'; readonly readings: number } | undefined
  readonly heartbeat?: { readonly unit: TimestampUnit; readonly readings: number } | undefined
  /** From the steps of a node's heartbeats between two readings; nodes may send heartbeats more often than they are polled. */
  readonly heartbeatPeriod?: { readonly periodMs: number; readonly readings: number } | undefined
}

/** The fields whose unit the interface does not specify. */
type OpenUnits = { readonly participation: Field<ExactNumber>; readonly heartbeat: Field<Timestamp> }

export type Detector = ReturnType<typeof createDetector>

export function createDetector() {
  const participation = createVote<'ratio' | 'percent'>()
  const heartbeat = createVote<TimestampUnit>()
  const period = createPeriod()
  const stepped = new Set<string>()
  let detected: Detected = {}
  return {
    /** `stepMs`: the difference to the heartbeat of the node's previous reading; undefined if unknown. */
    learn: (node: string, record: OpenUnits, stepMs: number | undefined): void => {
      if (record.participation.ok) participation.vote(node, participationUnit(record.participation.value))
      if (record.heartbeat.ok) heartbeat.vote(node, record.heartbeat.value.unit)
      if (stepMs === undefined || stepMs <= 0) return
      // A node's first step may end a silence that began before the first answer.
      if (stepped.has(node)) period.step(stepMs)
      stepped.add(node)
    },
    forget: (node: string): void => {
      participation.forget(node)
      heartbeat.forget(node)
      stepped.delete(node)
    },
    /** The same object until the result changes. */
    detected: (): Detected => {
      const next = {
        participation: participation.leader(),
        heartbeat: heartbeat.leader(),
        heartbeatPeriod: period.found(),
      }
      if (JSON.stringify(next) !== JSON.stringify(detected)) detected = next
      return detected
    },
  }
}

/** 0 is the same in both units; more than 100 is in neither. */
export const participationUnit = ({ value }: ExactNumber): 'ratio' | 'percent' | undefined =>
  value <= 0 || value > 100 ? undefined : value <= 1 ? 'ratio' : 'percent'

/** Undefined if the value exceeds the unit's range: it is shown as written and not charted. */
export function participationRatio(
  number: ExactNumber,
  unit = participationUnit(number) ?? 'ratio',
): number | undefined {
  const ratio = unit === 'ratio' ? number.value : number.value / 100
  return ratio > 1 ? undefined : ratio
}

/**
 * Each node has one vote, from its first answer that shows a unit. The majority decides; in a tie the earlier leader stays. A
 * node that later switches its unit does not reinterpret any values: its own are reported as out of the unit until a person
 * sets it.
 */
function createVote<T extends string>() {
  const units = new Map<string, T>()
  const votes = new Map<T, number>()
  let leader: T | undefined
  let count = 0
  const add = (unit: T, by: number): void => {
    votes.set(unit, (votes.get(unit) ?? 0) + by)
    for (const [each, has] of votes)
      if (has > (leader === undefined ? 0 : (votes.get(leader) ?? 0))) leader = each
  }
  return {
    vote: (node: string, unit: T | undefined): void => {
      if (unit === undefined) return
      count++
      if (units.has(node)) return
      units.set(node, unit)
      add(unit, 1)
    },
    forget: (node: string): void => {
      const unit = units.get(node)
      if (units.delete(node) && unit !== undefined) add(unit, -1)
    },
    leader: () => (leader === undefined ? undefined : { unit: leader, readings: roundedDown(count) }),
  }
}

/** Rounds a count down, so that the published number changes ever more rarely and does not cause redraws. */
export const roundedDown = (count: number): number => COUNT_STEPS.findLast((step) => step <= count) ?? 0

const COUNT_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] as const

const { periodStepsMin: STEPS_MIN, periodStepsMax: STEPS_MAX } = DEFAULTS

function createPeriod() {
  let steps: number[] = []
  let found: Detected['heartbeatPeriod']
  return {
    step: (stepMs: number): void => {
      steps.push(stepMs)
      // A new detector follows every step. Later the period can only decrease, and only by a full set of new steps, because a
      // network that slows down must not pass for a healthy one.
      const isYoung = found === undefined || found.readings < STEPS_MAX
      if (isYoung && steps.length >= STEPS_MIN) {
        found = { periodMs: periodOf(steps), readings: steps.length }
      } else if (!isYoung && steps.length >= STEPS_MAX && found !== undefined) {
        const periodMs = periodOf(steps)
        if (periodMs < SHORTER * found.periodMs) found = { ...found, periodMs }
      }
      if (steps.length >= STEPS_MAX) steps = []
    },
    found: () => found,
  }
}

/** A smaller reduction may be chance. */
const SHORTER = 0.75
/** Share of the steps that must be multiples of the period. */
const FITTING = 0.9
const DIVISORS = [1, 2, 3, 4] as const
/** Any steps in whole seconds are multiples of a second, so a shorter part of a step shows no period. */
const PART_MIN_MS = 2_000
/** A few uneven steps may be multiples of a part by chance: of eight, one in a thousand sets. */
const PART_STEPS_MIN = 16

/**
 * The longest period of which at least 90 % of the steps are multiples, otherwise the median step. In whole seconds, like most
 * heartbeats.
 */
export function periodOf(steps: readonly number[]): number {
  const sorted = steps.toSorted((a, b) => a - b)
  // The shortest step may be a rounding error or follow a delayed heartbeat.
  const short = sorted[Math.floor(sorted.length / 10)] ?? 0
  for (const divisor of steps.length < PART_STEPS_MIN ? [1] : DIVISORS) {
    const period = short / divisor
    const toleranceMs = Math.min(1_000, period / 6)
    const fitting = steps.filter((step) => {
      const rest = step % period
      return Math.min(rest, period - rest) <= toleranceMs
    })
    if (period >= (divisor === 1 ? 1_000 : PART_MIN_MS) && fitting.length >= FITTING * steps.length)
      return wholeSeconds(meanPeriod(fitting, period))
  }
  return wholeSeconds(sorted[Math.floor(sorted.length / 2)] ?? 0)
}

/** The mean period, weighted by the number of periods in each step. */
const meanPeriod = (steps: readonly number[], period: number): number =>
  sum(steps) / sum(steps.map((step) => Math.round(step / period)))

const wholeSeconds = (ms: number): number => Math.min(DAY_MS, Math.max(1, Math.round(ms / 1_000)) * 1_000)
