import { describe, expect, it } from 'vitest'
import { afterAnswer } from '#monitor/node-state.ts'
import { METRICS } from '#metrics/metrics.ts'
import { node, reading } from './fleet.ts'

const fresh = node(0, { reading: undefined })
describe('a node that answered', () => {
  it('without a field remembers what that was', () => {
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
    // What is shown then is that it can't be used, and that began now.
    const { startedMs, startedWallMs } = bare
    const now = { sinceMs: startedMs, sinceWallMs: startedWallMs, unseenMs: 0 }
    expect(second.live.since).toMatchObject({ status: now, stake: now, proof: now })
    expect(second.live.counters).toBe(first.live.counters)
  })

  it('after a time of which nothing is known says how much of it that was', () => {
    const at = (startedMs: number, given = {}) => reading(given, { startedMs, startedWallMs: startedMs })
    const answer = (state: ReturnType<typeof afterAnswer>, next: ReturnType<typeof reading>) =>
      afterAnswer(state.live, state.lastValues, next, METRICS, 37_500)
    const unseen = ({ live }: ReturnType<typeof afterAnswer>) =>
      Object.fromEntries(Object.entries(live.since).map(([id, since]) => [id, since?.unseenMs]))
    const first = afterAnswer(fresh, {}, at(0), METRICS)
    const onTime = answer(first, at(37_500))
    expect(unseen(onTime)).toEqual({ status: 0, stake: 0, participation: 0, proof: 0 })
    const late = answer(onTime, at(337_500))
    expect(late.live.since['status']).toEqual({ sinceMs: 0, sinceWallMs: 0, unseenMs: 300_000 })
    expect(unseen(late)).toMatchObject({ stake: 300_000, proof: 300_000 })
    const twice = answer(late, at(437_500, { stake_deployed: 9 }))
    expect(unseen(twice)).toMatchObject({ status: 400_000, stake: 0, proof: 400_000 })
  })
})
