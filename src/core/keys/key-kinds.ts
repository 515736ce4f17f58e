import type { ForeignKind, KeyFileProblem, KeyKind, LockedKind } from '#protocol/key-file.ts'

export type { ForeignKind, KeyFamily, KeyFileProblem, KeyKind, LockedKind } from '#protocol/key-file.ts'

/** What one format made of the bytes. Everything in it belongs to the scratch of that reading. */
export type Found =
  | {
      readonly found: 'secret'
      readonly kind: KeyKind
      /** 32 bytes. */
      readonly seed: Uint8Array
      /** Public halves that the file holds; each must be the one that the seed has. */
      readonly claims: readonly Uint8Array[]
    }
  | { readonly found: 'locked'; readonly kind: LockedKind }
  | { readonly found: 'problem'; readonly problem: KeyFileProblem }

export const problem = (given: KeyFileProblem): Found => ({ found: 'problem', problem: given })
export const foreign = (found: ForeignKind): Found => problem({ reason: 'wrong-type', found })
export const damaged = (kind: KeyKind): Found => problem({ reason: 'damaged', kind })
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
