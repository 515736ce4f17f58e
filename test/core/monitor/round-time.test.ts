import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { keyOf, nodes, record, service, watch, type Answer } from './watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

describe('a round that does not fit into the interval', () => {
  const slow = () => {
    const screen = watch({ nodeCount: 100, services: [service({ pollIntervalMs: 5_000 })] })
    screen.world.answer = ({ node }) => ({ body: record(node), afterMs: 400 })
    return screen
  }

  it('is reported within seconds, with numbers that match the polling', async () => {
    const screen = slow()
    await screen.clock.advance(4_000)
    const told = screen.service()?.round
    expect(told).toMatchObject({ nodes: 100, intervalMs: 5_000, limit: 'in-flight', inFlight: 4 })
    expect(told?.takesMs).toBeCloseTo(10_000, -3)
    await screen.clock.advance(30_000)
    const [before = 0, last = 0] = screen.timesOf(7).slice(-2)
    // A node also waits for its slot in the interval.
    expect(last - before).toBeGreaterThan(9_000)
    expect(last - before).toBeLessThan(16_000)
    const causes = causesOf(screen.monitor.snapshot(), screen.monitor.nowMs())
    expect(causes.map(({ code, severity }) => [code, severity])).toEqual([
      ['watch/round-too-long', 'warning'],
    ])
  })

  it('is reported once it is 10 % too long, until it fits', async () => {
    const screen = slow()
    const roundAfter = async (answerMs: number) => {
      screen.world.answer = ({ node }) => ({ body: record(node), afterMs: answerMs })
      await screen.clock.advance(60_000)
      return screen.service()?.round
    }
    // With 4 in flight, 100 answers of 200 ms take one interval of 5 s.
    expect(await roundAfter(210)).toBeUndefined()
    expect(await roundAfter(230)).toBeDefined()
    expect(await roundAfter(210)).toBeDefined()
    expect(await roundAfter(190)).toBeUndefined()
  })

  it.each<Answer>([{ status: 503 }, { status: 401 }, 'hang', { status: 404 }])(
    'is no longer reported while all nodes fail with %j',
    async (answer) => {
      const screen = slow()
      await screen.clock.advance(20_000)
      expect(screen.service()?.round).toBeDefined()
      screen.world.answer = () => answer
      await screen.clock.advance(60_000)
      expect(screen.service()?.round).toBeUndefined()
    },
  )

  it('polls every node equally often', async () => {
    const screen = slow()
    await screen.clock.advance(60_000)
    const counts = Array.from({ length: 100 }, (_, index) => screen.timesOf(index).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2)
    expect(screen.seen.length).toBeGreaterThan(60 * 10 * 0.9)
  })
})

describe('the pace of a service', () => {
  it('is kept in every second, even with “Try now” and a node in view', async () => {
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
  })
})

it('the round is limited to 20,000 nodes, and polling goes on', async () => {
  const screen = watch({ nodeCount: 25_000, services: [service({ pollIntervalMs: 60_000 })] })
  screen.world.answer = () => ({ afterMs: 500 })
  await screen.clock.advance(2_000)
  const snapshot = screen.monitor.snapshot()
  expect(snapshot.nodes.size).toBe(DEFAULTS.nodesMax)
  expect(screen.mostInFlight()).toBe(4)
  expect(snapshot.screen.answered).toBeGreaterThanOrEqual(12)
  expect(snapshot.screen.behindMs).toBeGreaterThan(1_000)
  screen.monitor.dispose()
})
