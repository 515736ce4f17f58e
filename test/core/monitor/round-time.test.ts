import { describe, expect, it } from 'vitest'
import { roundsOf, withAnswer, type ServiceLoad } from '#monitor/round-time.ts'
import type { AnswerTime } from '#monitor/tracked.ts'
import { causesOf } from '#evaluate/causes.ts'
import { keyOf, nodes, record, service, watch } from './watch.ts'

const load = (given: Partial<ServiceLoad> = {}): ServiceLoad => ({
  host: 'a:443',
  nodes: 5_000,
  hung: 0,
  intervalMs: 30_000,
  timeoutMs: 10_000,
  answerMs: 50,
  pace: undefined,
  requests: given.nodes ?? 5_000,
  ...given,
})
const roundOf = (given: Partial<ServiceLoad> = {}) => roundsOf(new Map([['a', load(given)]])).get('a')

describe('how long a round takes', () => {
  it.each<[string, Partial<ServiceLoad>, number, string]>([
    ['5,000 nodes, four at once', {}, 62_500, 'in-flight'],
    ['a pace below what there is room for', { pace: 50 }, 100_000, 'pace'],
    ['a pace above it', { pace: 500 }, 62_500, 'in-flight'],
    ['fewer nodes than places: the slowest answer', { nodes: 3, answerMs: 8_000 }, 8_000, 'answers'],
    ['one node', { nodes: 1, answerMs: 20 }, 20, 'answers'],
    // 6 of them, asked every 60 s and waited for 10 s: 6/7 of a place is theirs.
    ['hung nodes hold places', { hung: 6 }, (5_000 * 50) / (4 - 6 / 7), 'in-flight'],
    ['and never more than two', { hung: 1_000 }, 125_000, 'in-flight'],
  ])('%s', (_what, given, takesMs, limit) => {
    const round = roundOf(given)
    expect(round?.takesMs).toBeCloseTo(takesMs, 3)
    expect(round).toMatchObject({ limit, isShared: false, nodes: given.nodes ?? 5_000 })
  })

  it('services of one host share its places, and what one does not need is the others’', () => {
    const rounds = roundsOf(
      new Map([
        ['busy', load()],
        ['idle', load({ nodes: 3 })],
        ['elsewhere', load({ host: 'b:443' })],
      ]),
    )
    // Two at most, so that a service that hangs leaves places to the others.
    expect(rounds.get('busy')).toMatchObject({ takesMs: 125_000, isShared: true, inFlight: 2 })
    expect(rounds.get('idle')?.takesMs).toBeLessThan(1_000)
    expect(rounds.get('elsewhere')).toMatchObject({ takesMs: 62_500, isShared: false, inFlight: 4 })
  })

  it('four busy services of one host get one place each', () => {
    const rounds = roundsOf(new Map(['a', 'b', 'c', 'd'].map((id) => [id, load()])))
    expect(Array.from(rounds.values(), ({ inFlight }) => inFlight)).toEqual([1, 1, 1, 1])
  })

  it('is measured over about half a round, so that one slow answer is no alarm', () => {
    let time: AnswerTime | undefined
    for (let asked = 0; asked < 1_000; asked++) time = withAnswer(time, 50, 1_000)
    expect(time).toEqual({ meanMs: 50, count: 1_000 })
    expect(withAnswer(time, 10_000, 1_000).meanMs).toBeLessThan(70)
    for (let asked = 0; asked < 2_000; asked++) time = withAnswer(time, 100, 1_000)
    expect(time?.meanMs).toBeGreaterThan(98)
  })
})

describe('a round that does not fit into the interval', () => {
  const slow = () => {
    const screen = watch({ nodeCount: 200, services: [service({ pollIntervalMs: 5_000 })] })
    screen.world.answer = ({ node }) => ({ body: record(node), afterMs: 200 })
    return screen
  }

  it('is told with its numbers within seconds, and they are what really happens', async () => {
    const screen = slow()
    await screen.clock.advance(4_000)
    const told = screen.service()?.round
    expect(told).toMatchObject({ nodes: 200, intervalMs: 5_000, limit: 'in-flight', inFlight: 4 })
    expect(told?.takesMs).toBeCloseTo(10_000, -3)
    await screen.clock.advance(120_000)
    const [before = 0, last = 0] = screen.timesOf(7).slice(-2)
    // A node waits for its slot in the interval too.
    expect(last - before).toBeGreaterThan(9_000)
    expect(last - before).toBeLessThan(16_000)
    const causes = causesOf(screen.monitor.snapshot(), screen.monitor.nowMs())
    expect(causes.map(({ code, severity }) => [code, severity])).toEqual([
      ['watch/round-too-long', 'warning'],
    ])
    screen.monitor.dispose()
  })

  it('goes on by turns: every node is polled as often as any other', async () => {
    const screen = slow()
    await screen.clock.advance(300_000)
    const counts = Array.from({ length: 200 }, (_, index) => screen.timesOf(index).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2)
    expect(screen.seen.length).toBeGreaterThan(300 * 20 * 0.9)
    screen.monitor.dispose()
  })

  it('is over when the interval is long enough, and not told where it fits', async () => {
    const screen = slow()
    await screen.clock.advance(20_000)
    expect(screen.service()?.round).toBeDefined()
    screen.monitor.configure({ ...screen.config, services: [service({ pollIntervalMs: 11_000 })] })
    await screen.clock.advance(20_000)
    expect(screen.service()?.round).toBeUndefined()
    expect(causesOf(screen.monitor.snapshot(), screen.monitor.nowMs())).toEqual([])
    screen.monitor.dispose()
  })

  it('says nothing of a service that is down, whose failure is told instead', async () => {
    const screen = slow()
    screen.world.answer = () => ({ fails: 'unreachable', afterMs: 2_000 })
    await screen.clock.advance(120_000)
    expect(screen.service()?.round).toBeUndefined()
    screen.monitor.dispose()
  })
})

describe('the pace of a service', () => {
  it('is kept to the second, whoever presses what', async () => {
    const screen = watch({ nodeCount: 200, services: [service({ pollIntervalMs: 10_000, pace: 5 })] })
    await screen.clock.advance(10_000)
    screen.monitor.pollNow()
    screen.monitor.lookAt([keyOf(150)])
    await screen.clock.advance(50_000)
    const perSecond = Array.from(
      { length: 60 },
      (_, second) => screen.seen.filter(({ atMs }) => Math.floor(atMs / 1_000) === second).length,
    )
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(6)
    expect(screen.seen.length).toBeGreaterThanOrEqual(295)
    expect(screen.seen.length).toBeLessThanOrEqual(302)
    expect(screen.service()?.round).toMatchObject({ limit: 'pace', takesMs: 40_000 })
    screen.monitor.dispose()
  })

  it('slows no other service', async () => {
    const other = 'https://other.example'
    const screen = watch({
      services: [
        service({ pace: 0.1, pollIntervalMs: 5_000 }),
        service({ baseUrl: other, pollIntervalMs: 5_000 }),
      ],
      nodes: [...nodes(20), ...nodes(20, other)],
    })
    await screen.clock.advance(60_000)
    const asked = (host: string) => screen.seen.filter((one) => one.host === host).length
    expect(asked('other.example')).toBeGreaterThanOrEqual(240)
    expect(asked('api.example')).toBeLessThanOrEqual(7)
    expect(asked('api.example')).toBeGreaterThanOrEqual(6)
    screen.monitor.dispose()
  })
})
