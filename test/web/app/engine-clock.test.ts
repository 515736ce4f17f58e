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

describe('the engine’s clock, as the page knows it', () => {
  it('is 0 until an engine was heard, and goes with the page’s clock from then on', () => {
    const { clock, pass } = setUp()
    expect(clock.nowMs()).toBe(0)
    clock.heard(50_000)
    expect(clock.nowMs()).toBe(50_000)
    pass(700)
    expect(clock.nowMs()).toBe(50_700)
  })

  it('believes the update that was quickest here, so that ages err towards older', () => {
    const { clock, pass } = setUp()
    clock.heard(50_000)
    pass(1_000)
    clock.heard(50_600) // 400 ms longer under way
    expect(clock.nowMs()).toBe(51_000)
    pass(1_000)
    clock.heard(52_300) // 300 ms quicker than the first
    expect(clock.nowMs()).toBe(52_300)
  })

  it('forgets an engine that was ended: the next one’s clock begins anew', () => {
    const { clock } = setUp()
    clock.heard(50_000)
    clock.reset()
    expect(clock.nowMs()).toBe(0)
    clock.heard(20)
    expect(clock.nowMs()).toBe(20)
  })
})
