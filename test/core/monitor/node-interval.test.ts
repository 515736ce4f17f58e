import { describe, expect, it } from 'vitest'
import { isCurrentAt, stageAt } from '#fleet/assessment.ts'
import { pollIntervalOf } from '#fleet/live.ts'
import { keyOf, nodeId, nodes, record, service, watch } from './watch.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

const RARE = 'https://rare.example'

/** The first node has an interval of a minute, the others have their service's 5 s. */
const OWN = { services: [service({ pollIntervalMs: 5 * SECOND })] }
const slowFirst = (count: number, pollIntervalMs = MINUTE) =>
  nodes(count).map((node, place) => (place === 0 ? { ...node, pollIntervalMs } : node))

const apart = (timesMs: readonly number[]): readonly number[] =>
  timesMs.slice(1).map((atMs, place) => Math.round((atMs - (timesMs[place] ?? 0)) / SECOND))

describe('a node with its own interval', () => {
  it('is polled at it, and other nodes at the interval of the service', async () => {
    const { clock, timesOf } = watch({ ...OWN, nodes: slowFirst(2) })
    await clock.advance(10 * MINUTE)
    expect(new Set(apart(timesOf(0).slice(1)))).toEqual(new Set([60]))
    expect(new Set(apart(timesOf(1).slice(1)))).toEqual(new Set([5]))
  })

  it('fails on its own, although the others rarely answer in between', async () => {
    const services = [service({ pollIntervalMs: 5 * MINUTE })]
    const { clock, world, node } = watch({ services, nodes: slowFirst(4, 30 * SECOND) })
    await clock.advance(11 * MINUTE)
    world.answer = ({ node: id }) => (id === nodeId(0) ? { status: 500 } : {})
    for (let passedMs = MINUTE; passedMs < 11 * MINUTE; passedMs += 5 * SECOND) {
      await clock.advance(passedMs === MINUTE ? MINUTE : 5 * SECOND)
      expect(node(0).episode?.isOutdated).toBeUndefined()
    }
  })

  it('may be polled more often than the service’s interval', async () => {
    const { clock, timesOf } = watch({
      services: [service({ pollIntervalMs: MINUTE })],
      nodes: slowFirst(2, 2 * SECOND),
    })
    await clock.advance(5 * MINUTE)
    expect(new Set(apart(timesOf(0).slice(1)))).toEqual(new Set([2]))
    expect(timesOf(1).length).toBeLessThan(8)
  })

  it('stays current for its own interval, and records that in its samples', async () => {
    const { clock, monitor, node, samples } = watch({ ...OWN, nodes: slowFirst(2) })
    await clock.advance(3 * MINUTE)
    // Long after other readings of the service would be stale.
    for (let step = 0; step < 50; step++) {
      await clock.advance(SECOND)
      expect(isCurrentAt(node(0), monitor.nowMs())).toBe(true)
    }
    const everyMs = (key: string) =>
      new Set(
        samples()
          .filter((each) => each.node === key)
          .map((each) => each.everyMs),
      )
    expect(everyMs(keyOf(0))).toEqual(new Set([MINUTE]))
    expect(everyMs(keyOf(1))).toEqual(new Set([5 * SECOND]))
  })

  it('has a heartbeat that is fresh until its next poll, like that of a service with that interval', async () => {
    const services = [
      service({ pollIntervalMs: 5 * SECOND }),
      service({ baseUrl: RARE, pollIntervalMs: 5 * MINUTE }),
    ]
    const slow = [...slowFirst(2, 5 * MINUTE), { service: RARE, id: nodeId(0), tags: [] }]
    const { clock, monitor, world, node } = watch({ services, nodes: slow })
    const beat = ({ wallMs }: { wallMs: number }) => ({ last_heartbeat: Math.floor(wallMs / SECOND) })
    world.answer = (asked) => ({ body: record(asked.node, beat(asked)) })
    for (let minute = 0; minute < 20; minute++) {
      await clock.advance(MINUTE)
      for (const each of [node(0), node(1), node(0, RARE)])
        expect(stageAt(each.assessment, monitor.nowMs()).severity).toBe('ok')
    }
  })

  it('follows a new interval from its next slot on, and the service’s interval once it has none', async () => {
    const {
      clock,
      monitor,
      config,
      timesOf,
      node,
      service: live,
    } = watch({ ...OWN, nodes: slowFirst(2, 10 * MINUTE) })
    await clock.advance(MINUTE)
    const before = timesOf(0).length
    monitor.configure({ ...config, nodes: slowFirst(2, 10 * SECOND) })
    await clock.advance(MINUTE)
    expect(timesOf(0).length - before).toBeGreaterThanOrEqual(5)
    expect(pollIntervalOf(node(0), live())).toBe(10 * SECOND)
    monitor.configure({ ...config, nodes: nodes(2) })
    await clock.advance(MINUTE)
    expect(apart(timesOf(0)).slice(-8)).toEqual(Array.from({ length: 8 }, () => 5))
    expect(node(0)).not.toHaveProperty('pollIntervalMs')
  })

  it('disturbs no other node when it is set', async () => {
    const { clock, monitor, config, timesOf } = watch({ ...OWN, nodes: nodes(3) })
    await clock.advance(MINUTE)
    monitor.configure({ ...config, nodes: slowFirst(3) })
    await clock.advance(MINUTE)
    expect(new Set(apart(timesOf(1).slice(1)))).toEqual(new Set([5]))
  })

  it('does not speed up polling after a miss if all nodes are polled rarely', async () => {
    const rare = nodes(3).map((node) => ({ ...node, pollIntervalMs: 10 * MINUTE }))
    const { clock, world, seen } = watch({ ...OWN, nodes: rare })
    await clock.advance(20 * MINUTE)
    world.answer = ({ node }) => (node === '0x0001' ? { status: 500 } : { body: record(node) })
    const before = seen.length
    await clock.advance(60 * MINUTE)
    // Each node once in 10 minutes, with no extra polls at the service's 5 s.
    expect(seen.length - before).toBeLessThanOrEqual(3 * 7)
  })

  it('counts in the length of a round', async () => {
    const often = nodes(40).map((node) => ({ ...node, pollIntervalMs: SECOND }))
    const { clock, service: live } = watch(
      { services: [service({ pollIntervalMs: 30 * SECOND })], nodes: often },
      { answer: ({ node }) => ({ body: record(node), afterMs: 500 }) },
    )
    await clock.advance(2 * MINUTE)
    // 40 a second, each half a second, four at a time: 5 s of every second.
    expect(live()?.round).toMatchObject({ nodes: 40, intervalMs: 30 * SECOND, limit: 'in-flight' })
    expect(live()?.round?.takesMs).toBeCloseTo(5 * 30 * SECOND, -4)
  })
})
