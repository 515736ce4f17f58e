import { createHash } from 'node:crypto'

export type SeedWords = { readonly a: number; readonly b: number }

export function seedWords(seed: string): SeedWords {
  const digest = createHash('sha256').update(`immune-node-network-v1\n${seed}`).digest()
  return { a: digest.readUInt32LE(0), b: digest.readUInt32LE(4) }
}

/**
 * A number in [0, 1) that depends only on its arguments, so that any time of the demo network can be computed on its own. Not
 * for secrets. The path's numbers must be whole and below 2^32.
 */
export function draw(seed: SeedWords, ...path: readonly number[]): number {
  let high = seed.a
  let low = seed.b
  for (const step of path) {
    high = scramble(high ^ step)
    low = scramble((low + Math.imul(step, 0x9e37_79b1) + high) | 0)
  }
  return ((scramble(high ^ low) >>> 5) * 2 ** 26 + (scramble(low) >>> 6)) / 2 ** 53
}

/** The finalizer of MurmurHash3: every input bit affects every output bit. */
function scramble(value: number): number {
  let mixed = value ^ (value >>> 16)
  mixed = Math.imul(mixed, 0x85eb_ca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2_ae35)
  return mixed ^ (mixed >>> 16)
}
