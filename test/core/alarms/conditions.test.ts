import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { evaluateCondition, type Memory } from '#alarms/metric-conditions.ts'
import type { MetricReading } from '#alarms/metric-values.ts'
import type { Check } from '#fleet/assessment.ts'
import type { Metric } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { AlarmRuleSchema } from '#settings/schema.ts'

type Seen = {
  /** Undefined: a number that can't be compared. */
  readonly value: number | string | undefined
  readonly atMs?: number
  /** The wall clock, if it differs from the monitored time. */
  readonly wallMs?: number
  readonly state?: Check['state']
  readonly clockSetBack?: boolean
  readonly unwatched?: boolean
}

/** How long an answer stays fresh. */
const FRESH_MS = 150_000

/** A rule's evaluation of one metric, answer by answer; undefined stands for no new answer. */
function evaluated(condition: object, seen: readonly (Seen | undefined)[]) {
  const rule = v.parse(AlarmRuleSchema, {
    id: 'mine',
    scope: { for: 'all' },
    severity: 'warning',
    condition,
  })
  const metric: Metric | undefined = METRICS.find(({ id }) => id === rule.condition.metric)
  if (metric === undefined) throw new Error(rule.condition.metric)
  let memory: Memory | undefined
  return seen.map((one, place) => {
    const awakeMs = one?.atMs ?? place * MINUTE_MS
    const reading = one && readingOf(metric, one)
    const result = evaluateCondition(rule, reading, memory, {
      awakeMs,
      wallMs: one?.wallMs ?? awakeMs,
      freshForMs: FRESH_MS,
    })
    memory = result.memory
    return result.evaluation
  })
}

const readingOf = (metric: Metric, { value, state, clockSetBack, unwatched }: Seen): MetricReading => ({
  metric,
  raw: String(value),
  shown: value === undefined ? undefined : { text: String(value), value: Number(value) },
  show: (raw) => `${raw} shown`,
  check: state && { id: metric.id, state, reason: 'within-limits' },
  ...(clockSetBack === true && { clockSetBack }),
  ...(unwatched === true && { unwatched }),
})

const statesOf = (condition: object, seen: readonly (Seen | undefined)[]): readonly string[] =>
  evaluated(condition, seen).map(({ state }) => state)
const of = (...values: readonly (number | string)[]): readonly Seen[] => values.map((value) => ({ value }))

describe('a proof', () => {
  const rule = { metric: 'proof', test: 'wrong' }

  it.each<[Check['state'] | undefined, string]>([
    ['critical', 'bad'],
    ['ok', 'good'],
    ['not-checked', 'unknown'],
    ['warning', 'unknown'],
    ['unknown', 'unknown'],
    [undefined, 'unknown'],
  ])('whose check says %s is %s', (state, expected) => {
    const [found] = evaluated(rule, [{ value: 'ab', ...(state && { state }) }])
    expect(found?.state).toBe(expected)
    if (expected === 'bad') expect(found).toMatchObject({ severity: 'warning' })
  })
})

it('a heartbeat is old when its age is above the limit, not at it', () => {
  const limit = { unit: 'ms', value: MINUTE_MS }
  expect(
    evaluated({ metric: 'heartbeat', test: 'old', limit: MINUTE_MS }, of(MINUTE_MS, MINUTE_MS + 1)),
  ).toMatchObject([
    { state: 'good', value: { unit: 'ms', value: MINUTE_MS }, limit },
    { state: 'bad', value: { unit: 'ms', value: MINUTE_MS + 1 }, limit },
  ])
})

it('a rule is unknown without a new answer and for a value that cannot be compared', () => {
  const below = { metric: 'participation', test: 'below', limit: 0.9 }
  expect(statesOf(below, [undefined, { value: undefined }])).toEqual(['unknown', 'unknown'])
  const slow = { metric: 'answerTime', test: 'p95-above', limit: 5, windowMs: HOUR_MS }
  expect(statesOf(slow, [...of(9, 9, 9, 9), { value: undefined }, undefined, ...of(9)])).toEqual([
    'unknown',
    'unknown',
    'unknown',
    'unknown',
    'unknown',
    'unknown',
    'bad',
  ])
})

