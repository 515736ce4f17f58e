import { DEFAULTS } from '#base/defaults.ts'
import { FAILURES, type PollFailure, failureCode } from '#protocol/failure.ts'
import { isLess, shiftedText } from '#record/amount.ts'
import type { EffectiveSettings } from '#settings/effective-settings.ts'
import { readParticipation } from '#record/participation.ts'
import type { Service } from '#settings/settings.ts'
import { severityOf } from '#evaluate/failure-causes.ts'
import { heartbeatAgeNow, type NodeLive, type Reading } from '#fleet/live.ts'
import type { AlarmSeverity, AlarmValue, NodeKind } from './alarm.ts'
import { type Evaluation, HELD, type Timing, bad, good } from './instance.ts'

/** One node at one moment, after a poll of it has ended. `nowMs` is on the engine's steady clock. */
export type NodeContext = {
  readonly node: NodeLive
  readonly service: Service
  readonly settings: EffectiveSettings
  readonly nowMs: number
}

/** Two polls in a row, and two good ones to end it. */
const TWO_POLLS: Timing = {
  raiseAfter: { polls: 2, of: 2 },
  forMs: 0,
  clearAfter: DEFAULTS.alarmClearAfter,
  keepFiringForMs: 0,
}
/** A refusal is no lost packet, and the next poll may be minutes away. */
export const AT_ONCE: Timing = { ...TWO_POLLS, raiseAfter: { polls: 1, of: 1 } }

type DefaultRule = {
  readonly timing: Timing
  readonly evaluate: (context: NodeContext) => Evaluation
}

/** The rules that always hold. Severities and limits are those of FAILURES, DEFAULTS and the limits that are set. */
export const DEFAULT_RULES: Readonly<Record<NodeKind, DefaultRule>> = {
  'heartbeat-old': { timing: TWO_POLLS, evaluate: ofReading(heartbeatOld) },
  unreachable: { timing: TWO_POLLS, evaluate: unreachable },
  rejected: { timing: AT_ONCE, evaluate: refusedBy('node-id-invalid', 'node-unknown') },
  // The key may be refused everywhere: then that is one alarm, and no node's. Looked at again when another node is answered.
  'key-rejected': { timing: TWO_POLLS, evaluate: refusedBy('unauthorized', 'forbidden') },
  'status-left': { timing: TWO_POLLS, evaluate: ofReading(statusLeft) },
  'participation-low': { timing: TWO_POLLS, evaluate: ofReading(participationLow) },
  'participation-high': { timing: TWO_POLLS, evaluate: ofReading(participationHigh) },
  'stake-low': { timing: TWO_POLLS, evaluate: ofReading(stakeLow) },
  'answer-slow': { timing: TWO_POLLS, evaluate: ofReading(answerSlow) },
}

/** What a reading says, and nothing while there is no new one. */
function ofReading<T extends NodeContext>(
  judge: (reading: Reading, look: T) => Evaluation,
): (look: T) => Evaluation {
  return (look) => {
    const { reading, episode } = look.node
    return reading === undefined || episode !== undefined ? HELD : judge(reading, look)
  }
}

function heartbeatOld(reading: Reading, { nowMs, settings }: NodeContext): Evaluation {
  const ageMs = heartbeatAgeNow(reading, nowMs)
  if (ageMs === undefined) return HELD
  const value: AlarmValue = { unit: 'ms', value: ageMs }
  const levels = [
    ['critical', settings.heartbeatCriticalMs.value],
    ['warning', settings.heartbeatWarningMs.value],
  ] as const
  for (const [severity, limitMs] of levels)
    if (limitMs !== undefined && ageMs > limitMs) return bad(severity, value, { unit: 'ms', value: limitMs })
  const nextMs = settings.heartbeatWarningMs.value ?? settings.heartbeatCriticalMs.value
  return good(value, nextMs === undefined ? undefined : { unit: 'ms', value: nextMs })
}

const MEANING = { warning: 'warning', bad: 'critical' } as const

function statusLeft({ record: { status } }: Reading, { settings }: NodeContext): Evaluation {
  if (!status.ok) return HELD
  const value: AlarmValue = { unit: 'status', text: status.value }
  const means = settings.statusWords.get(status.value)?.value
  if (means === 'good') return good(value)
  return bad(means === undefined ? 'info' : MEANING[means], value)
}

