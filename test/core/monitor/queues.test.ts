import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDueQueue } from '#monitor/due-queue.ts'
import { createLimiter, type QueueKey, type Ticket } from '#monitor/limiter.ts'
import { nextSlotMs, phaseOf } from '#monitor/when.ts'
import { MONITOR_PARTS } from '#test/support/engine-parts.ts'

const { inFlightMax } = MONITOR_PARTS

it('the due queue always has the soonest item in front, in any sequence of changes', () => {
  const steps = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 12 }), fc.option(fc.integer({ min: 0, max: 50 }))),
    { maxLength: 200, size: 'max' },
  )
  fc.assert(
    fc.property(steps, (given) => {
      const queue = createDueQueue<number>()
      const model = new Map<number, number>()
      for (const [item, dueMs] of given) {
        if (dueMs === null) {
          queue.delete(item)
          model.delete(item)
        } else {
          queue.set(item, dueMs)
          model.set(item, dueMs)
        }
        const soonest = queue.soonest()
        expect(soonest?.dueMs).toBe(model.size === 0 ? undefined : Math.min(...model.values()))
        if (soonest !== undefined) expect(model.get(soonest.item)).toBe(soonest.dueMs)
      }
    }),
  )
})

describe('the limiter', () => {
  const inQueue = (service: string, suspect = false, host = 'h:1') => ({ host, service, suspect })
  const takeAll = <T>(limiter: ReturnType<typeof createLimiter<T>>): Ticket<T>[] => {
    const tickets: Ticket<T>[] = []
    for (let some = limiter.take(0); some.length > 0; some = limiter.take(0)) tickets.push(...some)
    return tickets
  }

  it('starts no two requests of a service closer than its pace allows, even after a pause', () => {
    const limiter = createLimiter<number>(inFlightMax)
    for (let item = 0; item < 4; item++) limiter.enqueue(item, { ...inQueue('a'), apartMs: 200 }, 0)
    const starts: number[] = []
    for (let nowMs = 60_000; nowMs < 61_000; nowMs++)
      starts.push(...limiter.take(nowMs).map(() => nowMs - 60_000))
    // A late timer may catch up by 50 ms.
    expect(starts).toEqual([0, 150, 350, 550])
  })

  it('keeps the order of arrival when items leave or come again', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9 })), { maxLength: 200 })
    fc.assert(
      fc.property(steps, (given) => {
        const limiter = createLimiter<number>(inFlightMax)
        let model: number[] = []
        for (const [enters, item] of given) {
          if (enters) limiter.enqueue(item, inQueue('a'), 0)
          else limiter.remove(item)
          model = [...model.filter((one) => one !== item), ...(enters ? [item] : [])]
        }
        const order: number[] = []
        for (let [ticket] = limiter.take(0); ticket !== undefined; [ticket] = limiter.take(0)) {
          order.push(ticket.item)
          ticket.release()
        }
        expect(order).toEqual(model)
      }),
    )
  })

  it('starts 4 requests at a host, and one more per released ticket', () => {
    const limiter = createLimiter<number>(inFlightMax)
    for (let item = 0; item < 10; item++) limiter.enqueue(item, inQueue('a'), item)
    const tickets = takeAll(limiter)
    expect(tickets.map(({ item }) => item)).toEqual([0, 1, 2, 3])
    tickets[1]?.release()
    tickets[1]?.release()
    expect(takeAll(limiter).map(({ item }) => item)).toEqual([4])
    expect(limiter.oldestSlotMs()).toBe(5)
  })

  it('lets requests that are sent as one share a slot until the last of them ends, up to 32 in flight', () => {
    const limiter = createLimiter<string>(inFlightMax)
    const batched = { ...inQueue('a'), batched: true }
    for (let item = 0; item < 50; item++) {
      limiter.enqueue(`hung ${item}`, { ...batched, suspect: true }, item)
      limiter.enqueue(`well ${item}`, batched, item)
    }
    const kindsOf = (tickets: readonly Ticket<string>[]) =>
      new Set(tickets.map(({ item }) => item.slice(0, 4)))
    const [one, ...others] = [limiter.take(0), limiter.take(0), limiter.take(0), limiter.take(0)]
    expect([one, ...others].map((tickets) => [tickets.length, ...kindsOf(tickets)])).toEqual([
      [8, 'hung'],
      [8, 'well'],
      [8, 'hung'],
      [8, 'well'],
    ])
    for (const { release } of one.slice(1)) release()
    one[1]?.release()
    expect(limiter.take(0)).toEqual([])
    one[0]?.release()
    expect(limiter.take(0)).toHaveLength(8)
  })

  it('gives each request its own slot if a pace is set, or if the host has as many slots as requests', () => {
    const limiter = createLimiter<number>((host) => (host === 'wide:1' ? 32 : 4))
    limiter.enqueue(0, { ...inQueue('a', false, 'wide:1'), batched: true }, 0)
    limiter.enqueue(1, { ...inQueue('a', false, 'wide:1'), batched: true }, 0)
    expect(limiter.take(0)).toHaveLength(1)
    for (let item = 2; item < 4; item++)
      limiter.enqueue(item, { ...inQueue('b'), batched: true, apartMs: 100 }, 0)
    expect(takeAll(limiter).map(({ item }) => item)).toEqual([1, 2])
  })

  it('starts as many requests as each host allows, at most half of them for nodes that hung', () => {
    const limiter = createLimiter<string>((host) => (host === 'wide:1' ? 16 : 4))
    for (let item = 0; item < 40; item++) {
      limiter.enqueue(`hung ${item}`, inQueue('a', true, 'wide:1'), item)
      limiter.enqueue(`well ${item}`, inQueue('a', false, 'wide:1'), item)
      limiter.enqueue(`other ${item}`, inQueue('b', false, 'h:1'), item)
    }
    const started = takeAll(limiter).map(({ item }) => item)
    const of = (kind: string) => started.filter((item) => item.startsWith(kind)).length
    expect({ hung: of('hung'), well: of('well'), other: of('other') }).toEqual({ hung: 8, well: 8, other: 4 })
  })

  it('starts nodes in view first, in their order, but within their own queue', () => {
    const limiter = createLimiter<number>(inFlightMax)
    for (let item = 0; item < 5; item++) limiter.enqueue(item, inQueue('a'), item)
    limiter.enqueue(7, { ...inQueue('a'), urgent: true }, 5)
    limiter.enqueue(3, { ...inQueue('a'), urgent: true }, 5)
    limiter.enqueue(9, { ...inQueue('a', true), urgent: true }, 5)
    expect(takeAll(limiter).map(({ item }) => item)).toEqual([7, 3, 0, 1])
    limiter.remove(9)
    expect([7, 3, 9, 2, 4].map(limiter.has)).toEqual([false, false, false, true, true])
  })

  it('alternates between the services on one host, within the share of each', () => {
    const limiter = createLimiter<string>(inFlightMax)
    limiter.setHosts(new Map([['h:1', 2]]))
    for (let index = 0; index < 5; index++) limiter.enqueue(`a${index}`, inQueue('a'), index)
    for (let index = 0; index < 5; index++) limiter.enqueue(`b${index}`, inQueue('b'), index)
    const tickets = takeAll(limiter)
    expect(tickets.map(({ item }) => item)).toEqual(['a0', 'b0', 'a1', 'b1'])
    tickets[0]?.release()
    expect(takeAll(limiter).map(({ item }) => item)).toEqual(['a2'])
  })

  it('keeps polling a service on a shared host while one of its nodes hangs', () => {
    const limiter = createLimiter<string>(inFlightMax)
    limiter.setHosts(new Map([['h:1', 3]]))
    limiter.enqueue('hung', inQueue('a', true), 0)
    for (const name of ['a0', 'a1', 'a2']) limiter.enqueue(name, inQueue('a'), 0)
    expect(takeAll(limiter).map(({ item }) => item)).toEqual(['hung', 'a0', 'a1'])
    limiter.enqueue('b0', inQueue('b'), 0)
    expect(takeAll(limiter).map(({ item }) => item)).toEqual(['b0'])
  })

  it('reserves the last request for a service with none in flight', () => {
    const limiter = createLimiter<string>(inFlightMax)
    limiter.setHosts(new Map([['h:1', 3]]))
    for (const service of ['a', 'b'])
      for (const place of [0, 1, 2]) limiter.enqueue(`${service}${place}`, inQueue(service), 0)
    expect(takeAll(limiter).map(({ item }) => item)).toEqual(['a0', 'b0', 'a1'])
    limiter.enqueue('c0', inQueue('c'), 0)
    expect(takeAll(limiter).map(({ item }) => item)).toEqual(['c0'])
  })

  it('gives each of many services one request, but never more than 4 in all', () => {
    const limiter = createLimiter<string>(inFlightMax)
    limiter.setHosts(new Map([['h:1', 9]]))
    for (let index = 0; index < 9; index++)
      for (const one of ['x', 'y']) limiter.enqueue(`${index}${one}`, inQueue(`s${index}`), 0)
    expect(takeAll(limiter).map(({ item }) => item)).toEqual(['0x', '1x', '2x', '3x'])
  })
})

