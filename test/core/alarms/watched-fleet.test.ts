import { describe, expect, it } from 'vitest'
import { createWatchedFleet } from '#alarms/watched-fleet.ts'
import { nodeKeyFromText, type NodeLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { serviceIdOf } from '#record/service.ts'
import { episode, fleet, live, node, reading, timeout } from '#test/core/monitor/fleet.ts'
import { keyOf } from '#test/core/monitor/watch.ts'
import { fleetWorld } from './fleet-world.ts'
import { nodeSubject, SERVICE } from './one-alarm.ts'

const ELSEWHERE = serviceIdOf('https://elsewhere.example')
const NO_KEY = episode({ kind: 'no-key' })
const unasked = (index: number, given: Partial<NodeLive> = {}): NodeLive =>
  node(index, { reading: undefined, ...given })

describe('a screen', () => {
  it.each<[string, Partial<NodeLive>, had: boolean, awaits: boolean]>([
    ['is not asked yet', {}, false, false],
    ['can not be asked for want of a key', { episode: NO_KEY }, false, true],
    ['answered', { answered: 1 }, true, false],
    ['failed to answer', { failed: 1 }, true, false],
    ['answered before the key was lost', { answered: 1, episode: NO_KEY }, true, false],
    ['answered as often as it failed before that', { answered: 1, failed: 1, episode: NO_KEY }, true, false],
    ['answered in an earlier session', { reading: reading(), episode: NO_KEY }, true, false],
    ['is not reached', { episode: episode(timeout) }, true, false],
  ])('whose node %s: had a key %s, awaits its first %s', (_, given, had, awaits) => {
    const watched = createWatchedFleet()
    expect([watched.noteKey(fleet([unasked(0, given)]), 0), watched.hadKey(), watched.awaitsKey()]).toEqual([
      had,
      had,
      awaits,
    ])
  })

  it('awaits its first key as soon as one of its nodes is in want of it', () => {
    const watched = createWatchedFleet()
    watched.noteKey(fleet([unasked(0), unasked(1, { episode: NO_KEY }), unasked(2)]), 0)
    expect(watched.awaitsKey()).toBe(true)
  })

  it('that had a key has had one, whatever comes, and says so once', () => {
    const watched = createWatchedFleet()
    const lost = fleet([unasked(0, { episode: NO_KEY })])
    expect([
      watched.noteKey(fleet([unasked(0, { answered: 1 })]), 0),
      watched.noteKey(lost, 1_000),
      watched.hadKey(),
      watched.awaitsKey(),
    ]).toEqual([true, false, true, false])
  })
})

describe('silence', () => {
  it('is counted from when polling begins, where the first key was awaited', () => {
    const watched = createWatchedFleet()
    const waiting = fleet([unasked(0, { episode: NO_KEY })])
    watched.noteKey(waiting, 0)
    watched.polled(waiting, undefined, 0)
    const begun = fleet([unasked(0, { failed: 1, episode: episode(timeout) })])
    watched.noteKey(begun, 600_000)
    expect(watched.lastAnswers.get(keyOf(0))).toEqual({ awakeMs: undefined, sinceMs: 600_000 })
  })

  it('of nodes that are never asked is blindness too', () => {
    const world = fleetWorld(2)
    world.pass(600_000)
    expect(world.instances()).toMatchObject([
      { kind: 'blind', phase: 'firing', severity: 'critical', value: { unit: 'nodes', value: 2 } },
    ])
  })
})

describe('a node', () => {
  const answered = (made: number) => fleet([node(0, { answered: made })])

  it('is evaluated after each poll, and anew where it was away meanwhile', () => {
    const watched = createWatchedFleet()
    const keys = (now: FleetSnapshot, before: FleetSnapshot | undefined) =>
      watched.polled(now, before, 0).map(({ node: { key } }) => key)
    const first = answered(3)
    expect(keys(first, undefined)).toEqual([keyOf(0)])
    expect(keys(answered(3), first)).toEqual([])
    expect(keys(answered(4), first)).toEqual([keyOf(0)])
    expect(Array.from(watched.leave(fleet([])))).toEqual([keyOf(0)])
    expect(watched.lastAnswers.size).toBe(0)
    expect(keys(answered(4), fleet([]))).toEqual([keyOf(0)])
  })

  it('is told with its polls where they are known', () => {
    const watched = createWatchedFleet()
    watched.polled(answered(3), undefined, 0)
    expect(watched.pollsOf([keyOf(0), keyOf(1), keyOf(0)])).toEqual([[keyOf(0), 3]])
  })
})

it('what was watched in this session are its nodes and its services', () => {
  const watched = createWatchedFleet()
  const now = fleet([node(0, { answered: 1 })], [live()])
  const was = () =>
    [
      nodeSubject(0),
      nodeSubject(1),
      { kind: 'service', serviceId: SERVICE } as const,
      { kind: 'key', serviceId: SERVICE } as const,
      { kind: 'service', serviceId: ELSEWHERE } as const,
      { kind: 'node', node: nodeKeyFromText('other!0x01'), serviceId: SERVICE } as const,
      { kind: 'screen' } as const,
    ].map((subject) => watched.wasWatched(subject))
  expect(was()).toEqual([false, false, false, false, false, false, false])
  watched.polled(now, undefined, 0)
  watched.leave(now)
  expect(was()).toEqual([true, false, true, true, false, false, false])
})
