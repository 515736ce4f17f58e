import { setImmediate } from 'node:timers'
import type { Clock } from '#base/clock.ts'

export type FakeClock = Clock & {
  /** Time passes: both clocks move and due timers fire in order, each at its own moment. Promises settle in between. */
  readonly advance: (byMs: number) => Promise<void>
  /** The same without letting promises settle. */
  readonly advanceSync: (byMs: number) => void
  /** Somebody sets the computer's clock: only wall time jumps, either way. No timer fires. */
  readonly stepWall: (byMs: number) => void
  /**
   * The computer sleeps: wall time passes, timers do not run until the next `advance`.
   * The monotonic clock stands still, as on Linux and macOS; `'runs'` lets it go on, as on Windows.
   */
  readonly sleep: (byMs: number, monotonic?: 'stops' | 'runs') => void
  /** Delays until the timers that are set, in ms, soonest first. */
  readonly pendingMs: () => readonly number[]
}

type Timer = { readonly dueMs: number; readonly order: number; readonly run: () => void }

/** Timers that one `advance` may fire before it counts as a loop that never ends. */
const FIRINGS_MAX = 1_000_000

/** 2026-06-01T12:00:00Z, a moment that is nobody's edge case. */
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

  /** Moves to the next due timer and fires it; false when none is due until then. */
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
 * Lets promises settle, without waiting for time to pass: a few turns of the event loop,
 * each of which empties the queue of microtasks. Work on other threads (WebCrypto, sockets)
 * takes its own time: wait for its event instead.
 */
export async function settle(turns = 2): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise<void>((done) => setImmediate(done))
  }
}