/** Beyond a limit by less than this the alarm stays what it was. */
const PARTICIPATION_DEADBAND = 0.002

function participationLow({ record }: Reading, { settings }: NodeContext): Evaluation {
  return participation(record, settings, settings.participationBelow.value, -1)
}

function participationHigh({ record }: Reading, { settings }: NodeContext): Evaluation {
  return participation(record, settings, settings.participationAbove.value, 1)
}

function participation(
  record: Reading['record'],
  settings: EffectiveSettings,
  limit: number | undefined,
  side: 1 | -1,
): Evaluation {
  if (limit === undefined) return good()
  if (!record.participation.ok) return HELD
  const read = readParticipation(record.participation.value, settings.participation.value)
  return read === undefined
    ? HELD
    : beyond(read.ratio, limit, side, PARTICIPATION_DEADBAND, 'ratio', 'warning')
}

/** Whether a value is beyond its limit: above it for side 1, below it for -1. */
export function beyond(
  value: number,
  limit: number,
  side: 1 | -1,
  deadband: number,
  unit: 'ratio' | 'ms' | 'per-hour',
  severity: AlarmSeverity,
): Evaluation {
  const [told, bound] = [{ unit, value } as const, { unit, value: limit } as const]
  if (side * (value - limit) > 0) return bad(severity, told, bound)
  // Differences of decimals are a hair off.
  const isClear = side * (limit - value) >= deadband - 1e-9
  return isClear ? good(told, bound) : { ...good(told, bound), state: 'between', severity }
}

function stakeLow({ record: { stake } }: Reading, { settings }: NodeContext): Evaluation {
  const limit = settings.stakeBelow.value
  if (limit === undefined) return good()
  if (!stake.ok) return HELD
  const text = shiftedText(stake.value.text, settings.stakeDecimals.value)
  const [value, bound] = [{ unit: 'stake', text } as const, { unit: 'stake', text: limit } as const]
  return isLess(text, limit) ? bad('warning', value, bound) : good(value, bound)
}

function answerSlow({ latencyMs }: Reading, { settings }: NodeContext): Evaluation {
  const limit = settings.answerTimeAboveMs.value
  return limit === undefined ? good() : beyond(latencyMs, limit, 1, 0, 'ms', 'warning')
}

/** An answer that refuses is an answer all the same. Where nobody was asked, nothing is known. */
function unreachable({ node: { episode, reading }, nowMs }: NodeContext): Evaluation {
  if (episode === undefined) return reading === undefined ? HELD : good()
  const { failure, misses, sinceMs } = episode
  if (REFUSALS.includes(failure.kind)) return good()
  const severity = severityOf(failure, misses, nowMs - sinceMs)
  const { scope, again } = FAILURES[failure.kind]
  return scope === 'screen' || again === 'wait' || severity === 'none'
    ? HELD
    : bad(severity, valueOf(failure))
}

const REFUSALS: readonly string[] = ['node-id-invalid', 'node-unknown', 'unauthorized', 'forbidden']

/** Only an answer with a record ends it. */
function refusedBy(...kinds: readonly PollFailure['kind'][]): (look: NodeContext) => Evaluation {
  return ({ node: { episode, reading } }) => {
    if (episode === undefined) return reading === undefined ? HELD : good()
    const { failure } = episode
    const { severity } = FAILURES[failure.kind]
    return kinds.includes(failure.kind) && severity !== 'none' ? bad(severity, valueOf(failure)) : HELD
  }
}

const valueOf = (failure: PollFailure): AlarmValue => ({
  unit: 'failure',
  code: failureCode(failure),
  failure,
})

/** How long a look at a node holds when nothing new comes: until its next poll is late. */
export function freshFor({ node: { nextPollMs }, service: { pollIntervalMs }, nowMs }: NodeContext): number {
  const plannedMs = nextPollMs === undefined ? 0 : nextPollMs - nowMs + pollIntervalMs
  return Math.max(DEFAULTS.staleAfterIntervals * pollIntervalMs, plannedMs)
}
