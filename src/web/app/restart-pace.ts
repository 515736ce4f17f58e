import type { Clock } from '#base/clock.ts'

/** A Worker that ran this long resets the count of restarts. */
const GOOD_AFTER_MS = 300_000
const QUICK_RESTARTS = 3
const SLOW_RESTART_MS = 60_000

/** Restarts the first few Workers at once, further ones after a minute each. */
export function createPace(clock: Clock) {
  let restarts = 0
  return (openedMs: number, goOn: () => void): void => {
    if (clock.monotonicMs() - openedMs > GOOD_AFTER_MS) restarts = 0
    if (++restarts <= QUICK_RESTARTS) goOn()
    else clock.after(SLOW_RESTART_MS, goOn)
  }
}
