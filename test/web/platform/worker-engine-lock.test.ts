import { describe, expect, it } from 'vitest'
import { lockByPresence, lockOf, type EngineLock } from '#platform/worker-engine-lock.ts'
import { createFakeClock, settle } from '#test/support/fake-clock.ts'
import { fakeLocks } from '#test/support/fake-locks.ts'

const starter =
  (lockFor: (id: string, version: string) => EngineLock) =>
  (id: string, version = '1.0 of today') => {
    const events: string[] = []
    const lock = lockFor(id, version)
    const acquiring = lock.acquire({
      granted: () => void events.push('granted'),
      waits: (holder) => void events.push(`waits for ${holder ?? 'one'}`),
      lost: () => void events.push('lost'),
    })
    return { events, ...lock, ...acquiring }
  }

function setUp() {
  const clock = createFakeClock()
  const locks = fakeLocks()
  const start = starter((id, version) => lockOf(locks.of(id), { clock, id, version }))
  return { clock, locks, start }
}

describe('the lock of engines', () => {
  it('lets one run; the other says which version it waits for, and runs when that one is gone', async () => {
    const { clock, locks, start } = setUp()
    const first = start('a')
    const second = start('b', '2.0')
    await settle()
    await clock.advance(500)
    expect([first.events, second.events]).toEqual([['granted'], ['waits for 1.0 of today']])
    expect([await first.confirm(), await second.confirm()]).toEqual([true, false])
    locks.end('a')
    await settle()
    expect(second.events.at(-1)).toBe('granted')
    expect(await second.confirm()).toBe(true)
    expect(clock.pendingMs()).toEqual([])
  })

  it('says nothing of a wait that was short', async () => {
    const { clock, start } = setUp()
    const first = start('a')
    const second = start('b')
    await clock.advance(400)
    first.end()
    await clock.advance(1_000)
    expect(second.events).toEqual(['granted'])
  })

  it('is not stolen by one that has it, and nothing is heard after the end', async () => {
    const { clock, start } = setUp()
    const first = start('a')
    await settle()
    first.steal()
    await settle()
    expect(first.events).toEqual(['granted'])
    const second = start('b')
    second.end()
    const third = start('c')
    first.end()
    await settle(4)
    await clock.advance(1_000)
    expect([second.events, third.events]).toEqual([[], ['granted']])
    third.end()
    await settle()
    expect(third.events).toEqual(['granted'])
  })
})

/** A channel that all who opened it hear, but not of themselves; messages arrive one turn later, as a browser's do. */
function createAir() {
  const open = new Set<EventTarget>()
  const deafTo = new Set<EventTarget>()
  const channel = () => {
    const events = new EventTarget()
    open.add(events)
    return {
      postMessage: (data: unknown) => {
        for (const other of open)
          if (other !== events && !deafTo.has(other) && !deafTo.has(events))
            queueMicrotask(() => {
              if (open.has(other)) other.dispatchEvent(new MessageEvent('message', { data }))
            })
      },
      addEventListener: events.addEventListener.bind(events),
      close: () => void open.delete(events),
    }
  }
  return {
    channel,
    count: () => open.size,
    silence: () => open.forEach((each) => deafTo.add(each)),
    clear: () => deafTo.clear(),
  }
}

function inPlainHttp() {
  const clock = createFakeClock()
  const air = createAir()
  const start = starter((id, version) => lockByPresence(air.channel, { clock, id, version }))
  return { clock, air, start }
}

describe('the lock of engines where the browser has no locks', () => {
  it('is given to one that asked and heard nothing for a second', async () => {
    const { clock, start } = inPlainHttp()
    const only = start('a')
    await clock.advance(999)
    expect([only.events, await only.confirm()]).toEqual([[], false])
    await clock.advance(1)
    expect([only.events, await only.confirm()]).toEqual([['granted'], true])
  })

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])(
    'is kept by who has it, whatever the names (%s before %s); the other has it soon after that is gone',
    async (one, other) => {
      const { clock, start } = inPlainHttp()
      const first = start(one)
      await clock.advance(1_000)
      const second = start(other, '2.0')
      await clock.advance(60_000)
      expect(first.events).toEqual(['granted'])
      expect(new Set(second.events)).toEqual(new Set(['waits for 1.0 of today']))
      first.end()
      // The next question, and a second without an answer.
      await clock.advance(4_000)
      expect([second.events.at(-1), await second.confirm()]).toEqual(['granted', true])
    },
  )

  it('is given to one alone of many that start in the same moment', async () => {
    const { clock, start } = inPlainHttp()
    const all = ['c', 'a', 'd', 'b'].map((id) => start(id))
    await clock.advance(10_000)
    expect(all.filter(({ events }) => events.includes('granted'))).toHaveLength(1)
    expect(all[1]?.events).toEqual(['granted'])
    expect(await Promise.all(all.map(({ confirm }) => confirm()))).toEqual([false, true, false, false])
  })

  it('is given up by one of two that did not hear each other, once they do', async () => {
    const { clock, air, start } = inPlainHttp()
    const first = start('b')
    await clock.advance(1_000)
    const second = start('a')
    air.silence()
    await clock.advance(5_000)
    air.clear()
    await clock.advance(3_000)
    const [one, other] = [first, second].map(({ events }) =>
      events.filter((event) => !event.startsWith('waits')),
    )
    expect([one, other]).toEqual([['granted', 'lost'], ['granted']])
    expect([await first.confirm(), await second.confirm()]).toEqual([false, true])
    expect(air.count()).toBe(1)
  })

  it('minds no message that is none of an engine’s', async () => {
    const { clock, air, start } = inPlainHttp()
    const only = start('b')
    const stranger = air.channel()
    const send = stranger.postMessage.bind(stranger)
    for (const data of [null, 'here', 7, {}, { id: 1, kind: 'here' }, { kind: 'here' }]) send(data)
    await clock.advance(1_000)
    expect(only.events).toEqual(['granted'])
  })

  it('leaves no timer and no channel after the end, and calls nobody', async () => {
    const { clock, air, start } = inPlainHttp()
    const first = start('a')
    await clock.advance(1_000)
    const second = start('b')
    await clock.advance(1_000)
    second.end()
    first.end()
    const heard = [...second.events]
    await clock.advance(60_000)
    expect([clock.pendingMs(), air.count(), second.events]).toEqual([[], 0, heard])
  })
})
