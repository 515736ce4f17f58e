import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { isAll } from '#test/fuzz/random.ts'
import { service, watch, type Answer } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const MINUTE_MS = 60_000

it('the browser’s online event polls one node of a failed service at once, and at most one a second when flapping', async () => {
  const screen = watch({ nodeCount: 3 })
  await screen.clock.advance(1_000)
  screen.monitor.setOffline(true)
  screen.world.answer = () => ({ fails: 'unreachable' })
  await screen.clock.advance(2 * MINUTE_MS + 500)
  const before = screen.seen.length
  for (let flap = 0; flap < 10; flap++) {
    screen.monitor.setOffline(true)
    screen.monitor.setOffline(false)
    await screen.clock.advance(50)
  }
  expect(screen.seen.length - before).toBe(1)
  screen.world.answer = () => ({})
  screen.monitor.setOffline(true)
  await screen.clock.advance(1_000)
  screen.monitor.setOffline(false)
  await screen.clock.advance(500)
  expect([0, 1, 2].filter((index) => screen.node(index).episode === undefined).length).toBeGreaterThan(0)
  await screen.clock.advance(INTERVAL_MS)
  expect([0, 1, 2].filter((index) => screen.node(index).episode !== undefined)).toEqual([])
})

describe('a service that only fails', () => {
  const quick = { services: [service({ pollIntervalMs: 5_000 })] }
  const down: Answer = { fails: 'unreachable' }
  it('is polled by one node in turn per interval, in addition to each node’s own polls', async () => {
    const screen = watch({ ...quick, nodeCount: 6 })
    screen.world.answer = () => down
    await screen.clock.advance(120_000)
    const before = screen.seen.length
    await screen.clock.advance(120_000)
    const since = screen.seen.slice(before)
    // Each node's own polls are two in two minutes, at its longest wait.
    expect(since.length).toBeGreaterThanOrEqual(24)
    expect(since.length).toBeLessThanOrEqual(6 * 2 + 24 + 2)
    expect(new Set(since.map(({ node }) => node)).size).toBe(6)
    const widest = Math.max(...since.slice(1).map(({ atMs }, place) => atMs - (since[place]?.atMs ?? 0)))
    expect(widest).toBeLessThanOrEqual(5_100)
  })

  it('gets no additional polls while one of its nodes answers', async () => {
    const screen = watch({ ...quick, nodeCount: 3 })
    screen.world.answer = ({ node }) => (node === '0x0001' ? {} : down)
    await screen.clock.advance(240_000)
    const before = screen.timesOf(1).length
    await screen.clock.advance(240_000)
    expect(screen.timesOf(1).length - before).toBeLessThanOrEqual(5)
  })

  it('is polled on an online event only if it failed', async () => {
    const screen = watch({ ...quick, nodeCount: 2 })
    await screen.clock.advance(7_000)
    const before = screen.seen.length
    screen.monitor.setOffline(true)
    screen.monitor.setOffline(false)
    await screen.clock.advance(100)
    expect(screen.seen.length).toBe(before)
  })

  it('is not polled on an online event during a rate limit or without a key', async () => {
    for (const hold of ['limited', 'locked'] as const) {
      const screen = watch({ ...quick, nodeCount: 3 })
      await screen.clock.advance(10_000)
      if (hold === 'limited') screen.world.answer = () => ({ status: 429, retryAfter: '600' })
      else screen.world.sign = () => 'key-locked'
      await screen.clock.advance(30_000)
      const before = [screen.seen.length, screen.world.signed]
      screen.monitor.setOffline(true)
      screen.monitor.setOffline(false)
      await screen.clock.advance(2_000)
      expect([screen.seen.length, screen.world.signed]).toEqual(before)
    }
  })
})

const ways = fc.constantFrom<Answer>(
  { fails: 'unreachable' },
  { fails: 'cut-off' },
  'hang',
  { status: 400 },
  { status: 404 },
  { status: 500 },
  { status: 503, retryAfter: '100000' },
  { body: '<html>' },
)
const outages = fc.record({
  nodeCount: fc.integer({ min: 1, max: 24 }),
  intervalMs: fc.constantFrom(1_000, 2_000, 5_000, 15_000, 60_000),
  wellMs: fc.integer({ min: 0, max: 120_000 }),
  // One after the other, as when a proxy in front answers while a container restarts.
  spans: fc.array(fc.tuple(ways, fc.integer({ min: 500, max: 400_000 })), { minLength: 1, maxLength: 3 }),
  offline: fc.boolean(),
})

it('the return of a service is noticed within two intervals, for any outage and number of nodes', async () => {
  const property = fc.asyncProperty(outages, async ({ nodeCount, intervalMs, wellMs, spans, offline }) => {
    const timeoutMs = Math.min(intervalMs, 10_000)
    const services = [service({ pollIntervalMs: intervalMs, timeoutMs })]
    const screen = watch({ services, nodeCount })
    const well = () =>
      Array.from(screen.monitor.snapshot().nodes.values()).filter(
        (one) => one.episode === undefined && one.answered > 0,
      )
    await screen.clock.advance(wellMs)
    for (const [answer, ms] of spans) {
      screen.world.answer = () => answer
      if (offline) screen.monitor.setOffline(true)
      await screen.clock.advance(ms)
    }
    // After a short outage some nodes may never have failed, so there is no return to notice.
    const isFailing = well().length === 0
    screen.world.answer = () => ({})
    await screen.clock.advance(2 * intervalMs + 300)
    if (isFailing) expect(well().length).toBeGreaterThan(0)
    await screen.clock.advance(2 * intervalMs + timeoutMs)
    expect(well()).toHaveLength(nodeCount)
    screen.monitor.dispose()
  })
  await fc.assert(property, { numRuns: isAll() ? 400 : 20, seed: 35 })
})
