import type { ExactNumber } from '#record/exact-number.ts'

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

/** What a counter's increases are expected to be; on a restart it counts from 0. */
export function increasesOf(totals: Float64Array, start: number, end: number): Float64Array {
  const increases = new Float64Array(end - start)
  let last = Number.NaN
  for (let place = start; place < end; place++) {
    const total = totals[place] ?? Number.NaN
    if (total !== total) continue
    if (last === last) increases[place - start] = total < last ? total : total - last
    last = total
  }
  return increases
}
