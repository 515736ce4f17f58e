import { describe, expect, it } from 'vitest'
import { newAsking } from '#monitor/asking.ts'
import { createRoundTimes, roundsOf, withAnswer, type ServiceLoad } from '#monitor/round-time.ts'
import type { AnswerTime, Hold, ServiceAsking, TrackedNode, TrackedService } from '#monitor/tracked.ts'
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

describe('a round reported as too long', () => {
  type Given = {
    readonly count?: number
    readonly meanMs?: number
    readonly answers?: number
    readonly service?: Partial<TrackedService>
    readonly asking?: Partial<ServiceAsking>
    readonly node?: (index: number) => object
  }

  /** A service of 100 nodes whose answers take `meanMs`, and how often its round was published. */
  const measured = ({
    count = 100,
    meanMs = 50,
    answers = 100,
    service: given = {},
    asking,
    node,
  }: Given = {}) => {
    let told = 0
    const service = {
      id: 'a',
      host: 'a:443',
      service: { pollIntervalMs: 1_000, timeoutMs: 10_000 },
      shortestMs: 1_000,
      answerTime: { meanMs, lastMs: meanMs, count: answers },
      ...given,
      asking: { ...newAsking(), ...asking },
    } as TrackedService
    const nodes = Array.from({ length: count }, (_, index) => [
      index,
      { live: {}, suspect: false, service, ...node?.(index) } as unknown as TrackedNode,
    ])
    Object.assign(service, { nodes: new Map(nodes as never) })
    const services = new Map([['a', service]]) as never
    const measure = createRoundTimes(
      { services, changes: { services: () => void told++ } as never },
      inFlightMax,
      () => false,
    )
    const answer = (nextMs: number) => {
      service.answerTime = { meanMs: nextMs, lastMs: nextMs, count: answers }
    }
    return { service, measure, answer, told: () => told }
  }

  const isTold = (given: Given = {}) => {
    const { measure, service } = measured(given)
    measure(0)
    return service.round !== undefined
  }

  it('exceeds its interval by more than 10 %, and stays reported until it fits', () => {
    const { measure, answer, service, told } = measured({ meanMs: 44 })
    measure(0)
    expect([service.round, told()]).toEqual([undefined, 0])
    answer(44.1)
    measure(1_000)
    expect(service.round).toMatchObject({ nodes: 100, takesMs: 1_102.5, intervalMs: 1_000, inFlight: 4 })
    expect(told()).toBe(1)
    answer(40.1)
    measure(2_000)
    expect(service.round).toBeDefined()
    answer(40)
    measure(3_000)
    expect([service.round, told()]).toEqual([undefined, 2])
  })

  it.each<[string, Given, boolean]>([
    ['for a service that answers', {}, true],
    ['for one that waits for a key', { asking: { hold: { reason: 'paused' } as Hold } }, false],
    ['for one that refuses the key', { asking: { hold: { reason: 'refused' } as Hold } }, false],
    ['for one that never answered', { service: { answerTime: undefined } }, false],
    ['for one that is down', { asking: { failedScope: 'service' } }, false],
    ['for one that answered 1.5 s ago', { asking: { failedScope: 'service', answeredMs: -1_500 } }, true],
    ['for one without nodes', { count: 0 }, false],
    ['after 19 answers of 100 nodes', { answers: 19 }, false],
    ['after 20 answers of 100 nodes', { answers: 20 }, true],
    ['after 10 answers of 10 nodes', { count: 10, meanMs: 900, answers: 10 }, true],
    ['after 9 answers of 10 nodes', { count: 10, meanMs: 900, answers: 9 }, false],
    ['if all nodes fail', { node: () => ({ live: { episode: {} } }) }, false],
    ['if all nodes hang', { node: () => ({ suspect: true }) }, false],
    // 80 nodes take 1,000 ms with 4 in flight.
    [
      'if the 80 nodes that do not fail fit',
      { node: (index) => ({ live: { episode: index < 20 ? {} : undefined } }) },
      false,
    ],
    [
      'if nodes are polled more often than their service’s interval',
      { meanMs: 25, node: () => ({ live: { pollIntervalMs: 500 } }) },
      true,
    ],
    ['if nodes are polled at their service’s interval', { meanMs: 25 }, false],
  ])('is reported %s: %j', (_what, given, expected) => {
    expect(isTold(given)).toBe(expected)
  })
})
