import { HOUR_MS } from '#base/time.ts'
import { bytesToHex, hexToBytes, type Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import { createSerial } from '#base/serial.ts'
import type { KeyFamily } from '#protocol/key-kinds.ts'
import type { ServiceId } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import {
  commonGrants,
  grantFor,
  isGranted,
  withGrant,
  type GrantedService,
  type SigningGrant,
} from '#signing/signing-grant.ts'
import {
  isPassphrase,
  placeProblem,
  type KeyNotes,
  type KeyStore,
  type Place,
  type PlaceProblem,
  type StoredKey,
} from './key-store.ts'
import {
  keyOfSeed,
  newKey,
  newSeed,
  publicKeyOf,
  webCryptoSigningKey,
  type Cryptography,
  type MadeKey,
  type SigningKey,
  type UsableKey,
} from './signing-key.ts'
import {
  addPasskey,
  changePassphrase,
  movableVault,
  openVault,
  readVaultFile,
  sealSeed,
  withoutPasskey,
  type NewPasskey,
  type OpenProblem,
  type PasskeySlot,
  type Vault,
  type VaultPorts,
  type VaultProblem,
  type VaultSecret,
} from './vault.ts'

/** Public data of a key. The private key never leaves the signer. */
export type KeyInfo = KeyNotes & {
  /** 64 hex digits; also the key's id. */
  readonly publicKey: string
  readonly createdMs: number
  /**
   * `device`: non-extractable, in this browser's storage, available after a restart. `vault`: encrypted in this browser's
   * storage, opened with a passphrase or passkey. `session`: in memory until the last tab closes.
   */
  readonly custody: 'device' | 'vault' | 'session'
  /** `chain`: imported from a chain wallet or validator, so it is never stored as `device`. */
  readonly family: KeyFamily
  /** For a vault: whether it must be opened before its key can sign. */
  readonly locked?: boolean
  readonly passkeys?: readonly Pick<PasskeySlot, 'credentialId' | 'prfSalt'>[]
}

/** `not-kept`: the storage could not save the key. `too-many`: see `KEYS_MAX`. */
type KeepProblem = 'not-kept' | 'too-many'
export type KeyProblem = KeepProblem | PlaceProblem
export type UnlockProblem = OpenProblem | 'no-vault'
type SlotProblem = UnlockProblem | 'passphrase-short' | 'too-many' | 'not-kept'
/** `exists`: the key is already stored. `chain-key`: the stored key is a chain's, the file's is not. */
export type MoveProblem = VaultProblem | OpenProblem | KeepProblem | 'not-secure' | 'exists' | 'chain-key'
export type GrantProblem = 'no-key' | 'needs-secret' | 'not-kept' | OpenProblem
/** `not-allowed`: there are keys, but none is allowed for this service. */
export type FoundKey = UsableKey | 'locked' | 'not-allowed' | undefined

export const KEYS_MAX = 16
export const KEY_LABEL_CHARS_MAX = 60
/** The time of last use is stored only if it changed by at least this much, not at every request. */
const USE_NOTED_MS = HOUR_MS

type RingKey = Pick<KeyInfo, 'publicKey' | 'createdMs' | 'custody' | 'family'> & {
  notes: KeyNotes
  notedUseMs?: number
  vault?: Vault
  /** Undefined while its vault is locked. */
  key: SigningKey | undefined
}

type Grants = readonly SigningGrant[] | undefined

type Kept = Pick<KeyInfo, 'custody' | 'family'> & {
  readonly atMs: number
  /** With `grants` sealed in it. */
  readonly vault?: Vault | undefined
  readonly grants: Grants
}

type KeyRingPorts = VaultPorts & {
  readonly store: KeyStore | undefined
  readonly cryptography: Cryptography
  readonly wallMs: () => number
}

/**
 * The keys of this signer: on the device, in vaults and in the session. Changes run one after the other. Every passphrase and
 * secret passed in is zeroed, whatever the result.
 */
export class KeyRing {
  readonly #ports: KeyRingPorts
  readonly #keys = new Map<string, RingKey>()
  readonly #inTurn = createSerial()
  readonly #loaded: Promise<void>
  /** Whether the last reload from storage succeeded. */
  #isStoring = false
  /** Incremented by each lock, so that a vault that is being opened at that moment does not stay open. */
  #lockCount = 0

  constructor(ports: KeyRingPorts) {
    this.#ports = ports
    this.#loaded = this.#inTurn(() => this.#reload())
  }

  /** Oldest first, as currently stored; keys of the same millisecond in the order of creation. */
  readonly list = (): Promise<readonly KeyInfo[]> =>
    this.#inTurn(async () => {
      await this.#reload()
      return this.#sorted().map(infoOf)
    })

  /** `services`, here and below: the services that the key may sign for from the start. */
  readonly make = (
    label: string,
    place: Place = this.#usualPlace(),
    services: readonly Service[] = [],
  ): Promise<Result<KeyInfo, KeyProblem>> =>
    this.#spending(secretsOf(place), async () => {
      const { cryptography, randomBytes, wallMs } = this.#ports
      // A key outside a vault can be generated in WebCrypto, so that its seed never exists as bytes.
      if (place.custody !== 'vault') {
        const problem = placeProblem(place, 'plain', cryptography)
        if (problem !== undefined) return err(problem)
        const key = await newKey(cryptography, randomBytes)
        const grants = services.reduce<Grants>(withGrant, undefined)
        return this.#keep(key, { custody: place.custody, family: 'plain', atMs: wallMs(), grants }, label)
      }
      const seed = newSeed(randomBytes)
      try {
        return await this.#keepSeed(seed, 'plain', label, place, services)
      } finally {
        seed.fill(0)
      }
    })

  /** The caller zeroes the seed. */
  readonly keepSeed = (
    seed: Uint8Array,
    family: KeyFamily,
    label: string,
    place: Place = this.#usualPlace(),
    services: readonly Service[] = [],
  ): Promise<Result<KeyInfo, KeyProblem>> =>
    this.#spending(secretsOf(place), () => this.#keepSeed(seed, family, label, place, services))

  readonly note = (
    publicKey: string,
    { label, notAfterMs }: Pick<KeyNotes, 'label' | 'notAfterMs'>,
  ): Promise<Result<undefined, 'not-kept'>> =>
    this.#inTurn(async () => {
      const one = this.#keys.get(publicKey)
      if (one === undefined) return err('not-kept')
      const { notAfterMs: _, ...others } = one.notes
      const end = notAfterMs === undefined ? {} : { notAfterMs }
      return this.#putNotes(one, { ...others, label: cutLabel(label), ...end })
    })

  readonly remove = (publicKey: string): Promise<Result<undefined, 'not-removed'>> =>
    this.#inTurn(async () => {
      const one = this.#keys.get(publicKey)
      if (one !== undefined && one.custody !== 'session') {
        const removed = await this.#ports.store?.remove(publicKey)
        if (removed?.ok !== true) return err('not-removed')
      }
      this.#drop(publicKey)
      return ok(undefined)
    })

  /**
   * The key with this public key, or the newest one allowed for this service. Updates its time of last use. Does not wait for
   * other work, so that signing continues while a key is imported.
   */
  readonly find = async (publicKey: string | undefined, serviceId: ServiceId): Promise<FoundKey> => {
    await this.#loaded
    const wanted = this.#sorted().filter((each) => publicKey === undefined || each.publicKey === publicKey)
    const one = wanted.findLast(({ notes }) => grantFor(notes.grants, serviceId) !== undefined)
    if (one === undefined) return wanted.length === 0 ? undefined : 'not-allowed'
    if (one.key === undefined) return 'locked'
    this.#noteUse(one)
    const accepts = (service: GrantedService): boolean => isGranted(one.notes.grants, service)
    return { ...one.key, family: one.family, accepts }
  }

  readonly isKeeping = async (): Promise<boolean> => {
    await this.#loaded
    return this.#isStoring
  }

  /** Locks all vaults at once, without waiting for other work. */
  readonly lock = (): void => {
    this.#lockCount++
    this.#lockVaults()
  }

  readonly vaultCounts = async (): Promise<{ readonly open: number; readonly locked: number }> => {
    const vaults = Array.from(this.#keys.values()).filter(({ custody }) => custody === 'vault')
    const open = vaults.filter(({ key }) => key !== undefined).length
    return { open, locked: vaults.length - open }
  }

  readonly unlock = (publicKey: string, secret: VaultSecret): Promise<Result<KeyInfo, UnlockProblem>> =>
    this.#spending([bytesOf(secret)], async () => {
      const before = this.#lockCount
      const opened = await this.#unlock(publicKey, secret)
      if (!opened.ok || before === this.#lockCount) return opened
      this.#lockVaults()
      return ok({ ...opened.value, locked: true })
    })

  readonly changePassphrase = (
    publicKey: string,
    secret: VaultSecret,
    passphrase: Bytes,
  ): Promise<Result<KeyInfo, SlotProblem>> =>
    this.#rewrite(publicKey, [bytesOf(secret), passphrase], async (vault) =>
      isPassphrase(passphrase)
        ? changePassphrase(vault, secret, passphrase, this.#ports)
        : err('passphrase-short'),
    )

  readonly addPasskey = (
    publicKey: string,
    secret: VaultSecret,
    passkey: NewPasskey,
  ): Promise<Result<KeyInfo, SlotProblem>> =>
    this.#rewrite(publicKey, [bytesOf(secret), passkey.secret], (vault) =>
      addPasskey(vault, secret, passkey, this.#ports),
    )

  readonly removePasskey = (publicKey: string, credentialId: string): Promise<Result<KeyInfo, SlotProblem>> =>
    this.#rewrite(publicKey, [], async (vault) => ok(withoutPasskey(vault, credentialId)))

  /** The text of a vault file that opens with the passphrase, for moving the key to another computer. */
  readonly exportVault = (publicKey: string): Promise<Result<string, 'no-vault'>> =>
    this.#inTurn(async () => {
      const vault = this.#keys.get(publicKey)?.vault
      return vault === undefined ? err('no-vault') : ok(JSON.stringify(movableVault(vault), undefined, 2))
    })

  /**
   * The file must open with the passphrase now, so that no unusable vault is stored. `replace`: allows a key that is already
   * stored.
   */
  readonly importVault = (
    file: Uint8Array,
    passphrase: Bytes,
    label: string,
    replace = false,
    services: readonly Service[] = [],
  ): Promise<Result<KeyInfo, MoveProblem>> =>
    this.#spending([passphrase], async () => {
      if (this.#ports.cryptography !== 'webcrypto') return err('not-secure')
      const read = readVaultFile(file)
      if (!read.ok) return read
      await this.#reload() // Another signer of this browser may have stored the key.
      // Checked before the key derivation, which takes a second or more.
      const family = this.#keys.get(read.value.publicKey)?.family
      // A chain's key stays a chain's key. The family in the file is authenticated and cannot be changed here.
      if (family === 'chain' && read.value.family === 'plain') return err('chain-key')
      if (!replace && family !== undefined) return err('exists')
      const secret = { kind: 'passphrase', passphrase } as const
      const opened = await openVault(read.value, secret, this.#ports, () =>
        services.reduce(withGrant, NO_GRANTS),
      )
      if (!opened.ok) return opened
      const { key, vault, grants } = opened.value
      const atMs = this.#ports.wallMs()
      return this.#keep(key, { custody: 'vault', family: vault.family, vault, grants, atMs }, label)
    })

  /**
   * Allows a key to sign for this service as it is configured now. For a key in a vault the vault's secret is required, so that
   * no script in the page can extend what an open vault signs for.
   */
  readonly grant = (
    publicKey: string,
    service: Service,
    secret?: VaultSecret,
  ): Promise<Result<KeyInfo, GrantProblem>> =>
    this.#spending(secret === undefined ? [] : [bytesOf(secret)], async () => {
      await this.#reload()
      const one = this.#keys.get(publicKey)
      if (one === undefined) return err('no-key')
      const { vault, key, notes } = one
      if (isGranted(notes.grants, service) && (vault === undefined || key !== undefined))
        return ok(infoOf(one))
      if (vault === undefined) {
        const put = await this.#putNotes(one, { ...notes, grants: withGrant(notes.grants, service) })
        return put.ok ? ok(infoOf(one)) : put
      }
      if (secret === undefined) return err('needs-secret')
      const opened = await openVault(vault, secret, this.#ports, (sealed) =>
        withGrant(grantsInForce(one, sealed), service),
      )
      if (!opened.ok) return opened
      const renewed = await this.#renew(opened.value.vault, opened.value.grants)
      return renewed.ok ? renewed : err('not-kept')
    })

  readonly revoke = (publicKey: string, serviceId: ServiceId): Promise<Result<undefined, 'not-kept'>> =>
    this.#inTurn(async () => {
      const one = this.#keys.get(publicKey)
      if (one === undefined) return ok(undefined)
      const grants = one.notes.grants?.filter((each) => each.serviceId !== serviceId) ?? []
      return this.#putNotes(one, { ...one.notes, grants })
    })

  readonly isSecretOf = (publicKey: string, secret: VaultSecret): Promise<boolean> =>
    this.#spending([bytesOf(secret)], async () => {
      const vault = this.#keys.get(publicKey)?.vault
      return vault !== undefined && (await openVault(vault, secret, this.#ports)).ok
    })

  #usualPlace(): Place {
    return { custody: this.#ports.cryptography === 'webcrypto' ? 'device' : 'session' }
  }

  #spending<T>(secrets: readonly Uint8Array[], work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      try {
        return await work()
      } finally {
        for (const secret of secrets) secret.fill(0)
      }
    })
  }

  #sorted(): readonly RingKey[] {
    return Array.from(this.#keys.values()).toSorted((a, b) => a.createdMs - b.createdMs)
  }

  #drop(publicKey: string): void {
    this.#keys.get(publicKey)?.key?.forget()
    this.#keys.delete(publicKey)
  }

  #lockVaults(): void {
    for (const one of this.#keys.values()) {
      if (one.custody !== 'vault') continue
      one.key?.forget()
      one.key = undefined
    }
  }

  /** Reads storage again, because another signer of this browser may have changed it. */
  async #reload(): Promise<void> {
    const stored = await this.#ports.store?.load()
    this.#isStoring = stored?.ok === true
    // A storage that cannot be read says nothing about the keys in memory.
    if (stored?.ok !== true) return
    const kept = new Set(stored.value.map(({ publicKey }) => publicKey))
    for (const [id, { custody }] of this.#keys) if (custody !== 'session' && !kept.has(id)) this.#drop(id)
    for (const record of stored.value.slice(0, KEYS_MAX)) this.#apply(record)
  }

  #apply(record: StoredKey): void {
    const { publicKey, createdMs, vault, key: _key, ...stored } = record
    const before = this.#keys.get(publicKey)
    const read = newerUse(stored, before?.notes)
    // Any script of this origin can write to storage; that must not extend what an open vault signs for.
    const { grants: _, ...others } = read
    const own = before?.notes.grants
    const isOpenVault = before?.custody === 'vault' && before.key !== undefined
    const notes = isOpenVault ? { ...others, ...(own !== undefined && { grants: own }) } : read
    const base = {
      publicKey,
      createdMs,
      notes,
      ...(stored.lastUsedMs !== undefined && { notedUseMs: stored.lastUsedMs }),
    }
    if (vault !== undefined) {
      // An open key stays open even if its slots changed.
      const key = before?.custody === 'vault' ? before.key : undefined
      if (key === undefined) before?.key?.forget()
      this.#keys.set(publicKey, { ...base, custody: 'vault', family: vault.family, vault, key })
      return
    }
    const key = before?.custody === 'device' ? before.key : signingKeyOf(record)
    if (key !== undefined) this.#keys.set(publicKey, { ...base, custody: 'device', family: 'plain', key })
  }

  async #keepSeed(
    seed: Uint8Array,
    given: KeyFamily,
    label: string,
    place: Place,
    services: readonly Service[],
  ): Promise<Result<KeyInfo, KeyProblem>> {
    // The same seed in another format is the same key: a chain's key stays a chain's key.
    const known = this.#keys.get(bytesToHex(publicKeyOf(seed)))
    const family = known?.family === 'chain' ? 'chain' : given
    const problem = placeProblem(place, family, this.#ports.cryptography)
    if (problem !== undefined) return err(problem)
    const { custody } = place
    const atMs = this.#ports.wallMs()
    const sealed = services.reduce(withGrant, NO_GRANTS)
    const vault =
      place.custody === 'vault'
        ? await sealSeed(seed, place.passphrase, { family, createdMs: atMs, grants: sealed }, this.#ports)
        : undefined
    const key = await keyOfSeed(seed, this.#ports.cryptography)
    const grants = vault ? sealed : services.reduce<Grants>(withGrant, known?.notes.grants)
    return this.#keep(key, { custody, family, atMs, vault, grants }, label)
  }

  /**
   * Custody `device` becomes `session` if the key cannot be stored; a vault always needs storage. The caller must have checked
   * `placeProblem`.
   */
  async #keep(
    key: MadeKey,
    { custody, family, vault, grants, atMs }: Kept,
    label: string,
  ): Promise<Result<KeyInfo, KeepProblem>> {
    const publicKey = bytesToHex(key.publicKey)
    const before = this.#keys.get(publicKey)
    const createdMs = before?.createdMs ?? atMs
    const notes: KeyNotes = { ...before?.notes, label: cutLabel(label), ...(grants && { grants }) }
    const cryptoKey = custody === 'device' && this.#isStoring ? key.cryptoKey : undefined
    const record = { publicKey, createdMs, ...notes }
    const stored = vault ? { ...record, vault } : cryptoKey && { ...record, key: cryptoKey }
    const problem = await this.#replace(before, stored)
    if (problem !== undefined) {
      key.forget()
      return err(problem)
    }
    before?.key?.forget()
    const isSession = stored === undefined
    const one: RingKey = {
      publicKey,
      createdMs,
      notes,
      custody: isSession ? 'session' : custody,
      family,
      ...(vault && { vault }),
      key,
    }
    this.#keys.set(publicKey, one)
    return ok(infoOf(one))
  }

  /** Stores the new key over the old one. If the new key is for the session only, the old one is removed from storage. */
  async #replace(
    before: RingKey | undefined,
    stored: StoredKey | undefined,
  ): Promise<KeepProblem | undefined> {
    if (before === undefined && this.#keys.size >= KEYS_MAX) return 'too-many'
    if (stored !== undefined) return this.#write(stored)
    if (before === undefined || before.custody === 'session') return undefined
    return (await this.#ports.store?.remove(before.publicKey))?.ok === true ? undefined : 'not-kept'
  }

  async #write(record: StoredKey): Promise<'not-kept' | undefined> {
    const put = this.#isStoring ? await this.#ports.store?.put(record) : undefined
    return put?.ok === true ? undefined : 'not-kept'
  }

  async #putNotes(one: RingKey, notes: KeyNotes): Promise<Result<undefined, 'not-kept'>> {
    const isKept =
      one.custody === 'session' || (await this.#ports.store?.note(one.publicKey, notes))?.ok === true
    if (!isKept) return err('not-kept')
    one.notes = notes
    return ok(undefined)
  }

  #noteUse(one: RingKey): void {
    const lastUsedMs = this.#ports.wallMs()
    one.notes = { ...one.notes, lastUsedMs }
    if (one.custody === 'session' || Math.abs(lastUsedMs - (one.notedUseMs ?? 0)) < USE_NOTED_MS) return
    one.notedUseMs = lastUsedMs
    void this.#ports.store?.note(one.publicKey, one.notes) // It does not matter if this time is not stored.
  }

  async #unlock(publicKey: string, secret: VaultSecret): Promise<Result<KeyInfo, UnlockProblem>> {
    await this.#reload()
    const one = this.#keys.get(publicKey)
    if (one?.vault === undefined) return err('no-vault')
    const opened = await openVault(one.vault, secret, this.#ports, (sealed) => grantsInForce(one, sealed))
    if (!opened.ok) return opened
    const { key, vault, grants } = opened.value
    const renewed = await this.#renew(vault, grants, key)
    if (renewed.ok) return renewed
    // If storing failed, it is tried again at the next unlock; the key is open with its sealed grants.
    const now = this.#keys.get(publicKey)
    return now?.vault === undefined ? err('no-vault') : ok(openedVault(now, { ...now.notes, grants }, key))
  }

  #rewrite(
    publicKey: string,
    secrets: readonly Uint8Array[],
    change: (vault: Vault) => Promise<Result<Vault, OpenProblem | 'passphrase-short' | 'too-many'>>,
  ): Promise<Result<KeyInfo, SlotProblem>> {
    return this.#spending(secrets, async () => {
      const vault = this.#keys.get(publicKey)?.vault
      if (vault === undefined) return err('no-vault')
      const changed = await change(vault)
      return changed.ok ? this.#renew(changed.value) : changed
    })
  }

  /** Replaces a vault and its grants. With `key`, the vault becomes open. */
  async #renew(
    vault: Vault,
    grants?: readonly SigningGrant[],
    key?: SigningKey,
  ): Promise<Result<KeyInfo, 'not-kept'>> {
    const one = this.#keys.get(vault.publicKey)
    if (one?.vault === undefined) return err('not-kept')
    const { publicKey, createdMs } = one
    const notes = grants === undefined ? one.notes : { ...one.notes, grants }
    const isSame =
      vault === one.vault && JSON.stringify(notes.grants ?? []) === JSON.stringify(one.notes.grants ?? [])
    const problem = isSame ? undefined : await this.#write({ publicKey, createdMs, ...notes, vault })
    if (problem !== undefined) return err(problem)
    one.vault = vault
    return ok(openedVault(one, notes, key))
  }
}

