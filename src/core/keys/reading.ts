import type { ForeignKind, KeyFileProblem, KeyKind, LockedKind } from '#protocol/key-kinds.ts'

export type NotRead =
  | { readonly outcome: 'needs-passphrase'; readonly kind: LockedKind }
  | { readonly outcome: 'refused'; readonly problem: KeyFileProblem }

/** Result of reading one format. All buffers belong to that reading's scratch. */
export type Found =
  | {
      readonly outcome: 'secret'
      readonly kind: KeyKind
      readonly seed: Uint8Array
      /** Public keys in the file; each must match the seed. */
      readonly claims: readonly Uint8Array[]
    }
  | NotRead

export const problem = (given: KeyFileProblem): Found => ({ outcome: 'refused', problem: given })
export const foreign = (found: ForeignKind): Found => problem({ reason: 'wrong-type', found })
export const damaged = (kind: KeyKind): Found => problem({ reason: 'damaged', kind })
/** Recognized and complete, but an unsupported variant. */
export const unsupported = (kind: KeyKind): Found => problem({ reason: 'unsupported', kind })
export const truncated = (kind: KeyKind): Found => problem({ reason: 'truncated', kind })
export const locked = (kind: LockedKind): Found => ({ outcome: 'needs-passphrase', kind })

/** A seed and the public keys found with it; damaged if one is not 32 bytes long. */
export const secret = (
  kind: KeyKind,
  seed: Uint8Array | undefined,
  ...claims: readonly Uint8Array[]
): Found =>
  seed?.length === 32 && claims.every((claim) => claim.length === 32)
    ? { outcome: 'secret', kind, seed, claims }
    : damaged(kind)

/** 64 bytes: seed and public key. */
export const pair = (kind: KeyKind, bytes: Uint8Array, ...more: readonly Uint8Array[]): Found =>
  secret(kind, bytes.subarray(0, 32), bytes.subarray(32), ...more)

export type Reading = {
  /** Every buffer with a secret is registered here as soon as it exists. */
  readonly scratch: Scratch
  /** As UTF-8; the caller zeroes it. */
  readonly passphrase: Uint8Array | undefined
}

export type Scratch = ReturnType<typeof createScratch>

/** Created per operation and wiped in its `finally`, so that no exit leaves a secret in memory. */
export function createScratch() {
  const kept = new Set<ArrayBufferLike>()
  return {
    /** Registers the buffer and returns it. For a view, the whole underlying buffer is wiped. */
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
