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

describe('the engine lock', () => {
  it('runs one engine at a time, and tells the waiting one the version of the other', async () => {
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

  it('does not report a short wait', async () => {
    const { clock, start } = setUp()
    const first = start('a')
    const second = start('b')
    await clock.advance(400)
    first.end()
    await clock.advance(1_000)
    expect(second.events).toEqual(['granted'])
  })

  it('is not stolen by its holder, and reports nothing after the end', async () => {
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

/** A broadcast channel whose messages reach all other members one turn later, as in a browser. */
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

describe('the engine lock in a browser without locks', () => {
  it('goes to an engine that hears nothing for a second after asking', async () => {
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
    'stays with its holder whatever the ids (%s before %s), and passes on soon after its end',
    async (one, other) => {
      const { clock, start } = inPlainHttp()
      const first = start(one)
      await clock.advance(1_000)
      const second = start(other, '2.0')
      await clock.advance(60_000)
      expect(first.events).toEqual(['granted'])
      expect(new Set(second.events)).toEqual(new Set(['waits for 1.0 of today']))
      first.end()
      // This leaves time for the next question and a second without an answer.
      await clock.advance(4_000)
      expect([second.events.at(-1), await second.confirm()]).toEqual(['granted', true])
    },
  )

  it('goes to only one of many engines that start at once', async () => {
    const { clock, start } = inPlainHttp()
    const all = ['c', 'a', 'd', 'b'].map((id) => start(id))
    await clock.advance(10_000)
    expect(all.filter(({ events }) => events.includes('granted'))).toHaveLength(1)
    expect(all[1]?.events).toEqual(['granted'])
    expect(await Promise.all(all.map(({ confirm }) => confirm()))).toEqual([false, true, false, false])
  })

  it('is given up by one of two holders once they hear each other', async () => {
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

  it('ignores messages that no engine sent', async () => {
    const { clock, air, start } = inPlainHttp()
    const only = start('b')
    const stranger = air.channel()
    const send = stranger.postMessage.bind(stranger)
    for (const data of [null, 'here', 7, {}, { id: 1, kind: 'here' }, { kind: 'here' }]) send(data)
    await clock.advance(1_000)
    expect(only.events).toEqual(['granted'])
  })

  it('leaves no timer or channel after the end, and reports nothing', async () => {
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
