import type { Result } from '#base/result.ts'
import { placeProblem, type Place, type PlaceProblem } from './custody.ts'
import { createHeldKeys, type FoundKey, type KeepProblem, type KeyInfo } from './held-keys.ts'
import type { KeyNotes, KeyStore } from './key-store.ts'
import { keyOfSeed, newKey, newSeed, type Cryptography } from './make-key.ts'
import { spendSeed, type SeedProblem } from './seed.ts'
import type { Vault } from './vault.ts'
import { createVaultActs, type VaultActs } from './vault-acts.ts'
import { sealSeed } from './vault-seal.ts'
import type { VaultPorts } from './vault-slot.ts'

export type ImportProblem = SeedProblem | KeyProblem
export type KeyProblem = KeepProblem | PlaceProblem

export type KeyRing = VaultActs & {
  /** Oldest first, as storage has them now. */
  readonly list: () => Promise<readonly KeyInfo[]>
  /** Without a place: on the device, or for the session where nothing can be kept. A passphrase in `place` is zero afterwards. */
  readonly make: (label: string, place?: Place) => Promise<Result<KeyInfo, KeyProblem>>
  /** `input` is zero afterwards, whatever came of it. */
  readonly importSeed: (
    input: Uint8Array,
    label: string,
    place?: Place,
  ) => Promise<Result<KeyInfo, ImportProblem>>
  /** The same for a seed that was read already, which stays the caller's to zero. */
  readonly keepSeed: (
    seed: Uint8Array,
    family: Vault['family'],
    label: string,
    place?: Place,
  ) => Promise<Result<KeyInfo, KeyProblem>>
  readonly note: (
    publicKey: string,
    notes: Pick<KeyNotes, 'label' | 'notAfterMs'>,
  ) => Promise<Result<undefined, 'not-kept'>>
  readonly remove: (publicKey: string) => Promise<Result<undefined, 'not-removed'>>
  /** The key with this public key; without one the newest. It counts as used. */
  readonly find: (publicKey: string | undefined) => Promise<FoundKey>
  /** Whether keys are kept beyond the session. */
  readonly isKeeping: () => Promise<boolean>
}

type KeyRingPorts = VaultPorts & {
  /** Where keys are kept; without one every key is for the session. */
  readonly store: KeyStore | undefined
  readonly cryptography: Cryptography
  readonly wallMs: () => number
}

/** The keys of this signer: on the device, in vaults, and of the session. Changes happen one after the other. */
export function createKeyRing(ports: KeyRingPorts): KeyRing {
  const { store, cryptography, wallMs, randomBytes } = ports
  const held = createHeldKeys(store)
  const inTurn = createTurns()
  const loaded = inTurn(held.reload)
  const usual: Place = { custody: cryptography === 'webcrypto' ? 'device' : 'session' }

  const keepSeed = async (
    seed: Uint8Array,
    family: Vault['family'],
    label: string,
    place: Place,
  ): Promise<Result<KeyInfo, KeyProblem>> => {
    const problem = placeProblem(place, family, cryptography)
    if (problem !== undefined) return { ok: false, error: problem }
    const createdMs = wallMs()
    const how =
      place.custody === 'vault'
        ? {
            custody: place.custody,
            vault: await sealSeed(seed, place.passphrase, { family, createdMs }, ports),
          }
        : { custody: place.custody }
    return held.keep(await keyOfSeed(seed, cryptography), how, label, createdMs)
  }

  const make = async (label: string, place: Place): Promise<Result<KeyInfo, KeyProblem>> => {
    // A key that is not wrapped need not have its seed outside the browser's own cryptography.
    if (place.custody !== 'vault') {
      const problem = placeProblem(place, 'plain', cryptography)
      if (problem !== undefined) return { ok: false, error: problem }
      return held.keep(await newKey(cryptography, randomBytes), { custody: place.custody }, label, wallMs())
    }
    const seed = newSeed(randomBytes)
    try {
      return await keepSeed(seed, 'plain', label, place)
    } finally {
      seed.fill(0)
    }
  }

  return {
    ...createVaultActs({ held, inTurn, ports }),
    list: () =>
      inTurn(async () => {
        await held.reload()
        return held.list()
      }),
    make: (label, place = usual) => inTurn(() => spending(place, () => make(label, place))),
    importSeed: (input, label, place = usual) =>
      inTurn(() =>
        spending(place, async () => {
          const kept = await spendSeed(input, (seed) => keepSeed(seed, 'plain', label, place))
          return kept.ok ? kept.value : kept
        }),
      ),
    keepSeed: (seed, family, label, place = usual) =>
      inTurn(() => spending(place, () => keepSeed(seed, family, label, place))),
    note: (publicKey, notes) => inTurn(() => held.note(publicKey, notes)),
    remove: (publicKey) => inTurn(() => held.remove(publicKey)),
    // Not in turn: signing goes on while a key is being imported.
    find: async (publicKey) => {
      await loaded
      return held.use(publicKey, wallMs())
    },
    isKeeping: async () => {
      await loaded
      return held.isKeeping()
    },
  }
}

/** A passphrase is needed once. */
async function spending<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    if (place.custody === 'vault') place.passphrase.fill(0)
  }
}

export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Runs one piece of work at a time; one that fails does not hold up the next. */
function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined) // its caller is told; the next one only waits for the end
    return turn
  }
}
