import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CLOCK_STEP_MS, createSteadyClock } from '#base/steady.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

const NO_STEPS = { forwardMs: 0, backwardMs: 0 }
const started = () => {
  const clock = createFakeClock()
  return { clock, steady: createSteadyClock(clock) }
}

describe('the steady clock', () => {
  it.each(['stops', 'runs'] as const)('counts a sleep in which the monotonic clock %s once', (monotonic) => {
    const { clock, steady } = started()
    clock.advanceSync(1_000)
    clock.sleep(3_600_000, monotonic)
    expect(steady.nowMs()).toBe(3_601_000)
    clock.advanceSync(1_000)
    expect(steady.nowMs()).toBe(3_602_000)
  })

  it('does not go back when the wall clock is set back, and advances at once', () => {
    const { clock, steady } = started()
    clock.advanceSync(10_000)
    expect(steady.nowMs()).toBe(10_000)
    clock.stepWall(-3_600_000)
    expect(steady.nowMs()).toBe(10_000)
    clock.advanceSync(250)
    expect(steady.nowMs()).toBe(10_250)
  })

  it('follows the wall clock when it is set ahead, so that ages err on the high side', () => {
    const { clock, steady } = started()
    clock.stepWall(60_000)
    expect(steady.nowMs()).toBe(60_000)
  })

  it('accumulates no rounding error in a week of readings of a coarse wall clock', () => {
    let trueMs = 0
    const steady = createSteadyClock({ wallMs: () => Math.floor(trueMs), monotonicMs: () => trueMs })
    const weekMs = 7 * 86_400_000
    for (; trueMs < weekMs; trueMs += 9_999.7) steady.nowMs()
    expect(Math.abs(steady.nowMs() - trueMs)).toBeLessThan(1)
    expect(steady.takeSteps()).toEqual(NO_STEPS)
  })

  it('continues from its last value after steps forward and back', () => {
    const { clock, steady } = started()
    clock.advanceSync(1_000)
    clock.stepWall(10_000)
    expect(steady.nowMs()).toBe(11_000)
    clock.stepWall(-10_000)
    expect(steady.nowMs()).toBe(11_000)
    clock.advanceSync(500)
    expect(steady.nowMs()).toBe(11_500)
    expect(steady.takeSteps()).toEqual({ forwardMs: 10_000, backwardMs: 10_000 })
  })

  it('never goes back, nor lags the wall clock or, by more than 5 s, the monotonic clock', () => {
    const event = fc.tuple(
      fc.constantFrom('advance', 'step', 'sleep'),
      fc.integer({ min: -1_000_000, max: 1_000_000 }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { clock, steady } = started()
        const startMs = clock.wallMs()
        let lastMs = steady.nowMs()
        for (const [kind, byMs] of events) {
          if (kind === 'advance') clock.advanceSync(Math.abs(byMs))
          else if (kind === 'sleep') clock.sleep(Math.abs(byMs))
          else clock.stepWall(byMs)
          expect(steady.nowMs()).toBeGreaterThanOrEqual(lastMs)
          lastMs = steady.nowMs()
        }
        expect(lastMs).toBeGreaterThanOrEqual(clock.wallMs() - startMs)
        expect(lastMs).toBeGreaterThanOrEqual(clock.monotonicMs() - 5_000)
      }),
    )
  })
})

describe('clock steps', () => {
  it.each([
    ['forward', CLOCK_STEP_MS + 1, { ...NO_STEPS, forwardMs: CLOCK_STEP_MS + 1 }],
    ['backward', -CLOCK_STEP_MS - 1, { ...NO_STEPS, backwardMs: CLOCK_STEP_MS + 1 }],
    ['forward within drift', CLOCK_STEP_MS, NO_STEPS],
    ['backward within drift', -CLOCK_STEP_MS, NO_STEPS],
  ])('%s by %d ms', (_name, byMs, steps) => {
    const { clock, steady } = started()
    clock.stepWall(byMs)
    expect(steady.takeSteps()).toEqual(steps)
    expect(steady.takeSteps()).toEqual(NO_STEPS)
  })

  it('add up until they are taken', () => {
    const { clock, steady } = started()
    for (let i = 0; i < 20; i++) {
      clock.stepWall(CLOCK_STEP_MS + 1)
      steady.nowMs()
    }
    expect(steady.takeSteps()).toEqual({ ...NO_STEPS, forwardMs: 20 * (CLOCK_STEP_MS + 1) })
  })

  it('ignore drift that accumulates over several readings', () => {
    const { clock, steady } = started()
    for (let i = 0; i < 5; i++) {
      clock.stepWall(CLOCK_STEP_MS - 1)
      steady.nowMs()
    }
    expect(steady.takeSteps()).toEqual(NO_STEPS)
  })
})
