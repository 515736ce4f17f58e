type RateLimit = {
  /** So many at once, */
  readonly most: number
  /** and after that one each so often. */
  readonly everyMs: number
  /** Keys that are remembered; the one that was used longest ago makes room. */
  readonly keysMax: number
}

/** Limits how often something may happen, for each key by itself. */
export function createRateLimit(nowMs: () => number, { most, everyMs, keysMax }: RateLimit) {
  /** When all of a key's uses are free again. */
  const fullMs = new Map<string, number>()
  const set = (key: string, atMs: number): void => {
    // Put behind all others, so that the first is the one that was used longest ago.
    fullMs.delete(key)
    fullMs.set(key, atMs)
    for (const [first, freeMs] of fullMs) {
      if (fullMs.size <= keysMax && freeMs > nowMs()) return
      fullMs.delete(first)
    }
  }
  return {
    waitS: (...keys: readonly string[]): number => {
      const waits = keys.map((key) => {
        const atMs = fullMs.get(key)
        if (atMs === undefined) return 0
        set(key, atMs)
        return atMs - (most - 1) * everyMs - nowMs()
      })
      return Math.max(0, Math.ceil(Math.max(...waits) / 1_000))
    },
    count: (...keys: readonly string[]): void => {
      for (const key of keys) set(key, Math.max(fullMs.get(key) ?? 0, nowMs()) + everyMs)
    },
    /** Costs beyond the one that was counted; at most a burst is owed. */
    charge: (key: string, cost: number): void => {
      const atMs = fullMs.get(key)
      if (atMs !== undefined) set(key, Math.min(atMs + cost * everyMs, nowMs() + 2 * most * everyMs))
    },
  }
}
