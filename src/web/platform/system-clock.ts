import type { Clock } from '#base/clock.ts'

/** The longest delay that timers accept; a longer one would fire at once. */
const DELAY_MAX_MS = 2 ** 31 - 1

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
