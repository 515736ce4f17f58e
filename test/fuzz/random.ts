/** Random numbers that depend only on the seed, in every JavaScript engine (mulberry32). */
export type Random = {
  /** An integer from 0 to `end` - 1. */
  readonly below: (end: number) => number
  readonly oneOf: <T>(list: readonly [T, ...(readonly T[])]) => T
  readonly chance: (share: number) => boolean
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    oneOf: (list) => list[below(list.length)] ?? list[0],
    chance: (share) => next() < share,
  }
}

/** Whether to run every seed. */
export const isAll = (): boolean => process.env['FUZZ_ALL'] !== undefined

/**
 * The seeds to run: the first one by default. With `FUZZ_ALL` it is all of them and one that changes daily; with
 * `FUZZ_SEED` only that one, to reproduce a failure. Each failure reports its seed.
 */
export function seedsOf(count: number): readonly number[] {
  const { FUZZ_SEED: only } = process.env
  if (only !== undefined) return [Number(only)]
  if (!isAll()) return [1]
  const ofToday = Math.floor(Date.now() / 86_400_000)
  return [ofToday, ...Array.from({ length: count }, (_, index) => index + 1)]
}

/** Reports the seed, the truncated input, and the command that reproduces the failure. */
export class FuzzFailure extends Error {
  constructor(file: string, seed: number, place: number, input: unknown, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const text = JSON.stringify(input) ?? ''
    super(
      `${why}\nseed ${seed}, input ${place}: ${text.slice(0, 2_000)}\n` +
        `reproduce: ${isAll() ? 'FUZZ_ALL=1 ' : ''}FUZZ_SEED=${seed} npx vitest run --project unit ${file}`,
      { cause },
    )
  }
}
