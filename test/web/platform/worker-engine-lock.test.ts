import { describe, expect, it } from 'vitest'
import { lockOf } from '#platform/worker-engine-lock.ts'
import { createFakeClock, settle } from '#test/support/fake-clock.ts'
import { fakeLocks } from '#test/support/fake-locks.ts'

function setUp() {
  const clock = createFakeClock()
  const locks = fakeLocks()
  const start = (id: string, version = '1.0 of today') => {
    const events: string[] = []
    const lock = lockOf(locks.of(id), { clock, id, version })
    const acquiring = lock.acquire({
      granted: () => void events.push('granted'),
      waits: (holder) => void events.push(`waits for ${holder ?? 'one'}`),
      lost: () => void events.push('lost'),
    })
    return { events, ...lock, ...acquiring }
  }
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

  it('is taken from one that hangs, which is told when it wakes, and knows before that if it looks', async () => {
    const { start } = setUp()
    const first = start('a')
    await settle()
    const second = start('b')
    second.steal()
    await settle()
    expect([first.events, second.events]).toEqual([['granted', 'lost'], ['granted']])
    expect([await first.confirm(), await second.confirm()]).toEqual([false, true])
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
