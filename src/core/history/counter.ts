import type { ExactNumber } from '#protocol/exact-number.ts'

export type CounterStep = {
  readonly increase: number
  readonly restarted: boolean
}

/**
 * What a counter did between two readings. It never goes down by itself, so a decrease is a
 * restart, and the new total is what happened since; the first reading ever adds nothing,
 * because nobody saw where it came from. Counted exactly also beyond 2^53.
 */
export function counterStep(before: ExactNumber | undefined, now: ExactNumber): CounterStep {
  if (before === undefined) return { increase: 0, restarted: false }
  const difference = BigInt(now.text) - BigInt(before.text)
  return difference < 0n
    ? { increase: now.value, restarted: true }
    : { increase: Number(difference), restarted: false }
}
