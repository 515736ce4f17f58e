import { createSerial } from '#base/serial.ts'
import { bytesToHex } from '#base/bytes.ts'
import { type Result } from '#base/result.ts'
import type { ServiceId } from '#record/service.ts'
import { withGrant, type SigningGrant } from '#signing/signing-grant.ts'
import type { Service } from '#settings/schema.ts'
import { placeProblem, type Place, type PlaceProblem, type KeyNotes, type KeyStore } from './key-store.ts'
import {
  createHeldKeys,
  grantKey,
  keepKey,
  knownFamilyOf,
  listKeys,
  noteKey,
  reloadKeys,
  removeKey,
  revokeGrant,
  useKey,
  type FoundKey,
  type HeldKeys,
  type KeepProblem,
  type KeyInfo,
} from './held-keys.ts'
import type { KeyFamily } from '#protocol/key-kinds.ts'
import { keyOfSeed, newKey, newSeed, type Cryptography, publicKeyOf } from './signing-key.ts'
import { createVaultActs, type VaultActs } from './vault-acts.ts'
import { sealSeed, type VaultPorts } from './vault.ts'

export type KeyProblem = KeepProblem | PlaceProblem

export type KeyRing = VaultActs & {
  /** Oldest first, as storage has them now. `services`, here and below: what the key signs for from the start. */
  readonly list: () => Promise<readonly KeyInfo[]>
  /** Without a place: on the device, or for the session where nothing can be kept. A passphrase in `place` is zero afterwards. */
  readonly make: (
    label: string,
    place?: Place,
    services?: readonly Service[],
  ) => Promise<Result<KeyInfo, KeyProblem>>
  /** The same for a seed that was read from somewhere: see `readKey`. It stays the caller's to zero. */
  readonly keepSeed: (
    seed: Uint8Array,
    family: KeyFamily,
    label: string,
    place?: Place,
    services?: readonly Service[],
  ) => Promise<Result<KeyInfo, KeyProblem>>
  readonly note: (
    publicKey: string,
    notes: Pick<KeyNotes, 'label' | 'notAfterMs'>,
  ) => Promise<Result<undefined, 'not-kept'>>
  readonly remove: (publicKey: string) => Promise<Result<undefined, 'not-removed'>>
  /** The key with this public key; without one the newest that was chosen for this service. It counts as used. */
  readonly find: (publicKey: string | undefined, serviceId: ServiceId) => Promise<FoundKey>
  readonly revoke: (publicKey: string, serviceId: ServiceId) => Promise<Result<undefined, 'not-kept'>>
  readonly isKeeping: () => Promise<boolean>
}

type KeyRingPorts = VaultPorts & {
  readonly store: KeyStore | undefined
  readonly cryptography: Cryptography
  readonly wallMs: () => number
}

/** The keys of this signer: on the device, in vaults, and of the session. Changes happen one after the other. */
export function createKeyRing(ports: KeyRingPorts): KeyRing {
  const { store, cryptography, wallMs } = ports
  const held = createHeldKeys(store)
  const inTurn = createSerial()
  const loaded = inTurn(() => reloadKeys(held))
  const usual: Place = { custody: cryptography === 'webcrypto' ? 'device' : 'session' }

  const { keepSeed, make } = createKeeping(held, ports)

  return {
    ...createVaultActs({ held, inTurn, ports }),
    list: () =>
      inTurn(async () => {
        await reloadKeys(held)
        return listKeys(held)
      }),
    make: (label, place = usual, services = []) =>
      inTurn(() => spending(place, () => granted(held, services, make(label, place, services)))),
    keepSeed: (seed, family, label, place = usual, services = []) =>
      inTurn(() =>
        spending(place, () => granted(held, services, keepSeed(seed, family, label, place, services))),
      ),
    revoke: (publicKey, serviceId) => inTurn(() => revokeGrant(held, publicKey, serviceId)),
    note: (publicKey, notes) => inTurn(() => noteKey(held, publicKey, notes)),
    remove: (publicKey) => inTurn(() => removeKey(held, publicKey)),
    // Not in turn: signing goes on while a key is being imported.
    find: async (publicKey, serviceId) => {
      await loaded
      return useKey(held, publicKey, serviceId, wallMs())
    },
    isKeeping: async () => {
      await loaded
      return held.keeping
    },
  }
}

/** Makes keys, or takes a seed that is here, and keeps them at their place. */
function createKeeping(held: HeldKeys, ports: KeyRingPorts) {
  const { cryptography, randomBytes, wallMs } = ports
  const keepSeed = async (
    seed: Uint8Array,
    given: KeyFamily,
    label: string,
    place: Place,
    services: readonly Service[],
  ): Promise<Result<KeyInfo, KeyProblem>> => {
    // The same seed in another form is the same key: what it once came as, it stays.
    const family = knownFamilyOf(held, bytesToHex(publicKeyOf(seed))) === 'chain' ? 'chain' : given
    const problem = placeProblem(place, family, cryptography)
    if (problem !== undefined) return { ok: false, error: problem }
    const createdMs = wallMs()
    const grants = services.reduce(withGrant, NO_GRANTS)
    if (place.custody !== 'vault')
      return keepKey(
        held,
        await keyOfSeed(seed, cryptography),
        { custody: place.custody, family },
        label,
        createdMs,
      )
    const vault = await sealSeed(seed, place.passphrase, { family, createdMs, grants }, ports)
    return keepKey(
      held,
      await keyOfSeed(seed, cryptography),
      { custody: 'vault', vault, grants },
      label,
      createdMs,
    )
  }

  const make = async (
    label: string,
    place: Place,
    services: readonly Service[],
  ): Promise<Result<KeyInfo, KeyProblem>> => {
    // A key that is not wrapped need not have its seed outside the browser's own cryptography.
    if (place.custody !== 'vault') {
      const problem = placeProblem(place, 'plain', cryptography)
      if (problem !== undefined) return { ok: false, error: problem }
      const how = { custody: place.custody, family: 'plain' } as const
      return keepKey(held, await newKey(cryptography, randomBytes), how, label, wallMs())
    }
    const seed = newSeed(randomBytes)
    try {
      return await keepSeed(seed, 'plain', label, place, services)
    } finally {
      seed.fill(0)
    }
  }
  return { keepSeed, make }
}

const NO_GRANTS: readonly SigningGrant[] = []

/** Whoever just gave the key, or its new passphrase, says what it is for. */
const granted = async (
  held: HeldKeys,
  services: readonly Service[],
  keeping: Promise<Result<KeyInfo, KeyProblem>>,
): Promise<Result<KeyInfo, KeyProblem>> => {
  const kept = await keeping
  return kept.ok && services.length > 0 ? grantKey(held, kept.value.publicKey, services) : kept
}

/** A passphrase is needed once. */
async function spending<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    if (place.custody === 'vault') place.passphrase.fill(0)
  }
}
