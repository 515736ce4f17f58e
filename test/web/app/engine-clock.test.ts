import { describe, expect, it } from 'vitest'
import { createEngineClock } from '#app/engine-clock.ts'

function setUp() {
  let pageMs = 1_000
  const clock = createEngineClock({ nowMs: () => pageMs })
  return {
    clock,
    pass: (ms: number) => {
      pageMs += ms
    },
  }
}

describe('the page’s copy of the engine clock', () => {
  it('reads 0 until the first update, then advances with the page’s clock', () => {
    const { clock, pass } = setUp()
    expect(clock.nowMs()).toBe(0)
    clock.heard(50_000)
    expect(clock.nowMs()).toBe(50_000)
    pass(700)
    expect(clock.nowMs()).toBe(50_700)
  })

  it('follows the update with the shortest delay, so that ages err on the high side', () => {
    const { clock, pass } = setUp()
    clock.heard(50_000)
    pass(1_000)
    clock.heard(50_600) // 400 ms more delay
    expect(clock.nowMs()).toBe(51_000)
    pass(1_000)
    clock.heard(52_300) // 300 ms less delay than the first
    expect(clock.nowMs()).toBe(52_300)
  })

  it('starts over with the next engine after a reset', () => {
    const { clock } = setUp()
    clock.heard(50_000)
    clock.reset()
    expect(clock.nowMs()).toBe(0)
    clock.heard(20)
    expect(clock.nowMs()).toBe(20)
  })
})
