import { putNewest } from '#base/newest-last.ts'

type RateLimit = {
  /** Burst size. */
  readonly most: number
  /** Time until one further use is free. */
  readonly everyMs: number
  /** Keys that are remembered; beyond it the least recently used key is dropped. */
  readonly keysMax: number
}

export function createRateLimit(nowMs: () => number, { most, everyMs, keysMax }: RateLimit) {
  /** When all uses of a key are free again. */
  const fullMs = new Map<string, number>()
  const set = (key: string, atMs: number): void => putNewest(fullMs, key, atMs, keysMax)
  return {
    waitS: (key: string): number => {
      const atMs = fullMs.get(key)
      if (atMs === undefined) return 0
      set(key, atMs)
      return Math.max(0, Math.ceil((atMs - (most - 1) * everyMs - nowMs()) / 1_000))
    },
    count: (key: string): void => set(key, Math.max(fullMs.get(key) ?? 0, nowMs()) + everyMs),
    /** Additional cost of a counted use. The debt is at most one burst. */
    charge: (key: string, cost: number): void => {
      const atMs = fullMs.get(key)
      if (atMs !== undefined) set(key, Math.min(atMs + cost * everyMs, nowMs() + 2 * most * everyMs))
    },
  }
}