it.each<[object, readonly (number | string)[], readonly string[]]>([
  [
    { metric: 'participation', test: 'below', limit: 0.9, deadband: 0.05 },
    [0.899, 0.9, 0.949, 0.95],
    ['bad', 'between', 'between', 'good'],
  ],
  [
    { metric: 'participation', test: 'above', limit: 0.5, deadband: 0.05 },
    [0.501, 0.5, 0.451, 0.45],
    ['bad', 'between', 'between', 'good'],
  ],
  // Amounts are compared to the last digit, beyond 2^53.
  [
    { metric: 'stake', test: 'below', limit: '9007199254740993', deadband: '2' },
    ['9007199254740992', '9007199254740993', '9007199254740994', '9007199254740995'],
    ['bad', 'between', 'between', 'good'],
  ],
  [
    { metric: 'stake', test: 'above', limit: '9007199254740993', deadband: '2' },
    ['9007199254740994', '9007199254740993', '9007199254740992', '9007199254740991'],
    ['bad', 'between', 'between', 'good'],
  ],
])('a limit with a deadband %o keeps the previous state within it', (condition, values, states) => {
  expect(statesOf(condition, of(...values))).toEqual(states)
})

describe('a value that changed', () => {
  it('is bad only in the answer that brings it; a stake shows its previous value too', () => {
    expect(evaluated({ metric: 'stake', test: 'changed' }, of(9, 9, 10, 10))).toMatchObject([
      { state: 'good', value: { unit: 'stake', text: '9' } },
      { state: 'good', value: { unit: 'stake', text: '9' } },
      { state: 'bad', severity: 'warning', value: { unit: 'stake', text: '10', before: '9 shown' } },
      { state: 'good', value: { unit: 'stake', text: '10', before: '9 shown' } },
    ])
    const [first] = evaluated({ metric: 'stake', test: 'changed' }, of(9))
    expect(first?.value).not.toHaveProperty('before')
  })

  it('can be a status, which shows no previous value', () => {
    const found = evaluated({ metric: 'status', test: 'changed' }, of('ACTIVE', 'RETIRED'))
    expect(found[1]).toMatchObject({ state: 'bad', value: { unit: 'status', text: 'RETIRED' } })
    expect(found[1]?.value).not.toHaveProperty('before')
  })
})

describe('a counter', () => {
  const rate = { metric: 'threatResponses', test: 'rate-above', limit: 0, windowMs: MINUTE_MS }
  const perHour = (seen: readonly Seen[]): unknown => {
    const last = evaluated(rate, seen).at(-1)
    return last?.state === 'unknown' ? 'unknown' : last?.value
  }

  it.each<[string, Seen, number]>([
    // After a reload the clocks differ: it was a gap if the previous poll was no longer fresh.
    ['a reload that was no gap', { value: 10, wallMs: FRESH_MS }, 600],
    ['a reload that was a gap', { value: 10, wallMs: FRESH_MS + 1 }, 0],
    ['an hour of failed polls', { value: 10, atMs: HOUR_MS, wallMs: HOUR_MS + 4_999 }, 10],
    ['a sleep that the engine detected', { value: 10, unwatched: true }, 0],
  ])('ignores an increase in a gap of monitoring: %s', (_what, next, value) => {
    expect(perHour([{ value: 0 }, next])).toEqual({ unit: 'per-hour', value })
  })

  it('is not stuck if it rose in a gap of monitoring', () => {
    const rule = { metric: 'threatResponses', test: 'stuck', windowMs: 2 * MINUTE_MS }
    const states = (last: Seen) => statesOf(rule, [...of(5, 5), last])
    expect(states({ value: 6, unwatched: true })).toEqual(['unknown', 'unknown', 'good'])
    expect(states({ value: 5, unwatched: true })).toEqual(['unknown', 'unknown', 'bad'])
  })

  it('restarts its window after more than an hour without monitoring', () => {
    const after = (ms: number) =>
      perHour([{ value: 0 }, { value: 1, atMs: MINUTE_MS, wallMs: MINUTE_MS + ms }])
    expect(after(HOUR_MS)).toMatchObject({ unit: 'per-hour' })
    expect(after(HOUR_MS + 1)).toBe('unknown')
  })
})

it.each([
  { metric: 'threatResponses', test: 'stuck', windowMs: HOUR_MS },
  { metric: 'threatResponses', test: 'rate-below', limit: 1, windowMs: HOUR_MS },
  { metric: 'answerTime', test: 'p95-above', limit: 5, windowMs: HOUR_MS },
])('a window fills however often its node is polled: %o', (rule) => {
  const polls = Array.from({ length: 361 }, (_, at) => ({ value: 9, atMs: at * 10_000 }))
  expect(statesOf(rule, polls).at(-1)).toBe('bad')
})

describe('the 95th percentile of response times', () => {
  const slow = { metric: 'answerTime', test: 'p95-above', limit: 100, windowMs: 5 * MINUTE_MS }

  it('ignores the slowest 1 of 20', () => {
    const wide = { ...slow, windowMs: HOUR_MS }
    const answers = [...Array.from({ length: 19 }, () => 50), 900]
    expect(statesOf(wide, of(...answers)).at(-1)).toBe('good')
    expect(statesOf(wide, of(...answers, 900)).at(-1)).toBe('bad')
  })
})
