import { expect, it } from 'vitest'
import { afterAnswer } from '#monitor/node-state.ts'
import { METRICS } from '#metrics/metrics.ts'
import { node, reading } from './fleet.ts'

it('a node that answers without a field keeps its last value', () => {
  const fresh = node(0, { reading: undefined })
  const first = afterAnswer(fresh, {}, reading({}, { startedMs: 1, startedWallMs: 10 }), METRICS)
  const bare = reading({
    status: 5,
    stake_deployed: null,
    cryptographic_proof: 'zz',
    threat_responses_executed: null,
  })
  const second = afterAnswer(first.live, first.lastValues, bare, METRICS)
  expect(second.lastValues).toEqual(first.lastValues)
  expect(second.steps).toEqual({})
  // The field is shown as unusable since this answer.
  const { startedMs, startedWallMs } = bare
  const now = { sinceMs: startedMs, sinceWallMs: startedWallMs, unseenMs: 0 }
  expect(second.live.since).toMatchObject({ status: now, stake: now, proof: now })
  expect(second.live.counters).toBe(first.live.counters)
})
