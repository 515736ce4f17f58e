import { describe, expect, it } from 'vitest'
import { record, watch } from './watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

describe('a service without a readable Date', () => {
  /** A heartbeat every 10 s by a clock that is ahead; no Date unless given. */
  const silent = (aheadMs: number, headers: { date?: true; age?: string } = {}) => {
    const screen = watch()
    let stopped: number | undefined
    screen.world.answer = ({ node, wallMs }) => {
      const lastS = Math.floor((stopped ?? wallMs + aheadMs) / 10_000) * 10
      const { date, ...others } = headers
      const body = record(node, { last_heartbeat: lastS })
      return { body, ...(date && { date: new Date(wallMs).toUTCString() }), ...others }
    }
    const heartbeat = () => screen.node(0).reading?.ages['heartbeat']
    return { screen, heartbeat, stop: () => void (stopped = screen.clock.wallMs() + aheadMs) }
  }

  it.each([
    [-90_000, 'uncertain'], // Records that arrive 90 s late look the same.
    [0, 'unchecked'],
    [40_000, 'unknown'],
  ])('%d ms ahead has a heartbeat age that is first unbounded, then %s', async (aheadMs, kind) => {
    const { screen, heartbeat } = silent(aheadMs)
    await screen.clock.advance(500)
    expect(heartbeat()?.kind).toBe(aheadMs > 2_000 ? 'unknown' : 'unchecked')
    await screen.clock.advance(60_000)
    expect(heartbeat()?.kind).toBe(kind)
  })

  it.each([
    [90_000, true],
    [-90_000, true],
    [20_000, false],
  ])('%d ms ahead is reported as a clock offset by its heartbeats: %s', async (aheadMs, isTold) => {
    const { screen } = silent(aheadMs)
    await screen.clock.advance(60_500)
    const snapshot = screen.monitor.snapshot()
    const offset = Array.from(snapshot.services.values())[0]?.heartbeatOffset
    expect(offset?.lowMs).toBeLessThanOrEqual(aheadMs)
    expect(offset?.highMs).toBeGreaterThanOrEqual(aheadMs)
    const told = causesOf(snapshot, snapshot.nowMs)
    expect(told.map(({ evidence }) => evidence)).toMatchObject(
      isTold
        ? [{ kind: 'clock-offset', offset, services: 1, corrected: false, by: 'heartbeats' }]
        : [expect.objectContaining({ kind: 'timestamp-ahead', unchecked: true })],
    )
  })

  it('has no offset by heartbeats if it sends a Date, or once this computer’s clock is set', async () => {
    const heartbeatOffset = ({ monitor }: ReturnType<typeof watch>) =>
      Array.from(monitor.snapshot().services.values())[0]?.heartbeatOffset
    const { screen } = silent(90_000)
    await screen.clock.advance(60_500)
    expect(heartbeatOffset(screen)).toBeDefined()
    screen.clock.stepWall(60_000)
    await screen.clock.advance(15_000)
    expect(heartbeatOffset(screen)).toBeUndefined()
    const told = silent(90_000, { date: true })
    await told.screen.clock.advance(60_500)
    expect(heartbeatOffset(told.screen)).toBeUndefined()
  })

  it('has a minimum heartbeat age, from the time without a new one, once its heartbeats stop', async () => {
    const { screen, heartbeat, stop } = silent(-90_000)
    await screen.clock.advance(60_500)
    stop()
    await screen.clock.advance(120_000)
    const age = heartbeat()
    if (age?.kind !== 'at-least') throw new Error('not known')
    expect(age.ageMs).toBeGreaterThan(100_000)
    expect(age.ageMs).toBeLessThanOrEqual(120_000)
  })

  it('has an unchecked heartbeat age once this computer’s clock is set, or from a cache', async () => {
    const { screen, heartbeat } = silent(0)
    await screen.clock.advance(60_500)
    screen.clock.stepWall(60_000)
    await screen.clock.advance(15_000)
    expect(heartbeat()?.kind).toBe('unchecked')
    const cached = silent(0, { age: '3' })
    await cached.screen.clock.advance(60_500)
    expect(cached.heartbeat()?.kind).toBe('unchecked')
  })
})
