import { describe, expect, it } from 'vitest'
import { createSchedule } from '#monitor/schedule.ts'
import type { TrackedNode, TrackedService } from '#monitor/tracked.ts'

const INTERVAL_MS = 10_000

/** A service of so many nodes, whose phases are spread over the first half of the interval, and its schedule. */
function scheduled(count = 4, given: Partial<TrackedService> = {}, pace?: number) {
  const shown: (readonly [node: string, nextPollMs: number | undefined])[] = []
  const schedule = createSchedule({
    setLive: (node, live) => {
      node.live = live
      shown.push([node.key, live.nextPollMs])
    },
  })
  const all = new Map<string, TrackedNode>()
  const service = {
    id: 'a',
    host: 'a:443',
    service: { pollIntervalMs: INTERVAL_MS, pace },
    nodes: all,
    ...given,
  } as unknown as TrackedService
  const nodes = Array.from(
    { length: count },
    (_, index) =>
      ({
        key: `n${index}`,
        service,
        phase: index / (2 * count),
        live: { nextPollMs: undefined },
        notBeforeMs: 0,
        suspect: false,
        urgent: false,
        flight: undefined,
      }) as unknown as TrackedNode,
  )
  for (const node of nodes) all.set(node.key, node)
  const nextOf = () => nodes.map(({ live }) => live.nextPollMs)
  const started = (nowMs: number) => {
    schedule.queueDue(nowMs)
    const keys: string[] = []
    for (let ticket = schedule.take(nowMs); ticket !== undefined; ticket = schedule.take(nowMs)) {
      keys.push(ticket.item.key)
      ticket.release()
    }
    return keys
  }
  const [first, second] = nodes
  if (first === undefined || second === undefined) throw new Error('too few nodes')
  return { ...schedule, service, nodes, first, second, shown, nextOf, started }
}

const refusedUntil = (untilMs: number) =>
  ({ hold: { reason: 'refused', untilMs } }) as unknown as Partial<TrackedService>
const limitedUntil = (untilMs: number) =>
  ({ hold: { reason: 'rate-limited', untilMs } }) as unknown as Partial<TrackedService>

describe('a node that is planned', () => {
  it('is asked at the first slot of its grid from then on, and that is shown once', () => {
    const { plan, planAll, service, first, nextOf, shown, started, soonestMs } = scheduled()
    planAll(service, 20_001)
    expect(nextOf()).toEqual([30_000, 21_250, 22_500, 23_750])
    plan(first, 20_001)
    expect(shown).toHaveLength(4)
    expect(soonestMs(0)).toBe(21_250)
    expect(started(21_249)).toEqual([])
    expect(started(22_500)).toEqual(['n1', 'n2'])
    expect(soonestMs(22_500)).toBe(23_750)
    plan(first, 20_000)
    expect(nextOf()[0]).toBe(20_000)
  })

  it('is asked not before what was named for it, or for all of its service', () => {
    const { plan, first, second, nextOf } = scheduled()
    first.notBeforeMs = 40_001
    plan(first, 20_000)
    plan(second, 20_000)
    expect(nextOf().slice(0, 2)).toEqual([50_000, 21_250])
    const limited = scheduled(4, limitedUntil(60_000))
    limited.plan(limited.second, 20_000)
    expect(limited.nextOf()[1]).toBe(61_250)
  })

  it('is not asked at all while nothing can be asked', () => {
    const { plan, first, nextOf, soonestMs, service } = scheduled()
    plan(first, 20_000)
    service.waiting = { kind: 'no-key' }
    plan(first, 20_000)
    expect([nextOf()[0], soonestMs(0)]).toEqual([undefined, undefined])
  })

  it('waits for the one that asks for all while the key is refused', () => {
    const { planAll, service, first, nextOf, soonestMs, plan } = scheduled(4, refusedUntil(33_333))
    service.probe = first
    planAll(service, 20_000)
    expect(nextOf()).toEqual([33_333, 33_333, 33_333, 33_333])
    expect(soonestMs(0)).toBe(33_333)
    // Its time is over: at its next slot.
    plan(first, 33_333)
    expect(nextOf()[0]).toBe(40_000)
    expect(soonestMs(0)).toBe(40_000)
  })

  it('is left as it is while it is being asked', () => {
    const { planAll, planOutOfTurn, service, first, nodes, nextOf } = scheduled()
    first.flight = {} as never
    planAll(service, 20_000)
    planOutOfTurn(nodes, 5)
    expect(nextOf()[0]).toBeUndefined()
  })

  it('is no longer queued once it is planned anew, at any moment or not at all', () => {
    const { plan, planAt, unplan, first, second, isQueued, queueDue, take, nextOf } = scheduled()
    for (const node of [first, second]) planAt(node, 7)
    expect(nextOf().slice(0, 2)).toEqual([7, 7])
    queueDue(6)
    expect([isQueued(first), isQueued(second)]).toEqual([false, false])
    queueDue(7)
    expect([isQueued(first), isQueued(second)]).toEqual([true, true])
    plan(first, 20_000)
    unplan(second, 99)
    expect([isQueued(first), isQueued(second), nextOf()[1]]).toEqual([false, false, 99])
    expect(take(7)).toBeUndefined()
  })
})

describe('nodes that are asked out of turn', () => {
  it('follow each other closely, in the order of their slots', () => {
    const { planOutOfTurn, nodes, nextOf } = scheduled()
    // The slot of the first is the last from then on.
    planOutOfTurn(nodes.toReversed(), 20_001)
    expect(nextOf()).toEqual([20_301, 20_001, 20_101, 20_201])
  })

  it('are never quicker than the rounds of all that are watched', () => {
    const { planOutOfTurn, nodes, nextOf } = scheduled(400)
    planOutOfTurn(nodes.slice(1, 4), 20_000)
    expect(nextOf().slice(1, 4)).toEqual([20_000, 20_025, 20_050])
  })

  it('are none of a service that can’t be asked', () => {
    const { planOutOfTurn, nodes, nextOf } = scheduled(2, { waiting: { kind: 'no-key' } })
    planOutOfTurn(nodes, 20_000)
    expect(nextOf()).toEqual([undefined, undefined])
  })
})

describe('what is due', () => {
  it('starts as its service’s pace allows, and is told when', () => {
    const { planAt, nodes, first, started, soonestMs } = scheduled(4, {}, 2)
    for (const [place, node] of nodes.slice(0, 3).entries()) planAt(node, 100 + place)
    expect(started(1_000)).toEqual(['n0'])
    // Late by more than is made up for.
    expect(soonestMs(1_000)).toBe(1_450)
    planAt(first, 1_200)
    expect(soonestMs(1_000)).toBe(1_200)
    expect(started(1_450)).toEqual(['n1'])
  })

  it('is nothing where nothing is planned', () => {
    expect(scheduled().soonestMs(0)).toBeUndefined()
  })

  it('starts first where somebody looks at it', () => {
    const { planAt, nodes, second, started } = scheduled()
    for (const node of nodes) planAt(node, 100)
    second.urgent = true
    expect(started(100)[0]).toBe('n1')
  })
})
