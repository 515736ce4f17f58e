import { METRICS } from '#metrics/metrics.ts'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { tryRule } from '#alarms/try-rule.ts'
import { createMemoryHistory } from '#test/support/memory-history.ts'
import type { Sample } from '#history/history.ts'
import type { SeriesData, SeriesQuery } from '#charts/charts.ts'
import { AlarmRuleSchema, type Units } from '#settings/schema.ts'
import { NO_SERVICE_RULES } from '#settings/effective.ts'
import { fleet, live, node, reading, WALL_MS } from '#test/core/monitor/fleet.ts'
import { BASE, keyOf, service } from '#test/core/monitor/watch.ts'

const EVERY_MS = 15_000
const DAY_MS = 86_400_000
const ONCE = { raiseAfter: { polls: 1, of: 1 } }
const LOW = { metric: 'participation', test: 'below', limit: 0.9 }
const rule = (condition: object, more: object = {}) =>
  v.parse(AlarmRuleSchema, { id: 'mine', scope: { for: 'all' }, condition, ...more })

/** Two days of answers of one node, with the values of `of` in place of the usual ones. */
async function past(of: (place: number) => Partial<Sample>) {
  const history = createMemoryHistory()
  const range = { fromMs: WALL_MS - 2 * DAY_MS, toMs: WALL_MS }
  const samples = Array.from({ length: (2 * DAY_MS) / EVERY_MS }, (_, place): Sample => ({
    node: keyOf(0),
    atMs: range.fromMs + place * EVERY_MS,
    latencyMs: 100,
    outcome: 'answered',
    participation: 0.98,
    stake: 1_000,
    threatResponsesIncrease: 1,
    ...of(place),
  }))
  await history.append({ samples, gaps: [] })
  return (tried: ReturnType<typeof rule>) =>
    tryRule(history.readSeriesData, fleet([node(0)]), tried, range, METRICS)
}

it('a trial counts a raise for each time that the condition held for enough polls', async () => {
  // Bad for two polls, for one, and for three at the border of two chunks.
  const low = [100, 101, 500, 3_998, 3_999, 4_000]
  const tried = await past((place) => ({ participation: low.includes(place) ? 0.5 : 0.98 }))
  expect(await tried(rule(LOW))).toMatchObject({
    raised: 2,
    raisedMs: [100, 3_998].map((place) => WALL_MS - 2 * DAY_MS + place * EVERY_MS),
    nodes: 1,
    nodesInScope: 1,
    answers: (2 * DAY_MS) / EVERY_MS,
    exact: true,
    possible: true,
  })
  expect(await tried(rule(LOW, ONCE))).toMatchObject({ raised: 3 })
  expect(await tried(rule(LOW, { raiseAfter: { polls: 3, of: 3 } }))).toMatchObject({ raised: 1 })
})

it('a counter that rose only in gaps of monitoring is not stuck and has no rate', async () => {
  const tried = await past((place) => ({
    threatResponsesIncrease: place % 100 === 0 ? 1_000 : 0,
    threatResponsesUnwatched: place % 100 === 0,
  }))
  const raised = async (condition: object) => (await tried(rule(condition, ONCE))).raised
  const windowMs = 200 * EVERY_MS
  expect(await raised({ metric: 'threatResponses', test: 'stuck', windowMs })).toBe(0)
  expect(await raised({ metric: 'threatResponses', test: 'rate-above', limit: 1, windowMs })).toBe(0)
})

it('a trial covers rules on stake, threat responses, response time and proof', async () => {
  const tried = await past((place) => ({
    stake: place < 2_000 ? 1_000 : 900,
    threatResponsesIncrease: place >= 5_000 && place < 6_000 ? 0 : 1,
    latencyMs: place >= 7_000 && place < 7_100 ? 900 : 100,
    proof: place < 8_000 ? 'a' : 'b',
    proofChanged: place === 8_000,
  }))
  const raised = async (condition: object, more?: object) => (await tried(rule(condition, more))).raised
  expect(await raised({ metric: 'stake', test: 'changed' }, ONCE)).toBe(1)
  expect(await raised({ metric: 'stake', test: 'below', limit: '950' })).toBe(1)
  expect(await raised({ metric: 'threatResponses', test: 'stuck', windowMs: 3_600_000 })).toBe(1)
  expect(await raised({ metric: 'answerTime', test: 'p95-above', limit: 800 })).toBe(1)
  expect(await raised({ metric: 'proof', test: 'unchanged', limit: 86_400_000 })).toBe(1)
})