const NO_GRANTS: readonly SigningGrant[] = []

const secretsOf = (place: Place): readonly Uint8Array[] =>
  place.custody === 'vault' ? [place.passphrase] : []

const bytesOf = (secret: VaultSecret): Uint8Array =>
  secret.kind === 'passphrase' ? secret.passphrase : secret.secret

/**
 * The sealed grants without those that were revoked since. Revoking needs no secret, so only storage has it. For a locked
 * vault, storage can remove grants but not add any.
 */
const grantsInForce = (
  { notes: { grants = [] }, key }: RingKey,
  sealed: readonly SigningGrant[],
): readonly SigningGrant[] => (key === undefined ? commonGrants(sealed, grants) : grants)

function openedVault(one: RingKey, notes: KeyNotes, key: SigningKey | undefined): KeyInfo {
  one.notes = notes
  if (key !== undefined) {
    one.key?.forget()
    one.key = key
  }
  return infoOf(one)
}

const cutLabel = (label: string): string => label.trim().slice(0, KEY_LABEL_CHARS_MAX)

/** Storage has the time of last use only to the hour; this signer may have a later one. */
const newerUse = (stored: KeyNotes, here: KeyNotes | undefined): KeyNotes => {
  const lastUsedMs = Math.max(stored.lastUsedMs ?? 0, here?.lastUsedMs ?? 0)
  return lastUsedMs === 0 ? stored : { ...stored, lastUsedMs }
}

const infoOf = ({ publicKey, createdMs, notes, custody, family, vault, key }: RingKey): KeyInfo => ({
  publicKey,
  createdMs,
  ...notes,
  custody,
  family,
  ...(vault && { locked: key === undefined, passkeys: passkeysOf(vault) }),
})

const passkeysOf = ({ slots }: Vault) =>
  slots.flatMap((slot) =>
    slot.kind === 'passkey' ? [{ credentialId: slot.credentialId, prfSalt: slot.prfSalt }] : [],
  )

const signingKeyOf = ({ publicKey, key }: StoredKey): SigningKey | undefined => {
  const bytes = hexToBytes(publicKey)
  return key !== undefined && bytes?.length === 32 ? webCryptoSigningKey(key, bytes) : undefined
}
