/** Nonces that were used, so that no request is taken twice. */
export type NonceCache = {
  /** Call only after the signature was found good, or anyone could fill the cache. */
  readonly use: (keyHex: string, nonce: string) => 'fresh' | 'used' | 'full'
  readonly size: () => number
}

/** 1,000 nodes asked every 5 s need 25,000 entries; this is 20 times as much, about 100 MB. */
export const NONCES_MAX = 500_000
/** Twice the time window, and some: a request dated ahead is good for longer. */
export const NONCE_KEPT_MS = 125_000

export function createNonceCache(monotonicMs: () => number, entriesMax = NONCES_MAX): NonceCache {
  // All entries live equally long, so the order of insertion is the order in which they end.
  const endsMs = new Map<string, number>()

  const dropEnded = (): void => {
    const nowMs = monotonicMs()
    for (const [entry, endMs] of endsMs) {
      if (endMs > nowMs) return
      endsMs.delete(entry)
    }
  }

  return {
    use: (keyHex, nonce) => {
      dropEnded()
      const entry = `${keyHex}.${nonce}`
      if (endsMs.has(entry)) return 'used'
      // Dropping a living entry to make room would let its request be replayed.
      if (endsMs.size >= entriesMax) return 'full'
      endsMs.set(entry, monotonicMs() + NONCE_KEPT_MS)
      return 'fresh'
    },
    size: () => endsMs.size,
  }
}
