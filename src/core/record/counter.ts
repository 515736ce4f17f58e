import type { ExactNumber } from './exact-number.ts'

export type CounterStep = {
  readonly increase: number
  readonly restarted: boolean
}

/**
 * The increase of a counter between two readings. A counter that falls has restarted, and the whole new total is the increase;
 * but if the service's clock was set back, a counter derived from it falls without a restart. The first reading adds nothing.
 * Exact beyond 2^53.
 */
export function counterStep(
  before: ExactNumber | undefined,
  now: ExactNumber,
  clockSetBack = false,
): CounterStep {
  if (before === undefined) return { increase: 0, restarted: false }
  const difference = BigInt(now.text) - BigInt(before.text)
  if (difference >= 0n) return { increase: Number(difference), restarted: false }
  return clockSetBack ? { increase: 0, restarted: false } : { increase: now.value, restarted: true }
}
