import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { askNow, keyChanged, lookAt } from '#monitor/on-demand.ts'
import type { TrackedNode, TrackedService } from '#monitor/tracked.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { episode, NOW_MS, timeout } from './fleet.ts'
import { inFlight, tracked } from './tracked.ts'
import { keyOf, nodes, service, watch } from './watch.ts'

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
const OTHER = 'https://other.example'
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

describe('a person who asks now', () => {
  it('for a node that is not watched asks nobody', () => {
    const { parts, asked } = waiting(2)
    askNow(parts, keyOf(9), NOW_MS)
    expect(asked()).toEqual([])
  })

  it('for one node disturbs no other service, and asks it once', () => {
    const engine = tracked({
      services: [service(), service({ baseUrl: OTHER })],
      nodes: [...nodes(1), ...nodes(1, OTHER)],
    })
    engine.serviceAt(1).waiting = { kind: 'no-key' }
    askNow(engine.parts, keyOf(0), NOW_MS)
    expect(engine.serviceAt(1).waiting).toEqual({ kind: 'no-key' })
    expect(engine.nodeAt(0).live.nextPollMs).toBe(NOW_MS)
  })

  it('for one node of a service that holds them back asks that one', () => {
    const { parts, serviceAt, asked, nodeAt } = waiting(3)
    serviceAt(0).hold = holdOf('refused')
    askNow(parts, keyOf(1), NOW_MS)
    expect(asked()).toEqual([1])
    expect(nodeAt(1).live.nextPollMs).toBe(NOW_MS)
  })

  it('for all asks by one node where the service holds them back, and by none where there is none', () => {
    const { parts, serviceAt, asked } = waiting(3)
    serviceAt(0).hold = holdOf('refused')
    askNow(parts, undefined, NOW_MS)
    expect(asked()).toEqual([0])
    const empty = tracked({ nodes: [] })
    empty.serviceAt(0).hold = holdOf('refused')
    expect(() => askNow(empty.parts, undefined, NOW_MS)).not.toThrow()
  })
})

describe('somebody who looks at nodes', () => {
  it('has a screenful of them asked first', () => {
    const { parts, fleet } = waiting(100)
    lookAt(parts, Array.from(fleet.nodes.keys()), NOW_MS)
    expect(Array.from(fleet.nodes.values()).filter(({ urgent }) => urgent)).toHaveLength(60)
  })

  it.each<[string, (node: TrackedNode) => void, boolean]>([
    ['nothing is known of', () => undefined, true],
    ['is being asked', (node) => (node.flight = inFlight()), false],
    ['fails', (node) => (node.live = { ...node.live, episode: episode(timeout) }), false],
    ['waits for a key', ({ service: own }) => (own.waiting = { kind: 'no-key' }), false],
    ['is held back', ({ service: own }) => (own.hold = holdOf('rate-limited')), false],
    ['is of a service that is down', ({ service: own }) => (own.failedSince = true), false],
  ])('asks one at once that %s: so it is', (_what, change, isAsked) => {
    const { parts, nodeAt, asked } = waiting(1)
    change(nodeAt(0))
    lookAt(parts, [keyOf(0)], NOW_MS)
    expect([nodeAt(0).urgent, asked()]).toEqual([isAsked, isAsked ? [0] : []])
  })
})

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
