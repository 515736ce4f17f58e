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

/** Work that exceeded its time limit. */
export class LateError extends Error {}

/**
 * Rejects with a `LateError` if `work` takes longer than `limitMs`, because a dead Worker and a broken database never
 * answer.
 */
export async function answerWithin<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError(`no answer within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
