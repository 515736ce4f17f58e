import { setImmediate } from 'node:timers'
import type { Clock } from '#base/clock.ts'

export type FakeClock = Clock & {
  /** Advances both clocks and fires due timers in order, each at its own time. Promises settle in between. */
  readonly advance: (byMs: number) => Promise<void>
  /** Like `advance`, but promises do not settle. */
  readonly advanceSync: (byMs: number) => void
  /** Changes the computer's clock: only wall time jumps, forward or back. No timer fires. */
  readonly stepWall: (byMs: number) => void
  /**
   * Puts the computer to sleep: wall time passes, and no timer fires until the next `advance`. The monotonic clock
   * stops, as on Linux and macOS; with `'runs'` it continues, as on Windows.
   */
  readonly sleep: (byMs: number, monotonic?: 'stops' | 'runs') => void
  /** Remaining delays of the pending timers in ms, soonest first. */
  readonly pendingMs: () => readonly number[]
}

type Timer = { readonly dueMs: number; readonly order: number; readonly run: () => void }

/** If one `advance` fires more timers than this, it fails as an endless loop. */
const FIRINGS_MAX = 1_000_000

/** 2026-06-01T12:00:00Z, which is not an edge case for any test. */
export const TEST_START_MS = 1_780_315_200_000

export function createFakeClock(startWallMs = TEST_START_MS, startMonotonicMs = 5_000): FakeClock {
  let wallMs = startWallMs
  let monotonicMs = startMonotonicMs
  let order = 0
  const timers = new Set<Timer>()

  const nextDue = (untilMs: number): Timer | undefined => {
    let next: Timer | undefined
    for (const timer of timers) {
      if (timer.dueMs > untilMs) continue
      const sooner =
        next === undefined ||
        timer.dueMs < next.dueMs ||
        (timer.dueMs === next.dueMs && timer.order < next.order)
      if (sooner) next = timer
    }
    return next
  }

  /** Advances to the next due timer and fires it. Returns false if none is due by `untilMs`. */
  const fireNext = (untilMs: number): boolean => {
    const timer = nextDue(untilMs)
    if (timer === undefined) return false
    timers.delete(timer)
    moveTo(Math.max(monotonicMs, timer.dueMs))
    timer.run()
    return true
  }

  const moveTo = (targetMs: number): void => {
    wallMs += targetMs - monotonicMs
    monotonicMs = targetMs
  }

  return {
    wallMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    after: (delayMs, run) => {
      const timer = { dueMs: monotonicMs + Math.max(0, delayMs), order: order++, run }
      timers.add(timer)
      return () => {
        timers.delete(timer)
      }
    },
    advance: async (byMs) => {
      const untilMs = monotonicMs + byMs
      await settle()
      for (let firings = 0; fireNext(untilMs); firings++) {
        bounded(firings)
        await settle()
      }
      moveTo(untilMs)
      await settle()
    },
    advanceSync: (byMs) => {
      const untilMs = monotonicMs + byMs
      for (let firings = 0; fireNext(untilMs); firings++) bounded(firings)
      moveTo(untilMs)
    },
    stepWall: (byMs) => {
      wallMs += byMs
    },
    sleep: (byMs, monotonic = 'stops') => {
      wallMs += byMs
      if (monotonic === 'runs') monotonicMs += byMs
    },
    pendingMs: () => Array.from(timers, (timer) => timer.dueMs - monotonicMs).toSorted((a, b) => a - b),
  }
}

const bounded = (firings: number): void => {
  if (firings > FIRINGS_MAX) throw new Error(`more than ${FIRINGS_MAX} timers fired in one advance`)
}

/**
 * Lets promises settle without advancing time: a few turns of the event loop, each of which empties the microtask
 * queue. Work on other threads (WebCrypto, sockets) takes real time, so wait for its event instead.
 */
export async function settle(turns = 2): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise<void>((done) => setImmediate(done))
  }
}