describe('hung nodes of one of two services on a host', () => {
  const suspect = (service: string): QueueKey => ({ host: 'a.example', service, suspect: true })

  it('share one request in every round', () => {
    const limiter = createLimiter<string>(inFlightMax)
    limiter.setHosts(new Map([['a.example', 2]]))
    for (let round = 0; round < 5; round++) {
      limiter.enqueue('one', suspect('a'), 0)
      limiter.enqueue('two', suspect('a'), 0)
      limiter.enqueue('three', suspect('b'), 0)
      const [first] = limiter.take(0)
      const [third] = limiter.take(0)
      expect(new Set([first?.item, third?.item])).toEqual(new Set(['one', 'three']))
      expect(limiter.take(0)).toEqual([])
      first?.release()
      third?.release()
      const [second] = limiter.take(0)
      expect(second?.item).toBe('two')
      second?.release()
    }
  })
})

describe('the grid', () => {
  it('has its next slot at or after a time, within one interval', () => {
    const ms = fc.integer({ min: 0, max: 10_000_000_000 })
    fc.assert(
      fc.property(
        fc.nat(20_000),
        fc.integer({ min: 1_000, max: 86_400_000 }),
        ms,
        (index, intervalMs, atMs) => {
          const phase = phaseOf(index)
          const slotMs = nextSlotMs(phase, intervalMs, atMs)
          expect(slotMs).toBeGreaterThanOrEqual(atMs - 0.01)
          expect(slotMs).toBeLessThan(atMs + intervalMs + 0.01)
          const rounds = (slotMs - phase * intervalMs) / intervalMs
          expect(Math.abs(rounds - Math.round(rounds))).toBeLessThan(1e-6)
        },
      ),
    )
  })

  it.each([1, 10, 100, 1_000, 20_000])(
    'spreads %d nodes with gaps of at most 2.7 times the mean',
    (count) => {
      const phases = Array.from({ length: count }, (_, index) => phaseOf(index)).toSorted((a, b) => a - b)
      const widest = Math.max(
        ...phases.map((phase, place) => (phases[place + 1] ?? 1 + (phases[0] ?? 0)) - phase),
      )
      expect(widest).toBeLessThanOrEqual(2.7 / count)
    },
  )
})
