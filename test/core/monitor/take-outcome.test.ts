import { describe, expect, it, vi } from 'vitest'
import { err, ok } from '#base/result.ts'
import { takeOutcome } from '#monitor/outcome.ts'
import type { TrackedNode } from '#monitor/tracked.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { NOW_MS, reading, timeout, unreachable, WALL_MS } from './fleet.ts'
import { sentAt, tracked } from './tracked.ts'
import { nodes } from './watch.ts'

const INTERVAL_MS = 15_000
/** A slot of the first node's grid. */
const SLOT_MS = 1_005_000
const ERROR: PollFailure = { kind: 'server-error', status: 500 }
const REFUSED: PollFailure = { kind: 'unauthorized' }
const LIMITED: PollFailure = { kind: 'rate-limited' }
const UNKNOWN: PollFailure = { kind: 'node-unknown' }

function taking(count = 1) {
  const engine = tracked({ nodes: nodes(count) })
  const answered = (
    startedMs: number,
    given: Readonly<Record<string, unknown>> = {},
    reply: { readonly body?: string; readonly date?: string } = {},
    node: TrackedNode = engine.nodeAt(0),
  ) =>
    takeOutcome(
      engine.parts,
      node,
      sentAt(startedMs, ok(reading(given).record), { reply: { status: 200, body: '', ...reply } }),
      startedMs + 20,
    )
  const failed = (
    failure: PollFailure,
    startedMs: number = NOW_MS,
    node: TrackedNode = engine.nodeAt(0),
    nowMs = startedMs + 20,
  ) => takeOutcome(engine.parts, node, sentAt(startedMs, err(failure)), nowMs)
  return { ...engine, node: engine.nodeAt(0), service: engine.serviceAt(0), answered, failed }
}

describe('what was given up on its way', () => {
  it.each([
    [undefined, SLOT_MS],
    [false, SLOT_MS],
    [true, NOW_MS],
  ])('is asked again, at once where it is to be: %s', (asksAgain, nextMs) => {
    const { parts, node } = taking()
    takeOutcome(parts, node, { kind: 'aborted', ...(asksAgain !== undefined && { asksAgain }) }, NOW_MS)
    expect(node.live.nextPollMs).toBe(nextMs)
  })
})

describe('an answer', () => {
  it('leaves a time of which nothing is known only where it came later than two and a half intervals', () => {
    const { node, answered } = taking()
    answered(NOW_MS)
    answered(NOW_MS + 37_500)
    expect(node.live.since['status']?.unseenMs).toBe(0)
    answered(NOW_MS + 75_001)
    expect(node.live.since['status']?.unseenMs).toBe(37_501)
  })

  it('of a service whose clock stands still is never taken for one that was given before', () => {
    const date = new Date(WALL_MS).toUTCString()
    const { node, answered } = taking()
    answered(NOW_MS, {}, { date, body: 'a' })
    answered(NOW_MS + 5_000, {}, { date, body: 'b' })
    answered(NOW_MS + 10_000, {}, { date, body: 'b' })
    answered(NOW_MS + 15_000, {}, { date, body: 'a' })
    expect(node.live).toMatchObject({ answered: 4, failed: 0 })
    const cached = taking()
    cached.answered(NOW_MS, {}, { date, body: 'a' })
    cached.answered(NOW_MS + 5_000, {}, { date, body: 'a' })
    expect(cached.node.live).toMatchObject({ answered: 1, failed: 1 })
  })

  it('ends what was found of its own failure, and not of another node’s', () => {
    const { nodeAt, service, answered, ended } = taking(2)
    service.probed = { code: 'net/timeout', node: nodeAt(1), found: undefined, offset: undefined }
    answered(NOW_MS)
    expect(ended).toEqual([])
    answered(NOW_MS, {}, {}, nodeAt(1))
    expect(ended).toEqual([service])
  })

  it.each([
    [7_499, SLOT_MS + INTERVAL_MS],
    [7_501, SLOT_MS + 2 * INTERVAL_MS],
  ])(
    'that was asked for %i ms after a slot lets the next slot be no sooner than half an interval',
    (afterMs, nextMs) => {
      const { node, answered } = taking()
      answered(SLOT_MS + afterMs)
      expect(node.live.nextPollMs).toBe(nextMs)
    },
  )

  it('that names the service’s time has it in its sample, and no other has', () => {
    const { answered, samples } = taking()
    answered(NOW_MS, {}, { date: new Date(WALL_MS).toUTCString() })
    answered(NOW_MS + INTERVAL_MS)
    expect(samples[0]?.serviceMs).toBe(WALL_MS)
    expect(samples[1]).not.toHaveProperty('serviceMs')
  })

  it('tells of the period of heartbeats where the one before is three intervals old, and no more', () => {
    const { service, answered } = taking()
    const learn = vi.spyOn(service.detector, 'learn')
    answered(NOW_MS, { last_heartbeat: 1_780_000_000 })
    answered(NOW_MS + 45_000, { last_heartbeat: 1_780_000_040 })
    answered(NOW_MS + 90_001, { last_heartbeat: 1_780_000_090 })
    expect(learn.mock.calls.map(([, stepMs]) => stepMs)).toEqual([undefined, 40_000, undefined])
  })

  it('publishes the service anew only where something was detected', () => {
    const { service, answered, take } = taking()
    answered(NOW_MS)
    expect(take().services).toBe(true)
    const { rules } = service
    answered(NOW_MS + 1, { network_participation: 0, last_heartbeat: null })
    expect(service.rules).toBe(rules)
    expect(take().services).toBe(false)
  })

  it('in another unit than those before is journalled', () => {
    const { service, answered, logged, clock } = taking()
    answered(NOW_MS, { network_participation: 0.5 })
    expect(logged).toEqual([])
    answered(NOW_MS + INTERVAL_MS, { network_participation: 98 })
    expect(logged).toEqual([
      {
        wallMs: clock.wallMs(),
        area: 'service',
        what: 'unit-detected',
        serviceId: service.id,
        facts: { metric: 'participation', from: 'ratio', to: 'percent', readings: 1 },
      },
    ])
  })
})

