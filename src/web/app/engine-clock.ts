import type { SteadyClock } from '#base/steady.ts'

/**
 * The engine's monotonic clock, as estimated by this page. The offset is the largest lead that any update showed, because a
 * delayed update shows a smaller one and ages must never be too low. 0 before the first update.
 */
export function createEngineClock(page: Pick<SteadyClock, 'nowMs'>) {
  let leadMs: number | undefined
  return {
    nowMs: (): number => (leadMs === undefined ? 0 : page.nowMs() + leadMs),
    /** Call this for every update; `engineMs` is the engine's time when it made the update. */
    heard: (engineMs: number): void => {
      const shownMs = engineMs - page.nowMs()
      leadMs = Math.max(leadMs ?? shownMs, shownMs)
    },
    /** Call this for a new engine, whose clock starts again. */
    reset: (): void => {
      leadMs = undefined
    },
  }
}
