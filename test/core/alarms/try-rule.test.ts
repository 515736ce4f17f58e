import * as v from 'valibot'
import { expect, it } from 'vitest'
import { tryRule } from '#alarms/try-rule.ts'
import { createMemoryHistory } from '#history/memory-history.ts'
import type { Sample } from '#history/history.ts'
import { AlarmRuleSchema } from '#settings/alarm-settings.ts'
import { fleet, node, WALL_MS } from '#test/core/monitor/fleet.ts'
import { keyOf } from '#test/core/monitor/watch.ts'

const EVERY_MS = 15_000
const DAY_MS = 86_400_000
const rule = (condition: object, more: object = {}) =>
  v.parse(AlarmRuleSchema, { id: 'mine', scope: { for: 'all' }, condition, ...more })

/** Two days of answers of one node, of which some are told to be otherwise. */
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
  return (tried: ReturnType<typeof rule>) => tryRule(history.readSeriesData, fleet([node(0)]), tried, range)
}

it('a rule would have been raised as often as it was broken for long enough', async () => {
  // Broken for two polls, for one, and at the border of two chunks.
  const low = [100, 101, 500, 3_998, 3_999, 4_000]
  const tried = await past((place) => ({ participation: low.includes(place) ? 0.5 : 0.98 }))
  const condition = { metric: 'participation', test: 'below', limit: 0.9 }
  expect(await tried(rule(condition))).toMatchObject({
    raised: 2,
    raisedMs: [100, 3_998].map((place) => WALL_MS - 2 * DAY_MS + place * EVERY_MS),
    nodes: 1,
    nodesInScope: 1,
    answers: (2 * DAY_MS) / EVERY_MS,
    exact: true,
    possible: true,
  })
  expect(await tried(rule(condition, { raiseAfter: { polls: 1, of: 1 } }))).toMatchObject({ raised: 3 })
  expect(await tried(rule(condition, { raiseAfter: { polls: 3, of: 3 } }))).toMatchObject({ raised: 1 })
  expect(await tried(rule(condition, { scope: { for: 'tag', tag: 'eu' } }))).toMatchObject({
    raised: 0,
    nodesInScope: 0,
  })
})

it('stakes, threats, proofs and slow answers are tried too, and a verdict that was never kept is not', async () => {
  const tried = await past((place) => ({
    stake: place < 2_000 ? 1_000 : 900,
    threatResponsesIncrease: place >= 5_000 && place < 6_000 ? 0 : 1,
    latencyMs: place >= 7_000 && place < 7_100 ? 900 : 100,
    proof: place < 8_000 ? 'a' : 'b',
    proofChanged: place === 8_000,
  }))
  const once = { raiseAfter: { polls: 1, of: 1 } }
  expect(await tried(rule({ metric: 'stake', test: 'changed' }, once))).toMatchObject({ raised: 1 })
  expect(await tried(rule({ metric: 'stake', test: 'below', limit: '950' }))).toMatchObject({ raised: 1 })
  expect(await tried(rule({ metric: 'threatResponses', test: 'stuck', windowMs: 3_600_000 }))).toMatchObject({
    raised: 1,
  })
  expect(await tried(rule({ metric: 'answerTime', test: 'p95-above', limit: 800 }))).toMatchObject({
    raised: 1,
  })
  expect(await tried(rule({ metric: 'proof', test: 'unchanged', limit: 86_400_000 }))).toMatchObject({
    raised: 1,
  })
  expect(await tried(rule({ metric: 'proof', test: 'wrong' }))).toMatchObject({
    possible: false,
    raised: 0,
    nodes: 0,
  })
})
