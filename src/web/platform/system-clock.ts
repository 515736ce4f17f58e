import type { Clock } from '#base/clock.ts'

/** The longest delay that timers take; a longer one would fire at once. */
const DELAY_MAX_MS = 2 ** 31 - 1

/** The computer's own clocks and timers, in a page, a Worker or Node. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    let timer: ReturnType<typeof setTimeout>
    const wait = (leftMs: number): void => {
      const partMs = Math.min(leftMs, DELAY_MAX_MS)
      timer = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : run()), partMs)
    }
    wait(delayMs)
    return () => clearTimeout(timer)
  },
}
