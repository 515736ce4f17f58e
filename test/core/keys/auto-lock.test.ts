import { describe, expect, it } from 'vitest'
import { createAutoLock, LOCK_MINUTES_DEFAULT } from '#keys/auto-lock.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

const MINUTE_MS = 60_000

function start() {
  const clock = createFakeClock()
  const locked: number[] = []
  const startedMs = clock.monotonicMs()
  const lock = createAutoLock(clock, () => locked.push((clock.monotonicMs() - startedMs) / MINUTE_MS))
  return { clock, lock, locked }
}

describe('the auto-lock', () => {
  it('locks after 15 minutes without activity', async () => {
    const { clock, lock, locked } = start()
    expect(lock.minutes()).toBe(LOCK_MINUTES_DEFAULT)
    await clock.advance(15 * MINUTE_MS - 1)
    expect(locked).toEqual([])
    expect(lock.leftMs()).toBe(1)
    await clock.advance(1)
    expect(locked).toEqual([15])
    expect(lock.leftMs()).toBe(0)
    expect(clock.pendingMs()).toEqual([])
  })

  it('restarts the wait at each touch, even after it has locked', async () => {
    const { clock, lock, locked } = start()
    await clock.advance(14 * MINUTE_MS)
    lock.touch()
    expect(lock.leftMs()).toBe(15 * MINUTE_MS)
    await clock.advance(15 * MINUTE_MS)
    expect(locked).toEqual([29])
    lock.touch()
    await clock.advance(15 * MINUTE_MS)
    expect(locked.at(-1)).toBe(44)
  })

  it('locks on wake from a sleep longer than the wait, before a touch can extend it', () => {
    const { clock, lock, locked } = start()
    clock.sleep(20 * MINUTE_MS)
    lock.touch()
    expect(locked).toHaveLength(1)
    expect(lock.leftMs()).toBe(15 * MINUTE_MS)
  })

  it('locks at the first check after the wait ended during sleep', () => {
    const { clock, lock, locked } = start()
    clock.sleep(14 * MINUTE_MS)
    lock.check()
    expect(locked).toEqual([])
    clock.sleep(MINUTE_MS)
    lock.check()
    expect(locked).toHaveLength(1)
  })

  it('locks within a minute of waking without a check', async () => {
    const { clock, locked } = start()
    clock.sleep(3 * 60 * MINUTE_MS)
    await clock.advance(MINUTE_MS)
    expect(locked).toHaveLength(1)
  })

  it('is not delayed when the clock is set back', async () => {
    const { clock, locked } = start()
    await clock.advance(10 * MINUTE_MS)
    clock.stepWall(-60 * MINUTE_MS)
    await clock.advance(5 * MINUTE_MS)
    expect(locked).toHaveLength(1)
  })

  it('applies a new number of minutes from that moment, and never locks at 0', async () => {
    const { clock, lock, locked } = start()
    await clock.advance(14 * MINUTE_MS)
    await lock.choose(2)
    expect(lock.minutes()).toBe(2)
    await clock.advance(2 * MINUTE_MS)
    expect(locked).toEqual([16])
    await lock.choose(0)
    expect(lock.leftMs()).toBeUndefined()
    lock.check()
    await clock.advance(24 * 60 * MINUTE_MS)
    expect(locked).toEqual([16])
    expect(clock.pendingMs()).toEqual([])
  })
})
