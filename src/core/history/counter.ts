import type { ExactNumber } from '#record/exact-number.ts'

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

/** The increases that follow from the totals; a restart counts from 0. */
export function increasesOf(totals: Float64Array, into: Float64Array): Float64Array {
  let last = Number.NaN
  for (const [row, total] of totals.entries()) {
    into[row] = Number.isNaN(total - last) ? 0 : total < last ? total : total - last
    if (!Number.isNaN(total)) last = total
  }
  return into
}
