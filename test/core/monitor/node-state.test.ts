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

it('an answer for another node starts anew', () => {
  const first = afterAnswer(node(0), {}, reading({}, { startedMs: 1 }), METRICS)
  const other = reading({ threat_responses_executed: 900_000 }, { formerNodeId: '0x0002' })
  const { live, steps } = afterAnswer(first.live, first.lastValues, other, METRICS)
  expect(live.since['status']?.sinceMs).toBe(other.startedMs)
  expect(steps['threatResponses']).toEqual({ increase: 0, restarted: false })
  expect(live.counters['threatResponses']?.increase).toBe(0)
})

it('a value was never unseen for longer than it has lasted', () => {
  const at = (startedMs: number) => reading({}, { startedMs })
  const first = afterAnswer(node(0, { reading: undefined }), {}, at(100), METRICS)
  const cached = afterAnswer(first.live, first.lastValues, at(-86_400), METRICS)
  const { live } = afterAnswer(cached.live, cached.lastValues, at(115), METRICS, 10)
  expect(live.since['status']).toMatchObject({ sinceMs: 100, unseenMs: 15 })
})
