import type { Clock } from '#base/clock.ts'

const TICK_EVERY_MS = 1_000

export function createTicker(clock: Clock, run: () => void) {
  let beforeMs = 0
  let lateMs = 0
  let lateBeforeMs = 0
  let end = (): void => undefined
  const wait = (): void => {
    beforeMs = clock.monotonicMs()
    end = clock.after(TICK_EVERY_MS, tick)
  }
  const tick = (): void => {
    lateBeforeMs = lateMs
    lateMs = Math.max(0, clock.monotonicMs() - beforeMs - TICK_EVERY_MS)
    wait()
    run()
  }
  return {
    start: wait,
    /** The smaller delay of the last two ticks, because a sleep delays only one. */
    lateMs: () => Math.min(lateMs, lateBeforeMs),
    end: () => end(),
  }
}
