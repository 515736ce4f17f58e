import fc from 'fast-check'
import { beforeEach } from 'vitest'

/**
 * A property that fails needs no shrinking here, and the same values each time make a survivor
 * of one run a survivor of the next.
 */
fc.configureGlobal({ numRuns: 30, seed: 1, endOnFailure: true })

/** Single tests that take more than a second, for each of thousands of changes; those beside them find nearly all of the same. */
const SLOW: readonly RegExp[] = [
  /^is refused whichever byte of it is flipped, with Argon2id/,
  /^opens with Argon2id itself/,
  /^polkadot-ed25519.json asks for its passphrase/,
  /^nothing of the seed is left in any buffer but the result’s: polkadot/,
  /^is kept for a day and no longer, in this engine and in the store/,
  /^that were failing are asked before the others/,
  /^of hundreds of nodes are few rows/,
  /^is read back as if every sample lay in memory, through hours, days/,
  /^spreads 1,000 nodes evenly/,
  /^a thousand requests at once are all answered/,
]

beforeEach(({ task, skip }) => {
  skip(SLOW.some((name) => name.test(task.name)))
})
