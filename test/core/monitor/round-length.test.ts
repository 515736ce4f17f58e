import { describe, expect, it } from 'vitest'
import { roundsOf, withAnswer, type ServiceLoad } from '#monitor/round-time.ts'
import type { AnswerTime } from '#monitor/tracked.ts'
import { MONITOR_PARTS } from '#test/support/engine-parts.ts'

const { inFlightMax } = MONITOR_PARTS

const load = (given: Partial<ServiceLoad> = {}): ServiceLoad => ({
  id: 'a',
  host: 'a:443',
  nodes: 5_000,
  hung: 0,
  intervalMs: 30_000,
  timeoutMs: 10_000,
  answerMs: 50,
  pace: undefined,
  batched: false,
  requests: given.nodes ?? 5_000,
  ...given,
})
const roundOf = (given: Partial<ServiceLoad> = {}) => roundsOf([load(given)], inFlightMax).get('a')

describe('the length of a round', () => {
  it.each<[string, Partial<ServiceLoad>, number, string]>([
    ['5,000 nodes, 4 in flight', {}, 62_500, 'in-flight'],
    ['a pace below what 4 in flight allow', { pace: 50 }, 100_000, 'pace'],
    ['a pace above that', { pace: 500 }, 62_500, 'in-flight'],
    ['fewer nodes than requests in flight: one answer time', { nodes: 3, answerMs: 8_000 }, 8_000, 'answers'],
    ['one node', { nodes: 1, answerMs: 20 }, 20, 'answers'],
    ['batches of 8, in 4 slots', { batched: true }, 62_500 / 8, 'in-flight'],
    // 6 nodes, polled every 60 s with a timeout of 10 s, take 6/7 of a request.
    ['hung nodes take requests', { hung: 6 }, (5_000 * 50) / (4 - 6 / 7), 'in-flight'],
    ['hung nodes take at most two requests', { hung: 1_000 }, 125_000, 'in-flight'],
  ])('%s', (_what, given, takesMs, limit) => {
    const round = roundOf(given)
    expect(round?.takesMs).toBeCloseTo(takesMs, 3)
    expect(round).toMatchObject({ limit, isShared: false, nodes: given.nodes ?? 5_000 })
  })

  it('accounts for services that share the requests of one host', () => {
    const rounds = roundsOf(
      [load({ id: 'busy' }), load({ id: 'idle', nodes: 3 }), load({ id: 'elsewhere', host: 'b:443' })],
      inFlightMax,
    )
    // Two at most, so that a service that hangs leaves requests to the others.
    expect(rounds.get('busy')).toMatchObject({ takesMs: 125_000, isShared: true, inFlight: 2 })
    expect(rounds.get('idle')?.takesMs).toBeLessThan(1_000)
    expect(rounds.get('elsewhere')).toMatchObject({ takesMs: 62_500, isShared: false, inFlight: 4 })
  })

  it('is averaged over about half a round, so that one slow answer raises no alarm', () => {
    let time: AnswerTime | undefined
    for (let asked = 0; asked < 1_000; asked++) time = withAnswer(time, 50, 1_000)
    expect(time).toEqual({ meanMs: 50, lastMs: 50, count: 1_000 })
    expect(withAnswer(time, 10_000, 1_000).meanMs).toBeLessThan(70)
    for (let asked = 0; asked < 2_000; asked++) time = withAnswer(time, 100, 1_000)
    expect(time?.meanMs).toBeGreaterThan(98)
  })
})
