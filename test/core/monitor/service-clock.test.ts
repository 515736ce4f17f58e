import type { ServiceId } from '#record/service.ts'
import { describe, expect, it } from 'vitest'
import { noteHeartbeat, heartbeatOffsetOf } from '#monitor/service-clock.ts'
import type { TrackedNode, TrackedService } from '#monitor/tracked.ts'
import type { ClockOffset } from '#record/clock-offset.ts'

/** A node whose answers the test makes: sent at some time, back after 100 ms, with a beat of some time. */
function tracked(serviceOffset?: ClockOffset) {
  let told = 0
  const changes = { services: () => void told++ }
  const fleet = { changes, services: new Map<ServiceId, TrackedService>() }
  const node = { service: { offset: serviceOffset }, heartbeats: undefined } as unknown as TrackedNode
  return {
    node,
    told: () => told,
    answer: (sentMs: number, beatMs: number | undefined, nowMs: number, age?: string) =>
      noteHeartbeat(
        fleet,
        node,
        { heartbeat: beatMs === undefined ? { ok: false } : { ok: true, value: { atMs: beatMs } } } as never,
        {
          startedMs: sentMs,
          startedWallMs: sentMs,
          latencyMs: 100,
          reply: { status: 200, body: '', ...(age !== undefined && { age }) },
        } as never,
        nowMs,
      ).heartbeats,
  }
}

describe('the clock of a node’s heartbeats', () => {
  it('is kept beside the service’s own, and not told where that is known', () => {
    const { told, answer } = tracked({ lowMs: 1, highMs: 2 })
    answer(10_000, 9_000, 0)
    expect(answer(20_000, 20_000, 7)).toBeDefined()
    expect(told()).toBe(0)
  })

  it('is not known by one beat, and by the second lies between the two answers', () => {
    const { node, told, answer } = tracked()
    expect(answer(10_000, 9_000, 5)).toBeUndefined()
    expect(node.heartbeatClock).toEqual({
      last: { atMs: 9_000, sentMs: 10_000, receivedMs: 10_100 },
      offset: undefined,
      sinceMs: 10_100,
      atMs: 5,
    })
    expect(told()).toBe(0)
    const offset = { lowMs: 20_000 - 500 - 20_100, highMs: 20_000 + 1_000 - 10_000 }
    expect(answer(20_000, 20_000, 7)).toEqual(offset)
    expect([node.heartbeatClock?.atMs, told()]).toEqual([7, 1])
  })

  it('stays what it was without a new beat, out of a cache, and without a heartbeat', () => {
    const { node, told, answer } = tracked()
    answer(10_000, 9_000, 0)
    const offset = answer(20_000, 20_000, 7)
    expect(answer(30_000, 20_000, 9)).toEqual(offset)
    expect(node.heartbeatClock).toMatchObject({ last: { sentMs: 30_000 }, atMs: 7, offset })
    const before = node.heartbeatClock
    expect([answer(40_000, 39_000, 11, '1'), answer(40_000, undefined, 11)]).toEqual([offset, offset])
    expect(node.heartbeatClock).toBe(before)
    expect(told()).toBe(1)
    answer(40_000, 39_000, 11, '0')
    expect(node.heartbeatClock).not.toBe(before)
  })

  it('is narrowed by later heartbeats, and allowed to drift for the time between them', () => {
    const { answer } = tracked()
    answer(0, 0, 0)
    // Between -600 and 11,000; 100,000 ms later a drift of 10 ms.
    expect(answer(10_000, 10_000, 1_000)).toEqual({ lowMs: -600, highMs: 11_000 })
    expect(answer(110_000, 100_000, 101_000)).toEqual({ lowMs: -610, highMs: 11_010 })
  })

  it.each([
    [500, 0],
    [501, 1],
    [1_500, 1],
  ])('that moves by %d ms is told so often more: %d', (byMs, times) => {
    const low = tracked()
    low.answer(0, 0, 0)
    low.answer(10_000, 10_000, 0)
    // The lower end rises: the beat came later, and the answer was asked for as much sooner.
    low.answer(20_000, 20_000 + byMs, 0)
    expect(low.told()).toBe(1 + times)
    const high = tracked()
    high.answer(0, 0, 0)
    high.answer(10_000, 10_000, 0)
    // Only the upper end falls, to the beat and a second after the answer before was asked for.
    high.answer(30_000, 10_000 + 10_000 - byMs, 0)
    expect(high.told()).toBe(1 + times)
  })
})

describe('the clock of a service’s nodes', () => {
  const service = (given: object): TrackedService =>
    ({ offset: undefined, nodes: new Map(), ...given }) as never
  const nodes = (...offsets: readonly (ClockOffset | undefined)[]) =>
    new Map(offsets.map((offset, place) => [place, { heartbeatClock: offset && { offset } }]))
  const own = { lowMs: 0, highMs: 10 }

  it('is not asked for where its own time is known', () => {
    expect(heartbeatOffsetOf(service({ offset: own, nodes: nodes(own) }))).toBeUndefined()
  })

  it('is what most of them tell', () => {
    expect(heartbeatOffsetOf(service({ nodes: nodes(own, undefined) }))).toEqual(own)
    expect(heartbeatOffsetOf(service({ nodes: nodes(undefined) }))).toBeUndefined()
    expect(heartbeatOffsetOf(service({}))).toBeUndefined()
  })
})
