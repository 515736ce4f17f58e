export type CounterStep = {
  readonly increase: number
  readonly restarted: boolean
}

/**
 * The increase of a counter between two readings, both whole decimals. A counter that falls has restarted, and the whole new
 * total is the increase; but if the service's clock was set back, a counter derived from it falls without a restart. The first
 * reading adds nothing. Exact beyond 2^53.
 */
export function counterStep(before: string | undefined, now: string, clockSetBack = false): CounterStep {
  if (before === undefined) return { increase: 0, restarted: false }
  const difference = BigInt(now) - BigInt(before)
  if (difference >= 0n) return { increase: Number(difference), restarted: false }
  return clockSetBack ? { increase: 0, restarted: false } : { increase: Number(now), restarted: true }
}
