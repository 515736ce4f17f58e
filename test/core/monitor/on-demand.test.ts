import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { keyChanged } from '#monitor/on-demand.ts'
import type { TrackedService } from '#monitor/tracked.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { episode, NOW_MS } from './fleet.ts'
import { tracked } from './tracked.ts'
import { keyOf, nodes, watch } from './watch.ts'

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

const REFUSED: PollFailure = { kind: 'unauthorized' }
const LIMITED: PollFailure = { kind: 'rate-limited' }
const holdOf = (reason: 'refused' | 'rate-limited'): NonNullable<TrackedService['hold']> => ({
  reason,
  sinceMs: NOW_MS - 1_000,
  untilMs: NOW_MS + 100_000,
  failure: reason === 'refused' ? REFUSED : LIMITED,
})
/** Later than now, and by none of its slots. */
const LATER_MS = NOW_MS + 50_001

/** So many nodes that all wait until later. */
function waiting(count: number) {
  const engine = tracked({ nodes: nodes(count) })
  for (const node of engine.fleet.nodes.values()) engine.schedule.planAt(node, LATER_MS)
  const asked = () =>
    Array.from(engine.fleet.nodes.values()).flatMap(({ live }, index) =>
      live.nextPollMs === LATER_MS ? [] : [index],
    )
  return { ...engine, asked }
}

describe('another key', () => {
  it.each([
    ['refused', undefined],
    ['rate-limited', 'rate-limited'],
  ] as const)('for a service that holds nodes back since it is %s leaves the hold %s', (reason, left) => {
    const { parts, serviceAt } = waiting(2)
    serviceAt(0).hold = holdOf(reason)
    keyChanged(parts, undefined, NOW_MS)
    expect(serviceAt(0).hold?.reason).toBe(left)
  })

  it('has those asked again that failed for want of a good one, and no others', () => {
    const { parts, nodeAt, asked } = waiting(5)
    const failures: readonly PollFailure[] = [
      REFUSED,
      { kind: 'signer-failed', reason: 'error' },
      { kind: 'server-error', status: 500 },
      { kind: 'signed-out' },
    ]
    for (const [index, failure] of failures.entries()) {
      const node = nodeAt(index)
      node.live = { ...node.live, episode: episode(failure) }
    }
    keyChanged(parts, undefined, NOW_MS)
    expect(asked()).toEqual([0, 1])
  })
})
