import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { keyOf, watch } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs

describe('asking now', () => {
  it('asks one node, or all of them close behind each other', async () => {
    const screen = watch({ nodeCount: 20 })
    await screen.clock.advance(INTERVAL_MS + 5_000)
    const before = screen.seen.length
    screen.monitor.pollNow(keyOf(7))
    await screen.clock.advance(50)
    expect(screen.seen.slice(before).map(({ node }) => node)).toContain('0x0008')
    const from = screen.seen.length
    screen.monitor.pollNow()
    await screen.clock.advance(2_000)
    expect(new Set(screen.seen.slice(from).map(({ node }) => node)).size).toBe(20)
    expect(screen.mostInFlight()).toBeLessThanOrEqual(4)
  })
})