const ANSWERED = { latencyMs: 100, outcome: 'answered', participation: 0.5 } as const
const nodes = (count: number) => Array.from({ length: count }, (_, index) => node(index))

/** A history with the given answers, `afterMs` into the range, and a list of every query made of it. */
async function answersOf(
  given: readonly {
    readonly index: number
    readonly afterMs: number
    readonly sample?: Pick<Sample, 'latencyMs' | 'outcome'> & Readonly<Record<string, unknown>>
  }[],
  rangeMs: number,
) {
  const range = { fromMs: WALL_MS - rangeMs, toMs: WALL_MS }
  const history = createMemoryHistory()
  const samples = given.map(({ index, afterMs, sample }): Sample => ({
    node: keyOf(index),
    atMs: range.fromMs + afterMs,
    ...(sample ?? ANSWERED),
  }))
  await history.append({ samples, gaps: [] })
  const asked: SeriesQuery[] = []
  const read = (query: SeriesQuery): Promise<SeriesData> => {
    asked.push(query)
    return history.readSeriesData(query)
  }
  return { range, asked, read }
}

it('a trial reads at most 50 nodes and reports how many are in scope', async () => {
  const { range, asked, read } = await answersOf(
    Array.from({ length: 60 }, (_, index) => ({ index, afterMs: 0 })),
    EVERY_MS,
  )
  expect(await tryRule(read, fleet(nodes(60)), rule(LOW, ONCE), range, METRICS)).toMatchObject({
    raised: 50,
    nodes: 50,
    nodesInScope: 60,
    answers: 50,
  })
  expect(asked.map((query) => query.node)).toEqual(nodes(50).map(({ key }) => key))
})

it('a trial counts all raises and lists the 50 earliest of all nodes', async () => {
  // Node 0 alternates between good and bad; node 1 was bad before it.
  const { range, read } = await answersOf(
    [
      ...Array.from({ length: 360 }, (_, place) => ({
        index: 0,
        afterMs: (place + 1) * EVERY_MS,
        sample: { ...ANSWERED, participation: place % 6 === 0 ? 0.5 : 0.98 },
      })),
      { index: 1, afterMs: 0 },
    ],
    400 * EVERY_MS,
  )
  const trial = await tryRule(read, fleet(nodes(2)), rule(LOW, ONCE), range, METRICS)
  expect(trial).toMatchObject({ raised: 61, answers: 361 })
  expect(trial.raisedMs).toHaveLength(50)
  expect(trial.raisedMs.slice(0, 3)).toEqual([0, 1, 7].map((place) => range.fromMs + place * EVERY_MS))
  expect(trial.raisedMs).toEqual(trial.raisedMs.toSorted((a, b) => a - b))
})

