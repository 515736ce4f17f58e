import type { ExactNumber } from '#record/exact-number.ts'

export type CounterStep = {
  readonly increase: number
  readonly restarted: boolean
}

/**
 * What a counter did between two readings. It never goes down by itself, so a decrease is a
 * restart, and the new total is what happened since; the first reading ever adds nothing,
 * because nobody saw where it came from. Counted exactly also beyond 2^53. A counter that a service reckons
 * from its clock falls when that is set back: that is no restart, and it counts on from there.
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

/** What a counter's increases are expected to be; on a restart it counts from 0. */
export function increasesOf(totals: Float64Array, into: Float64Array): Float64Array {
  let last = Number.NaN
  for (const [row, total] of totals.entries()) {
    into[row] = Number.isNaN(total - last) ? 0 : total < last ? total : total - last
    if (!Number.isNaN(total)) last = total
  }
  return into
}
