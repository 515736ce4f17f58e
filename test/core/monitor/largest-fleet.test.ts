import { expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { service, watch } from './watch.ts'

it('the round keeps 20,000 nodes in a bounded queue and goes on', async () => {
  const screen = watch({ nodeCount: 25_000, services: [service({ pollIntervalMs: 60_000 })] })
  screen.world.answer = () => ({ afterMs: 500 })
  await screen.clock.advance(10_000)
  const snapshot = screen.monitor.snapshot()
  expect(snapshot.nodes.size).toBe(DEFAULTS.nodesMax)
  expect(screen.mostInFlight()).toBe(4)
  expect(snapshot.screen.answered).toBeGreaterThanOrEqual(70)
  expect(snapshot.screen.behindMs).toBeGreaterThan(5_000)
  screen.monitor.dispose()
})