it('a result is not exact if history returned rollups for any part of the range', async () => {
  const { range, read } = await answersOf([{ index: 0, afterMs: 0 }], 2 * DAY_MS)
  const rolled = (place: number) => {
    let count = 0
    return async (query: SeriesQuery): Promise<SeriesData> => ({
      ...(await read(query)),
      stepMs: count++ === place ? 60_000 : 0,
    })
  }
  const tried = async (place: number) =>
    (await tryRule(rolled(place), fleet(nodes(1)), rule(LOW), range, METRICS)).exact
  expect([await tried(-1), await tried(0), await tried(1), await tried(2)]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

it('polls without an answer are not counted as answers', async () => {
  const unanswered = { outcome: 'timeout', latencyMs: 8_000 } as const
  const { range, read } = await answersOf(
    [
      { index: 0, afterMs: 0, sample: { ...ANSWERED, participation: 0.98 } },
      { index: 0, afterMs: EVERY_MS, sample: unanswered },
      { index: 0, afterMs: 2 * EVERY_MS },
    ],
    3 * EVERY_MS,
  )
  expect(await tryRule(read, fleet(nodes(1)), rule(LOW, ONCE), range, METRICS)).toMatchObject({
    answers: 2,
    raisedMs: [range.fromMs + 2 * EVERY_MS],
  })
})

it('rule memory carries over from one chunk of the past to the next', async () => {
  // With a poll a minute, a chunk is a day. Neither value changes after the second chunk.
  const everyMs = 60_000
  const piece = DAY_MS / everyMs
  const { range, read } = await answersOf(
    Array.from({ length: 2 * piece + 40 }, (_, place) => ({
      index: 0,
      afterMs: place * everyMs,
      sample: {
        ...ANSWERED,
        threatResponsesIncrease: place > 0 && place < 2 * piece - 100 ? 1 : 0,
        proof: place < 2 * piece - 200 ? 'a' : 'b',
        proofChanged: place === 2 * piece - 200,
      },
    })),
    (2 * piece + 40) * everyMs,
  )
  const slow = live({ service: service({ pollIntervalMs: everyMs }) })
  const tried = async (condition: object) =>
    (await tryRule(read, fleet(nodes(1), [slow]), rule(condition, ONCE), range, METRICS)).raisedMs
  const stuckFor = (polls: number) => ({
    metric: 'threatResponses',
    test: 'stuck',
    windowMs: polls * everyMs,
  })
  // Only a count across the border lasts this long; one that restarted there would look like a change.
  expect(await tried(stuckFor(130))).toHaveLength(1)
  expect(await tried(stuckFor(150))).toHaveLength(0)
  const unchangedFor = (polls: number) => ({ metric: 'proof', test: 'unchanged', limit: polls * everyMs })
  expect(await tried(unchangedFor(230))).toHaveLength(2)
  expect(await tried(unchangedFor(2 * piece))).toHaveLength(0)
})

/** How often one answer raises a rule of a service with these units. */
async function raisedIn(units: Units, sample: Partial<Sample>, condition: object) {
  const { range, read } = await answersOf(
    [{ index: 0, afterMs: 0, sample: { ...ANSWERED, ...sample } }],
    EVERY_MS,
  )
  const from = { kind: 'service', by: 'browser' } as const
  const rules = { ...NO_SERVICE_RULES, service: [{ from, units, limits: {} }] }
  return (await tryRule(read, fleet(nodes(1), [live({ rules })]), rule(condition, ONCE), range, METRICS))
    .raised
}

it('a stake is compared in its displayed unit, to the last digit', async () => {
  const stake = { stake: 9_007_199_254_740_992, stakeExact: '9007199254740993' }
  const raised = (limit: string, stakeDecimals: number) =>
    raisedIn({ stakeDecimals }, stake, { metric: 'stake', test: 'below', limit })
  expect(await raised('9007199254740994', 0)).toBe(1)
  expect(await raised('9007199254740993', 0)).toBe(0)
  expect(await raised('9007199254.740994', 6)).toBe(1)
  expect(await raised('9007199254.740993', 6)).toBe(0)
})

it('participation is compared as the stored ratio, whatever the unit setting', async () => {
  expect(await raisedIn({ participation: 'percent' }, { participation: 0.95 }, LOW)).toBe(0)
})

describe('a rule trial', () => {
  /** The indices of the polls, one sample each, at which the rule would have been raised. */
  const raisedBy = async (
    condition: object,
    samples: readonly Partial<Sample>[],
    more: object = ONCE,
    change: (data: SeriesData, at: number) => SeriesData = (data) => data,
    everyMs = EVERY_MS,
  ) => {
    const { range, read } = await answersOf(
      samples.map((sample, place) => ({
        index: 0,
        afterMs: place * everyMs,
        sample: { latencyMs: 100, outcome: 'answered', ...sample } as const,
      })),
      samples.length * everyMs,
    )
    let pieces = 0
    const slow = live({ service: service({ pollIntervalMs: everyMs }) })
    const trial = await tryRule(
      async (query) => change(await read(query), pieces++),
      fleet(nodes(1), [slow]),
      rule(condition, more),
      range,
      METRICS,
    )
    return trial.raisedMs.map((atMs) => (atMs - range.fromMs) / everyMs)
  }
  const polls = (count: number, of: (place: number) => Partial<Sample>) =>
    Array.from({ length: count }, (_, place) => of(place))

  it('covers the nodes of its scope: a tag, a service or a node', async () => {
    const { range, read } = await answersOf([{ index: 0, afterMs: 0 }], EVERY_MS)
    const watched = fleet([node(0, { tags: ['eu'] }), node(1)])
    const inScope = async (scope: object) =>
      (await tryRule(read, watched, rule(LOW, { scope }), range, METRICS)).nodesInScope
    expect([
      await inScope({ for: 'tag', tag: 'eu' }),
      await inScope({ for: 'service', service: BASE }),
      await inScope({ for: 'service', service: 'https://other.example' }),
      await inScope({ for: 'node', service: BASE, node: '0x0002' }),
    ]).toEqual([1, 2, 0, 1])
  })

  it('ignores an answer without the value, so that a bad state persists', async () => {
    const answers = [{ participation: 0.98 }, { participation: 0.5 }, {}, { participation: 0.5 }]
    expect(await raisedBy(LOW, answers, { raiseAfter: { polls: 2, of: 2 } })).toEqual([1])
  })

  it.each([
    ['threatResponses', { test: 'stuck', windowMs: 5 * EVERY_MS }, 'threat_responses_executed'],
    ['proof', { test: 'unchanged', limit: 5 * EVERY_MS }, 'cryptographic_proof'],
  ])('treats %s that no answer ever contained as unknown, not as unchanged', async (metric, test, member) => {
    const answers = Array.from({ length: 20 }, (_, place) => ({
      index: 0,
      afterMs: place * EVERY_MS,
      sample: ANSWERED,
    }))
    const { read, range } = await answersOf(answers, 20 * EVERY_MS)
    const without = node(0, { reading: reading({ [member]: undefined }) })
    const tried = rule({ metric, ...test }, ONCE)
    expect((await tryRule(read, fleet([without]), tried, range, METRICS)).raised).toBe(0)
    expect((await tryRule(read, fleet([node(0)]), tried, range, METRICS)).raised).toBe(1)
    const changed = answers.map(({ sample }, place) => ({
      index: 0,
      afterMs: place * EVERY_MS,
      sample: {
        ...sample,
        ...(place === 2 && { threatResponsesIncrease: 1, proof: 'b', proofChanged: true }),
      },
    }))
    const once = await answersOf(changed, 20 * EVERY_MS)
    expect((await tryRule(once.read, fleet([without]), tried, once.range, METRICS)).raised).toBe(1)
    const unheard = node(0, { reading: undefined })
    expect((await tryRule(read, fleet([unheard]), tried, range, METRICS)).raised).toBe(1)
  })

  it.each([
    { metric: 'proof', test: 'wrong' },
    { metric: 'unheard', test: 'below', limit: 1 },
  ])('is impossible if history does not store the tested value: %j', async (condition) => {
    const { range, read, asked } = await answersOf([{ index: 0, afterMs: 0 }], EVERY_MS)
    const tried = { ...rule(LOW), condition } as ReturnType<typeof rule>
    expect(await tryRule(read, fleet(nodes(1)), tried, range, METRICS)).toMatchObject({
      possible: false,
      raised: 0,
      nodes: 0,
    })
    expect(asked).toEqual([])
    expect(await tryRule(read, fleet(nodes(1)), rule(LOW), range, METRICS)).toMatchObject({
      possible: true,
      nodes: 1,
    })
  })

  // Bars start at multiples of their width, with which the answers may or may not align.
  it.each([EVERY_MS, 20_000])(
    'sees a counter grow in the answer that reports it, polled every %i ms',
    async (everyMs) => {
      const stuck = { metric: 'threatResponses', test: 'stuck', windowMs: 5 * everyMs }
      const answers = polls(24, (place) => ({ threatResponsesIncrease: place === 10 ? 1 : 0 }))
      const found = raisedBy(stuck, answers, { ...ONCE, clearAfter: 1 }, undefined, everyMs)
      expect(await found).toEqual([5, 15])
    },
  )
})
