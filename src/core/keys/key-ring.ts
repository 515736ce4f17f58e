import type { Bytes } from '#base/bytes.ts'
import type { Result } from '#base/result.ts'
import { createHeldKeys, type KeepProblem, type KeyInfo } from './held-keys.ts'
import type { KeyStore } from './key-store.ts'
import { keyOfSeed, newKey, type Cryptography } from './make-key.ts'
import { spendSeed, type SeedProblem } from './seed.ts'
import type { SigningKey } from './signing-key.ts'

export type ImportProblem = SeedProblem | KeepProblem

export type KeyRing = {
  /** Oldest first, as storage has them now. */
  readonly list: () => Promise<readonly KeyInfo[]>
  readonly make: (label: string) => Promise<Result<KeyInfo, KeepProblem>>
  /** `input` is zero afterwards, whatever came of it. */
  readonly importSeed: (input: Uint8Array, label: string) => Promise<Result<KeyInfo, ImportProblem>>
  readonly remove: (publicKey: string) => Promise<Result<undefined, 'not-removed'>>
  /** The key with this public key; without one the newest. */
  readonly find: (publicKey: string | undefined) => Promise<SigningKey | undefined>
  /** Whether keys are kept beyond the session. */
  readonly isKeeping: () => Promise<boolean>
}

type KeyRingPorts = {
  /** Where keys are kept; without one every key is for the session. */
  readonly store: KeyStore | undefined
  readonly cryptography: Cryptography
  readonly wallMs: () => number
  readonly randomBytes: (length: number) => Bytes
}

/** The keys of this signer: those on the device and those of the session. Changes happen one after the other. */
export function createKeyRing({ store, cryptography, wallMs, randomBytes }: KeyRingPorts): KeyRing {
  const held = createHeldKeys(store)
  const inTurn = createTurns()
  const loaded = inTurn(held.reload)

  return {
    list: () =>
      inTurn(async () => {
        await held.reload()
        return held.sorted().map(({ info }) => info)
      }),
    make: (label) => inTurn(async () => held.keep(await newKey(cryptography, randomBytes), label, wallMs())),
    importSeed: (input, label) =>
      inTurn(async () => {
        const key = await spendSeed(input, (seed) => keyOfSeed(seed, cryptography))
        return key.ok ? held.keep(key.value, label, wallMs()) : key
      }),
    remove: (publicKey) => inTurn(() => held.remove(publicKey)),
    // Not in turn: signing goes on while a key is being imported.
    find: async (publicKey) => {
      await loaded
      return publicKey === undefined ? held.sorted().at(-1)?.key : held.get(publicKey)
    },
    isKeeping: async () => {
      await loaded
      return held.isKeeping()
    },
  }
}

/** Runs one piece of work at a time; one that fails does not hold up the next. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined) // its caller is told; the next one only waits for the end
    return turn
  }
}
