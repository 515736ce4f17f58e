export type RequestRate = ReturnType<typeof createRequestRate>

/** Addresses that are remembered; the one that was quiet longest makes room. */
const ADDRESSES_MAX = 10_000
const BURST_SECONDS = 2

/** How many requests a second one address may make; a burst of twice as many is taken. */
export function createRequestRate(perSecond: number, nowMs: () => number) {
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  const most = perSecond * BURST_SECONDS
  return {
    /** In how many whole seconds to come again; 0: now. */
    take: (address: string): number => {
      const atMs = nowMs()
      const before = buckets.get(address)
      const tokens =
        before === undefined
          ? most
          : Math.min(most, before.tokens + ((atMs - before.atMs) / 1_000) * perSecond)
      // Put behind all others, so that the first of them is the one that was quiet longest.
      buckets.delete(address)
      if (buckets.size >= ADDRESSES_MAX) {
        const [quietest] = buckets.keys()
        if (quietest !== undefined) buckets.delete(quietest)
      }
      const isTaken = tokens >= 1
      buckets.set(address, { tokens: isTaken ? tokens - 1 : tokens, atMs })
      return isTaken ? 0 : Math.ceil((1 - tokens) / perSecond)
    },
    /** What a request that was taken turned out to cost beyond one, in requests; at most a burst is owed. */
    charge: (address: string, cost: number): void => {
      const bucket = buckets.get(address)
      if (bucket !== undefined) bucket.tokens = Math.max(-most, bucket.tokens - cost)
    },
  }
}
