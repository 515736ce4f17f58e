import { describe, expect, it } from 'vitest'
import { TEST_START_MS, createFakeClock } from './fake-clock.ts'

describe('the fake clock', () => {
  it('fires timers in order of their moments, each at its own', async () => {
    const clock = createFakeClock()
    const seen: string[] = []
    const note = (name: string) => () => seen.push(`${name} ${clock.wallMs() - TEST_START_MS}`)
    clock.after(300, note('c'))
    clock.after(100, note('a'))
    clock.after(100, note('b'))
    clock.after(301, note('d'))
    await clock.advance(300)
    expect(seen).toEqual(['a 100', 'b 100', 'c 300'])
    expect(clock.wallMs() - TEST_START_MS).toBe(300)
    expect(clock.pendingMs()).toEqual([1])
  })

  it('fires timers that were set by timers, within the same advance', async () => {
    const clock = createFakeClock()
    const seen: number[] = []
    const tick = (): void => {
      seen.push(clock.wallMs() - TEST_START_MS)
      clock.after(10, tick)
    }
    clock.after(10, tick)
    await clock.advance(35)
    expect(seen).toEqual([10, 20, 30])
  })

  it('lets promises settle between timers', async () => {
    const clock = createFakeClock()
    const seen: string[] = []
    clock.after(10, () => void Promise.resolve().then(() => clock.after(5, () => seen.push('inner'))))
    clock.after(20, () => seen.push('outer'))
    await clock.advance(20)
    expect(seen).toEqual(['inner', 'outer'])
  })

  it('forgets a cancelled timer', async () => {
    const clock = createFakeClock()
    const cancel = clock.after(10, () => expect.unreachable())
    cancel()
    await clock.advance(20)
    expect(clock.pendingMs()).toEqual([])
  })

  it('steps the wall clock alone, without firing anything', () => {
    const clock = createFakeClock()
    clock.after(10, () => expect.unreachable())
    clock.stepWall(-5_000)
    expect(clock.wallMs()).toBe(TEST_START_MS - 5_000)
    expect(clock.monotonicMs()).toBe(5_000)
  })

  it('sleeps with the monotonic clock standing still or running on', () => {
    const clock = createFakeClock()
    clock.sleep(1_000)
    expect([clock.wallMs() - TEST_START_MS, clock.monotonicMs()]).toEqual([1_000, 5_000])
    clock.sleep(1_000, 'runs')
    expect([clock.wallMs() - TEST_START_MS, clock.monotonicMs()]).toEqual([2_000, 6_000])
  })

  it('fires a timer late that fell due in a sleep, and does not turn back for it', async () => {
    const clock = createFakeClock()
    let firedMs = 0
    clock.after(100, () => {
      firedMs = clock.monotonicMs()
    })
    clock.sleep(10_000, 'runs')
    await clock.advance(0)
    expect(firedMs).toBe(15_000)
  })
})
