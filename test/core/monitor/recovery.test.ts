import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { watch } from './watch.ts'

const INTERVAL_MS = DEFAULTS.pollIntervalMs
const MINUTE_MS = 60_000

describe('the browser’s word that there is a network again', () => {
  it('has one node of each service that failed asked at once, and a flapping one not more than once a second', async () => {
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
})
