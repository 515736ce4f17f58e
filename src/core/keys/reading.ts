import type { ForeignKind, KeyFileProblem, KeyKind, LockedKind } from '#protocol/key-kinds.ts'

/** What one format made of the bytes. Everything in it belongs to the scratch of that reading. */
export type Found =
  | {
      readonly found: 'secret'
      readonly kind: KeyKind
      readonly seed: Uint8Array
      /** Public halves in the file; each must be the seed's. */
      readonly claims: readonly Uint8Array[]
    }
  | { readonly found: 'locked'; readonly kind: LockedKind }
  | { readonly found: 'problem'; readonly problem: KeyFileProblem }

export const problem = (given: KeyFileProblem): Found => ({ found: 'problem', problem: given })
export const foreign = (found: ForeignKind): Found => problem({ reason: 'wrong-type', found })
export const damaged = (kind: KeyKind): Found => problem({ reason: 'damaged', kind })
/** Recognised, and apparently whole, but a variant that is not supported. */
export const unsupported = (kind: KeyKind): Found => problem({ reason: 'unsupported', kind })
export const truncated = (kind: KeyKind): Found => problem({ reason: 'truncated', kind })

/** A seed and the public halves that came with it; damaged where one has another length than 32 bytes. */
export const secret = (
  kind: KeyKind,
  seed: Uint8Array | undefined,
  ...claims: readonly Uint8Array[]
): Found =>
  seed?.length === 32 && claims.every((claim) => claim.length === 32)
    ? { found: 'secret', kind, seed, claims }
    : damaged(kind)

/** The 64 bytes of seed and public key. */
export const pair = (kind: KeyKind, bytes: Uint8Array, ...more: readonly Uint8Array[]): Found =>
  secret(kind, bytes.subarray(0, 32), bytes.subarray(32), ...more)

export type Reading = {
  /** Every buffer with something secret goes in here as soon as it exists. */
  readonly scratch: Scratch
  /** As UTF-8; the caller's to zero. */
  readonly passphrase: Uint8Array | undefined
}

export type Scratch = ReturnType<typeof createScratch>

/** Made per piece of work and wiped in its `finally`, so that no way out of it leaves a secret behind. */
export function createScratch() {
  const kept = new Set<ArrayBufferLike>()
  return {
    /** Remembers the buffer and gives it back. A view is enough: all that it is a view of is wiped. */
    keep: <B extends Uint8Array>(bytes: B): B => {
      kept.add(bytes.buffer)
      return bytes
    },
    wipe: (): void => {
      for (const buffer of kept) new Uint8Array(buffer).fill(0)
      kept.clear()
    },
  }
}
