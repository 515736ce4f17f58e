import type { ServiceId } from '#record/service.ts'
import { describe, expect, it } from 'vitest'
import {
  hasMoved,
  heartbeatOffsetOf,
  noteCorrection,
  noteHeartbeat,
  noteOffset,
  timeToSign,
} from '#monitor/service-clock.ts'
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

describe('the clock of a service', () => {
  const DATE_MS = Date.UTC(2026, 5, 1, 12)
  /** A service, and an answer of it that was sent at some time and names another. */
  const dated = (given: Partial<TrackedService> = {}) => {
    let told = 0
    const service = {
      offset: undefined,
      offsetMs: 0,
      setBackMs: Number.NEGATIVE_INFINITY,
      correction: undefined,
      ...given,
    } as TrackedService
    const changes = { services: () => void told++ }
    const sent = (startedWallMs: number, dateMs: number | undefined) =>
      ({
        startedMs: startedWallMs - DATE_MS,
        startedWallMs,
        latencyMs: 100,
        reply: {
          status: 200,
          body: '',
          ...(dateMs !== undefined && { date: new Date(dateMs).toUTCString() }),
        },
      }) as never
    return {
      service,
      told: () => told,
      answer: (startedWallMs: number, dateMs: number | undefined, nowMs = 0) =>
        noteOffset(changes, service, sent(startedWallMs, dateMs), nowMs),
      result: (correction: TrackedService['correction'], isGood: boolean) =>
        noteCorrection(changes, service, { correction, result: { ok: isGood } } as never),
    }
  }

  it('is known by the first Date, narrowed by the next, and told where it has moved', () => {
    const { service, told, answer } = dated()
    answer(DATE_MS, undefined)
    expect([service.offset, told()]).toEqual([undefined, 0])
    answer(DATE_MS, DATE_MS, 5)
    expect([service.offset, service.offsetMs, told()]).toEqual([{ lowMs: -100, highMs: 1_000 }, 5, 1])
    // The same once more; then half a second later in the service's second.
    answer(DATE_MS, DATE_MS, 5)
    expect(told()).toBe(1)
    answer(DATE_MS + 500, DATE_MS, 5)
    expect([service.offset, told()]).toEqual([{ lowMs: -100, highMs: 500 }, 2])
    // It may drift by 100 parts in a million.
    answer(DATE_MS, DATE_MS, 1_000_005)
    expect(service.offset).toEqual({ lowMs: -100, highMs: 600 })
  })

  it('was set back where a Date lies before what was known by more than two seconds', () => {
    const { service, answer } = dated({ offset: { lowMs: 0, highMs: 500 } })
    answer(DATE_MS + 3_000, DATE_MS)
    expect(service.setBackMs).toBe(Number.NEGATIVE_INFINITY)
    const other = dated({ offset: { lowMs: 0, highMs: 500 } })
    other.answer(DATE_MS + 4_000, DATE_MS)
    expect(other.service.setBackMs).toBe(4_000)
    expect(other.service.offset).toEqual({ lowMs: -4_100, highMs: -3_000 })
    const first = dated()
    first.answer(DATE_MS + 4_000, DATE_MS)
    expect(first.service.setBackMs).toBe(Number.NEGATIVE_INFINITY)
  })

  it('is remembered to be taken or refused, until an answer is good with this computer’s own', () => {
    const { service, told, result } = dated()
    result(undefined, true)
    expect([service.correction, told()]).toEqual([undefined, 0])
    result({ ms: 5_000, state: 'used' }, true)
    result({ ms: 6_000, state: 'used' }, true)
    expect([service.correction, told()]).toEqual([{ ms: 6_000, state: 'used' }, 1])
    result(undefined, false)
    expect([service.correction?.ms, told()]).toEqual([6_000, 1])
    result({ ms: 6_000, state: 'refused' }, false)
    expect([service.correction?.state, told()]).toEqual(['refused', 2])
    result(undefined, true)
    expect([service.correction, told()]).toEqual([undefined, 3])
  })

  it('is signed with only where it was taken, and is known to be another', () => {
    const offset = { lowMs: 59_500, highMs: 60_500 }
    const timeOf = (given: Partial<TrackedService>) => timeToSign(dated(given).service).correctionMs
    expect(timeOf({ offset, correction: { ms: 5, state: 'used' } })).toBe(60_000)
    expect(timeOf({ offset, correction: { ms: 5, state: 'refused' } })).toBeUndefined()
    expect(timeOf({ offset })).toBeUndefined()
    expect(timeOf({ correction: { ms: 5, state: 'used' } })).toBeUndefined()
    expect(
      timeOf({ offset: { lowMs: 0, highMs: 100 }, correction: { ms: 5, state: 'used' } }),
    ).toBeUndefined()
  })

  it.each([
    [undefined, undefined, false],
    [undefined, { lowMs: 0, highMs: 0 }, true],
    [{ lowMs: 0, highMs: 0 }, undefined, false],
    [{ lowMs: 0, highMs: 100 }, { lowMs: 10, highMs: 90 }, false],
    [{ lowMs: 0, highMs: 100 }, { lowMs: 11, highMs: 100 }, true],
    [{ lowMs: 0, highMs: 100 }, { lowMs: 0, highMs: 89 }, true],
    [{ lowMs: 0, highMs: 100 }, { lowMs: -11, highMs: 100 }, true],
  ])('has moved by more than 10 ms from %j to %j: %j', (before, now, expected) => {
    expect(hasMoved(before, now, 10)).toBe(expected)
  })
})

describe('what speaks of the clock by which a heartbeat is dated', () => {
  const evidence = (
    services: readonly Partial<TrackedService>[],
    own: Partial<TrackedService>,
    age?: string,
  ) => {
    const service = own as TrackedService
    const all = new Map([service, ...services].map((one, place) => [String(place), one]))
    const node = { service } as unknown as TrackedNode
    const answer = (sentMs: number) =>
      noteHeartbeat(
        { changes: { services: () => undefined }, services: all } as never,
        node,
        { heartbeat: { ok: true, value: { atMs: 9_000 } } } as never,
        {
          startedMs: sentMs,
          startedWallMs: sentMs,
          latencyMs: 100,
          reply: { status: 200, body: '', ...(age !== undefined && { age }) },
        } as never,
        sentMs,
      )
    return { answer }
  }
  const date = { lowMs: 0, highMs: 10 }
  const other = { lowMs: 100, highMs: 110 }

  it('is the service’s own time, what the other services’ say of this computer, and how long the beat stayed', () => {
    const { answer } = evidence([{ offset: other }, {}], { offset: date })
    expect(answer(10_000)).toEqual({ date, others: other, heartbeats: undefined, unchangedMs: 0 })
    expect(answer(25_000)).toMatchObject({ date, others: other, unchangedMs: 14_900 })
  })

  it('is nothing of other services where there is none whose time is known', () => {
    expect(evidence([{}], { offset: date }).answer(10_000)).toMatchObject({ date, others: undefined })
  })

  it('is not how long the beat stayed, in an answer that a cache kept', () => {
    expect(evidence([], { offset: date }, '1').answer(10_000)).not.toHaveProperty('unchangedMs')
  })
})