describe('a failure', () => {
  it('goes on with a run that an engine before this one saw begin', () => {
    const { node, failed } = taking()
    node.failedBefore = { sinceMs: WALL_MS - 60_000, misses: 4 }
    failed(ERROR)
    expect(node.live.episode).toEqual({
      failure: ERROR,
      sinceMs: NOW_MS - 60_000,
      sinceWallMs: WALL_MS - 60_000,
      misses: 5,
    })
    failed(ERROR, NOW_MS + INTERVAL_MS)
    expect(node.live.episode?.misses).toBe(6)
  })

  it.each<[PollFailure, PollFailure['kind']]>([
    [unreachable, 'offline'],
    [timeout, 'offline'],
    [{ kind: 'signed-out' }, 'offline'],
    [{ kind: 'repeated' }, 'offline'],
    [ERROR, 'unreachable'],
    [UNKNOWN, 'unreachable'],
  ])('after %j, of a computer that is said to be offline, is %s', (failure, kind) => {
    const { node, fleet, failed } = taking()
    fleet.screen.offlineSinceMs = NOW_MS
    failed(failure)
    expect(node.live.episode?.failure.kind).toBe(failure === unreachable ? 'offline' : failure.kind)
    failed(unreachable, NOW_MS + INTERVAL_MS)
    expect(node.live.episode?.failure.kind).toBe(kind)
  })

  it('is none of the network where something answered when that was said', () => {
    const { node, fleet, failed } = taking()
    fleet.screen.offlineSinceMs = fleet.screen.networkSeenMs = NOW_MS
    failed(unreachable, NOW_MS + INTERVAL_MS)
    expect(node.live.episode?.failure.kind).toBe('unreachable')
  })

  it('makes a node suspect that does not answer in time, until something else comes of it', () => {
    const { node, failed, answered } = taking()
    failed(timeout)
    expect(node.suspect).toBe(true)
    failed(unreachable)
    expect(node.suspect).toBe(false)
    failed(timeout)
    answered(NOW_MS)
    expect(node.suspect).toBe(false)
  })

  it('is one of the service where it is not the node’s own', () => {
    const { service, failed } = taking()
    failed(UNKNOWN)
    expect(service.failedSince).toBe(false)
    failed(ERROR)
    expect(service.failedSince).toBe(true)
  })

  it('that began before the service was back is as a first one', () => {
    const nextAfter = (startedMs: number) => {
      const { node, service, failed } = taking()
      for (let miss = 0; miss < 3; miss++) failed(ERROR, SLOT_MS)
      service.answeredMs = service.backMs = SLOT_MS + INTERVAL_MS
      failed(ERROR, startedMs)
      return node.live.nextPollMs
    }
    expect(nextAfter(SLOT_MS + INTERVAL_MS - 1)).toBe(SLOT_MS + 2 * INTERVAL_MS)
    expect(nextAfter(SLOT_MS + INTERVAL_MS)).toBe(SLOT_MS + 5 * INTERVAL_MS)
  })
})

