import { describe, expect, it } from 'vitest'
import { keyOf, nodeId, service, watch } from './watch.ts'

describe('a node that comes into view', () => {
  it('is polled at once if it has no reading yet, even late in the first round', async () => {
    const screen = watch({ nodeCount: 1_500 })
    await screen.clock.advance(500)
    expect(screen.timesOf(1_200)).toEqual([])
    screen.monitor.lookAt([keyOf(1_200)])
    // With this many nodes, updates are published once a second.
    await screen.clock.advance(1_000)
    expect(screen.timesOf(1_200)).toEqual([500])
    expect(screen.node(1_200).answered).toBe(1)
  })

  it('goes to the front of the queue, within the 4 requests in flight', async () => {
    const screen = watch({ nodeCount: 40 })
    screen.world.answer = () => ({ afterMs: 3_000 })
    await screen.clock.advance(3_500)
    const waiting = Array.from({ length: 40 }, (_, index) => index).filter(
      (n) => screen.timesOf(n).length === 0,
    )
    const last = waiting.at(-1) ?? 0
    screen.monitor.lookAt([keyOf(last)])
    expect(screen.inFlight()).toBe(4)
    await screen.clock.advance(3_000)
    expect(screen.timesOf(last)).toHaveLength(1)
    expect(screen.mostInFlight()).toBe(4)
    expect(waiting.filter((n) => screen.timesOf(n).length === 0).length).toBeGreaterThan(20)
  })

  it('returns to its slot afterwards', async () => {
    const screen = watch({ nodeCount: 3, services: [service({ pollIntervalMs: 20_000 })] })
    await screen.clock.advance(60_000)
    const grid = screen.timesOf(1).at(-1) ?? 0
    expect(screen.sinceStartMs() - grid).toBeLessThan(20_000)
    screen.monitor.lookAt([keyOf(1)])
    await screen.clock.advance(20_000)
    expect(screen.timesOf(1).at(-1)).toBe(grid + 20_000)
  })

  it.each([
    [999, false],
    [1_000, true],
  ])('with a reading %i ms old at an interval of 1,000 ms goes first: %s', async (ageMs, goesFirst) => {
    const screen = watch({
      nodeCount: 12,
      services: [service({ pollIntervalMs: 1_000, timeoutMs: 2_000 })],
    })
    await screen.clock.advance(3_000)
    screen.world.answer = () => 'hang'
    await screen.clock.advance(500)
    const queued = Array.from({ length: 12 }, (_, index) => index)
      .map((index) => ({ index, askedMs: screen.timesOf(index).at(-1) ?? 0 }))
      .filter(({ askedMs }) => askedMs < 3_000)
      .toSorted((a, b) => a.askedMs - b.askedMs)
    const { index, askedMs } = queued.at(-1) ?? { index: 0, askedMs: 0 }
    await screen.clock.advance(askedMs + ageMs - screen.sinceStartMs())
    const before = screen.seen.length
    screen.monitor.lookAt([keyOf(index)])
    await screen.clock.advance(2_000)
    const next = screen.seen.slice(before).map(({ node }) => node)
    expect(next.length).toBeGreaterThan(2)
    expect(next.indexOf(nodeId(index)) === 0).toBe(goesFirst)
  })

  it('with a screenful of others goes before the rest of 1,000, at twice the normal rate at most', async () => {
    const screen = watch({ nodeCount: 1_000, services: [service({ pollIntervalMs: 10_000 })] })
    await screen.clock.advance(100)
    const view = Array.from({ length: 100 }, (_, index) => 900 + index)
    const others = screen.seen.length
    screen.monitor.lookAt(view.map((index) => keyOf(index)))
    await screen.clock.advance(800)
    const inView = new Set(view.map(nodeId))
    // As many as fit on a screen, however many are named.
    expect(screen.seen.filter(({ node }) => inView.has(node)).length).toBeGreaterThanOrEqual(60)
    expect(
      screen.seen.slice(others, others + 30).filter(({ node }) => inView.has(node)).length,
    ).toBeGreaterThan(10)
    // Theirs and the round's: twice its rate at most.
    expect(screen.seen.length).toBeLessThanOrEqual(200)
    expect(screen.mostInFlight()).toBeLessThanOrEqual(4)
  })

  it('is not polled early if its service is down', async () => {
    const screen = watch({ nodeCount: 1_000, services: [service({ pollIntervalMs: 10_000 })] })
    screen.world.answer = () => ({ fails: 'unreachable', afterMs: 5 })
    await screen.clock.advance(1_000)
    const before = screen.seen.length
    screen.monitor.lookAt(Array.from({ length: 60 }, (_, index) => keyOf(900 + index)))
    await screen.clock.advance(500)
    // The first round goes on at its own pace.
    expect(screen.seen.length - before).toBeLessThanOrEqual(55)
  })

  it('is not polled twice, nor if it is not configured', async () => {
    const screen = watch({ nodeCount: 2 })
    screen.world.answer = () => ({ afterMs: 3_000 })
    screen.monitor.lookAt([keyOf(1)])
    screen.monitor.lookAt([keyOf(1)])
    screen.monitor.lookAt([keyOf(99)])
    await screen.clock.advance(1_000)
    screen.monitor.lookAt([keyOf(1)])
    await screen.clock.advance(3_000)
    expect(screen.timesOf(1)).toEqual([0])
    expect(screen.seen.every(({ node }) => node === nodeId(0) || node === nodeId(1))).toBe(true)
  })

  it('keeps its longer wait while it fails', async () => {
    const screen = watch({ nodeCount: 2 })
    screen.world.answer = ({ node }) => (node === nodeId(0) ? { status: 500 } : {})
    await screen.clock.advance(100_000)
    const before = screen.timesOf(0)
    screen.monitor.lookAt([keyOf(0)])
    await screen.clock.advance(1_000)
    expect(screen.timesOf(0)).toEqual(before)
  })

  it('respects the Retry-After of its service even if it never failed itself', async () => {
    const screen = watch({ nodeCount: 40, services: [service({ pollIntervalMs: 60_000 })] })
    screen.world.answer = () => ({ status: 429, retryAfter: '120' })
    await screen.clock.advance(250)
    const silent = Array.from({ length: 40 }, (_, index) => index).find((n) => screen.timesOf(n).length === 0)
    screen.monitor.lookAt([keyOf(silent ?? 0)])
    const asked = screen.seen.length
    await screen.clock.advance(30_000)
    expect(screen.seen).toHaveLength(asked)
  })

  it('is not polled without a key', async () => {
    const screen = watch({}, { sign: () => 'no-key' })
    await screen.clock.advance(1_000)
    const signed = screen.world.signed
    screen.monitor.lookAt([keyOf(0)])
    await screen.clock.advance(60_000)
    expect(screen.world.signed).toBe(signed)
  })
})
