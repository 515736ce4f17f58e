import type { Clock } from '#base/clock.ts'
import type { createGeneration } from '#platform/page-life.ts'

/** A Worker that ran this long resets the count of restarts. */
const GOOD_AFTER_MS = 300_000
const QUICK_RESTARTS = 3
const SLOW_RESTART_MS = 60_000

type Opened = { readonly generation: number; readonly openedMs: number }

/**
 * Replaces the Worker behind a dead connection: the first few at once, further ones after a minute each. Does nothing once the
 * connection is no longer the `current` one.
 */
export const createRestarts = <C extends Opened>(
  clock: Clock,
  generation: ReturnType<typeof createGeneration>,
  current: () => C,
) => {
  let restarts = 0
  return (dead: C, move: () => void): void => {
    const goOn = (): void => {
      if (current() !== dead) return
      generation.next(dead.generation)
      move()
    }
    if (current() !== dead) return
    if (clock.monotonicMs() - dead.openedMs > GOOD_AFTER_MS) restarts = 0
    if (++restarts <= QUICK_RESTARTS) goOn()
    else clock.after(SLOW_RESTART_MS, goOn)
  }
}
