import type { SteadyClock } from '#base/steady.ts'

/**
 * The engine's steady clock, as this page knows it. The engine is ahead of the page by the
 * largest lead that any update showed: an update that was under way longer shows a smaller
 * one, and ages must err towards older. 0 until an engine was heard.
 */
export type EngineClock = {
  readonly nowMs: () => number
  /** An update that the engine made at `engineMs` has come in. */
  readonly heard: (engineMs: number) => void
  /** A new engine's clock starts anew. */
  readonly reset: () => void
}

export function createEngineClock(page: Pick<SteadyClock, 'nowMs'>): EngineClock {
  let leadMs: number | undefined
  return {
    nowMs: () => (leadMs === undefined ? 0 : page.nowMs() + leadMs),
    heard: (engineMs) => {
      const shownMs = engineMs - page.nowMs()
      leadMs = Math.max(leadMs ?? shownMs, shownMs)
    },
    reset: () => {
      leadMs = undefined
    },
  }
}
