import type { Clock } from '#base/clock.ts'

/** The computer's own clocks. Timers do not keep the process alive: the listening sockets do. */
export const createSystemClock = (): Clock => ({
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(delayMs, 2 ** 31 - 1)).unref()
    return () => clearTimeout(timer)
  },
})
