import { describe, expect, it } from 'vitest'
import { bringBack, countAnswer, keepProbing, nodeAfter, probeNow } from '#monitor/recovery.ts'
import type { TrackedNode, TrackedService } from '#monitor/tracked.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { episode, NOW_MS, timeout } from './fleet.ts'
import { inFlight, tracked } from './tracked.ts'
import { nodes } from './watch.ts'

const INTERVAL_MS = 15_000
/** A slot of the first node's grid. */
const SLOT_MS = 1_005_000

/** A service of which nothing but failures came, and the nodes that are planned, with when. */
function down(count = 3) {
  const engine = tracked({ nodes: nodes(count) })
  const service = engine.serviceAt(0)
  service.failedSince = true
  const planned: (readonly [index: number, atMs: number])[] = []
  const planAt = (node: TrackedNode, atMs: number) => void planned.push([node.index, atMs])
  return { ...engine, service, planned, schedule: { planAt, plan: planAt } }
}

const HOLD: NonNullable<TrackedService['hold']> = {
  reason: 'rate-limited',
  sinceMs: NOW_MS,
  untilMs: NOW_MS + 1_000,
  failure: { kind: 'rate-limited' },
}
const failing = (node: TrackedNode, failure: PollFailure, nextPollMs?: number) => {
  node.live = { ...node.live, episode: episode(failure), nextPollMs }
}
const waits = (node: TrackedNode, nextPollMs: number | undefined) => {
  node.live = { ...node.live, nextPollMs }
}

const OTHERS: readonly (readonly [string, (service: TrackedService) => void])[] = [
  ['answers', (service) => (service.failedSince = false)],
  ['waits for a key', (service) => (service.waiting = { kind: 'no-key' })],
  ['holds its nodes back', (service) => (service.hold = HOLD)],
  ['has no nodes', (service) => service.nodes.clear()],
]

describe('probing a service that is down', () => {
  it.each(OTHERS)('is not done where it %s', (_what, change) => {
    const { service, schedule, planned } = down()
    change(service)
    keepProbing(service, schedule, NOW_MS)
    probeNow(service, schedule, NOW_MS)
    expect([planned, service.probe]).toEqual([[], undefined])
  })

  it('is done by one node in turn, at the next slot of the first, once the one before is over', () => {
    const { service, schedule, planned, fleet } = down()
    for (const node of fleet.nodes.values()) waits(node, SLOT_MS + 100_000)
    keepProbing(service, schedule, SLOT_MS - 1)
    keepProbing(service, schedule, SLOT_MS - 1)
    expect(planned).toEqual([[0, SLOT_MS]])
    keepProbing(service, schedule, SLOT_MS)
    expect(planned.slice(1)).toEqual([[1, SLOT_MS + INTERVAL_MS]])
  })

  it.each([
    [SLOT_MS - 1, []],
    [SLOT_MS + 1, [[0, SLOT_MS]]],
    [undefined, [[0, SLOT_MS]]],
  ])('leaves a node that is asked at %s anyway as it is where that is sooner', (nextPollMs, expected) => {
    const { service, schedule, planned, nodeAt } = down(1)
    waits(nodeAt(0), nextPollMs)
    keepProbing(service, schedule, SLOT_MS - 1)
    expect(planned).toEqual(expected)
    expect(service.probe).toBe(nodeAt(0))
  })

  it('is done at once by a word of the network, not more often than once a second', () => {
    const { service, schedule, planned } = down()
    for (const nowMs of [NOW_MS, NOW_MS + 999, NOW_MS + 1_000]) probeNow(service, schedule, nowMs)
    expect(planned).toEqual([
      [0, NOW_MS],
      [1, NOW_MS + 1_000],
    ])
  })

  it('is not done while each of its nodes is being asked', () => {
    const { service, schedule, planned, fleet } = down()
    for (const node of fleet.nodes.values()) node.flight = inFlight()
    probeNow(service, schedule, NOW_MS)
    keepProbing(service, schedule, NOW_MS)
    expect([planned, service.probe, service.triedMs]).toEqual([[], undefined, Number.NEGATIVE_INFINITY])
  })

  it.each<[PollFailure, boolean]>([
    [timeout, true],
    [{ kind: 'offline' }, true],
    [{ kind: 'server-error', status: 503 }, true],
    [{ kind: 'rate-limited' }, false],
    [{ kind: 'unauthorized' }, false],
    [{ kind: 'node-unknown' }, false],
    [{ kind: 'signed-out' }, false],
  ])('is done by a node that failed by %j: %s', (failure, isMeant) => {
    const { service, schedule, planned, nodeAt } = down(1)
    failing(nodeAt(0), failure)
    probeNow(service, schedule, NOW_MS)
    expect(planned).toHaveLength(isMeant ? 1 : 0)
  })

  it.each([
    [NOW_MS, 1],
    [NOW_MS + 1, 0],
  ])('is not done by a node for which a later time was named: %i', (notBeforeMs, count) => {
    const { service, schedule, planned, nodeAt } = down(1)
    nodeAt(0).notBeforeMs = notBeforeMs
    probeNow(service, schedule, NOW_MS)
    expect(planned).toHaveLength(count)
  })

  it('goes round in the configured order', () => {
    const { service, nodeAt } = down(3)
    const after = [undefined, nodeAt(0), nodeAt(1), nodeAt(2)].map((node) => nodeAfter(service, node)?.index)
    expect(after).toEqual([0, 1, 2, 0])
    expect(nodeAfter(service, nodeAt(1), ({ index }) => index < 2)?.index).toBe(0)
  })
})

describe('a service that is back', () => {
  it('is one that answers after failures alone, and from then on', () => {
    const { service } = down()
    expect(countAnswer(service, NOW_MS - 20, NOW_MS)).toBe(true)
    expect(service).toMatchObject({ backMs: NOW_MS, answeredMs: NOW_MS - 20, failedSince: false })
    service.failedSince = true
    expect(countAnswer(service, NOW_MS + 1_000, NOW_MS + 1_020)).toBe(false)
    expect(service).toMatchObject({ backMs: NOW_MS, answeredMs: NOW_MS + 1_000, failedSince: false })
  })

  it('has those asked at their next slots that wait longer because of it, and no others', () => {
    const { service, schedule, planned, nodeAt } = down(7)
    const laterMs = SLOT_MS + 60_000
    failing(nodeAt(0), timeout, laterMs)
    waits(nodeAt(1), laterMs)
    failing(nodeAt(2), timeout)
    failing(nodeAt(3), timeout, laterMs)
    nodeAt(3).flight = inFlight()
    failing(nodeAt(4), { kind: 'node-unknown' }, laterMs)
    failing(nodeAt(5), timeout, NOW_MS)
    failing(nodeAt(6), { kind: 'unauthorized' }, laterMs)
    nodeAt(0).notBeforeMs = laterMs
    bringBack(service, schedule, NOW_MS)
    expect(planned).toEqual([
      [0, NOW_MS],
      [6, NOW_MS],
    ])
    expect(nodeAt(0).notBeforeMs).toBe(0)
  })

  it('leaves one alone that is asked at its next slot anyway', () => {
    const { service, schedule, planned, nodeAt } = down(1)
    failing(nodeAt(0), timeout, SLOT_MS)
    bringBack(service, schedule, SLOT_MS - 1)
    expect(planned).toEqual([])
  })
})