describe('a refusal of the key', () => {
  it('counts in a row, and no other failure does', () => {
    const { service, failed } = taking()
    failed(ERROR)
    expect(service.refusals).toBe(0)
    failed(REFUSED)
    failed(ERROR)
    failed(REFUSED)
    expect(service.refusals).toBe(2)
    expect(service.hold).toBeUndefined()
  })

  it('that was asked for before the hold began says nothing of it', () => {
    const { service, nodeAt, failed } = taking(4)
    for (const index of [0, 1, 2]) failed(REFUSED, NOW_MS, nodeAt(index), NOW_MS + 20)
    const { hold } = service
    expect(hold).toMatchObject({ reason: 'refused', sinceMs: NOW_MS + 20 })
    const other = Array.from(service.nodes.values()).find((node) => node !== service.probe)
    failed(REFUSED, NOW_MS + 19, other, NOW_MS + 30)
    expect([service.refusals, service.hold]).toEqual([3, hold])
    failed(REFUSED, NOW_MS + 20, other, NOW_MS + 40)
    expect(service.refusals).toBe(4)
    expect(service.hold?.sinceMs).toBe(NOW_MS + 40)
  })

  it('is held until the node that asks for all of them hears something else, and no other', () => {
    const { service, nodeAt, failed } = taking(4)
    for (const index of [0, 1, 2]) failed(REFUSED, NOW_MS, nodeAt(index))
    const { hold, probe } = service
    const other = Array.from(service.nodes.values()).find((node) => node !== probe)
    failed(UNKNOWN, NOW_MS + 100, other)
    failed(ERROR, NOW_MS + 100, other)
    expect(service.hold).toBe(hold)
    failed(ERROR, NOW_MS + 200, probe)
    expect(service.hold).toMatchObject({ reason: 'refused', failure: REFUSED, sinceMs: NOW_MS + 220 })
    failed(UNKNOWN, NOW_MS + 300, service.probe)
    expect(service.hold).toBeUndefined()
  })
})

describe('a limit', () => {
  it('holds the service from the third in a row, and twice as long from each that follows', () => {
    const { service, nodeAt, failed } = taking(4)
    failed(LIMITED, NOW_MS, nodeAt(0))
    failed(LIMITED, NOW_MS, nodeAt(1))
    expect(service.hold).toBeUndefined()
    failed(LIMITED, NOW_MS, nodeAt(2))
    expect(service.hold).toMatchObject({ reason: 'rate-limited', untilMs: NOW_MS + 7_500 })
    failed(LIMITED, NOW_MS + 20, nodeAt(3))
    expect(service.hold?.untilMs).toBe(NOW_MS + 20 + 22_500)
  })

  it('that was asked for before the hold began does not count', () => {
    const { service, nodeAt, failed } = taking(4)
    for (const index of [0, 1, 2]) failed(LIMITED, NOW_MS, nodeAt(index), NOW_MS + 20)
    expect([service.limitations, service.hold?.sinceMs]).toEqual([3, NOW_MS + 20])
    failed(LIMITED, NOW_MS + 19, nodeAt(3), NOW_MS + 20)
    expect(service.limitations).toBe(3)
    failed(LIMITED, NOW_MS + 20, nodeAt(3), NOW_MS + 40)
    expect(service.limitations).toBe(4)
  })

  it('takes no place of a key that is refused', () => {
    const { service, nodeAt, failed } = taking(4)
    for (const index of [0, 1, 2]) failed(REFUSED, NOW_MS, nodeAt(index))
    const other = Array.from(service.nodes.values()).find((node) => node !== service.probe)
    for (let count = 0; count < 4; count++) failed(LIMITED, NOW_MS + 100, other)
    expect(service.hold?.reason).toBe('refused')
  })
})
