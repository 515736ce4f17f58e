import { HOUR_MS } from '#base/time.ts'
import { bytesToHex, hexToBytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { KeyFamily } from '#protocol/key-kinds.ts'
import type { KeyNotes, KeyStore, StoredKey } from './key-store.ts'
import { type MadeKey, type SigningKey, type UsableKey, webCryptoSigningKey } from './signing-key.ts'
import type { ServiceId } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import { grantFor, isGranted, withGrant, type SigningGrant } from '#signing/signing-grant.ts'
import type { PasskeySlot, Vault } from './vault.ts'

/** What may be shown of a key. The key itself never leaves the signer. */
export type KeyInfo = KeyNotes & {
  /** 64 hex digits; also the key's id. */
  readonly publicKey: string
  readonly createdMs: number
  /**
   * `device`: non-extractable, in this browser's storage, back after a restart. `vault`: encrypted
   * in this browser's storage, opened by a passphrase or passkey. `session`: in memory until the
   * last tab closes.
   */
  readonly custody: 'device' | 'vault' | 'session'
  /** `chain`: it came as the key of a chain wallet or validator, so it is never kept as `device`. */
  readonly family: KeyFamily
  /** Of a vault: whether it has to be opened before its key signs. */
  readonly locked?: boolean
  readonly passkeys?: readonly Pick<PasskeySlot, 'credentialId' | 'prfSalt'>[]
}

/** `not-kept`: there is a storage, and it would not keep the key. `too-many`: see `KEYS_MAX`. */
export type KeepProblem = 'not-kept' | 'too-many'

/** More keys than anybody tells apart; a bound for storage and lists. */
export const KEYS_MAX = 16

export const KEY_LABEL_CHARS_MAX = 60

/** The time of last use is written down when it is this much newer: not at every request. */
const USE_NOTED_MS = HOUR_MS

type Base = { readonly publicKey: string; readonly createdMs: number; notes: KeyNotes; notedUseMs?: number }

type Held = Base &
  (
    | { readonly custody: 'device'; readonly key: SigningKey }
    | { readonly custody: 'session'; readonly key: SigningKey; readonly family: KeyFamily }
    | { readonly custody: 'vault'; vault: Vault; key: SigningKey | undefined }
  )

/** `not-allowed`: there are keys, and none was chosen for this service. */
export type FoundKey = UsableKey | 'locked' | 'not-allowed' | undefined

type KeepHow =
  | { readonly custody: 'device' }
  | { readonly custody: 'session'; readonly family: KeyFamily }
  /** `grants`: those that are sealed in it. */
  | { readonly custody: 'vault'; readonly vault: Vault; readonly grants: readonly SigningGrant[] }

/** The keys in memory, and their copies in storage where there is one. Changes must not overlap. */
export type HeldKeys = {
  readonly store: KeyStore | undefined
  readonly byPublicKey: Map<string, Held>
  /** Whether storage answered the last `reloadKeys`. */
  keeping: boolean
}

export const createHeldKeys = (store: KeyStore | undefined): HeldKeys => ({
  store,
  byPublicKey: new Map(),
  keeping: false,
})

/** Oldest first; keys of the same millisecond in the order in which they came. */
export const listKeys = (held: HeldKeys): readonly KeyInfo[] => sorted(held).map(infoOf)

export const vaultOf = ({ byPublicKey }: HeldKeys, publicKey: string): Vault | undefined => {
  const one = byPublicKey.get(publicKey)
  return one?.custody === 'vault' ? one.vault : undefined
}

/** As what the key came here; undefined when it is not here. */
export const knownFamilyOf = ({ byPublicKey }: HeldKeys, publicKey: string): KeyFamily | undefined => {
  const one = byPublicKey.get(publicKey)
  return one && familyOf(one)
}

/** The key with this public key; without one the newest that signs for this service. Notes that it was used. */
export function useKey(
  held: HeldKeys,
  publicKey: string | undefined,
  serviceId: ServiceId,
  atMs: number,
): FoundKey {
  const wanted = sorted(held).filter((each) => publicKey === undefined || each.publicKey === publicKey)
  const one = wanted.findLast(({ notes }) => grantFor(notes.grants, serviceId) !== undefined)
  if (one === undefined) return wanted.length === 0 ? undefined : 'not-allowed'
  if (one.key === undefined) return 'locked'
  noteUse(held.store, one, atMs)
  return { ...one.key, family: familyOf(one), accepts: (service) => isGranted(one.notes.grants, service) }
}

/** What the key is known to sign for: of a vault that is locked what storage says, which widens nothing. */
export const knownGrants = ({ byPublicKey }: HeldKeys, publicKey: string) => {
  const one = byPublicKey.get(publicKey)
  const grants: readonly SigningGrant[] = one?.notes.grants ?? []
  return { grants, isTrusted: one?.custody !== 'vault' || one.key !== undefined }
}

/** Lets go of every key that has a vault to come back from. At once: not behind other work. */
export function lockVaults({ byPublicKey }: HeldKeys): void {
  for (const one of byPublicKey.values()) {
    if (one.custody !== 'vault') continue
    one.key?.forget()
    one.key = undefined
  }
}

export async function removeKey(
  held: HeldKeys,
  publicKey: string,
): Promise<Result<undefined, 'not-removed'>> {
  const one = held.byPublicKey.get(publicKey)
  if (one !== undefined && one.custody !== 'session') {
    const removed = await held.store?.remove(publicKey)
    if (removed?.ok !== true) return err('not-removed')
  }
  drop(held, publicKey)
  return ok(undefined)
}

const sorted = ({ byPublicKey }: HeldKeys): readonly Held[] =>
  Array.from(byPublicKey.values()).toSorted((a, b) => a.createdMs - b.createdMs)

function drop({ byPublicKey }: HeldKeys, publicKey: string): void {
  byPublicKey.get(publicKey)?.key?.forget()
  byPublicKey.delete(publicKey)
}

/** Takes over what storage has: another signer of this browser may have changed it. */
export async function reloadKeys(held: HeldKeys): Promise<void> {
  const stored = await held.store?.load()
  held.keeping = stored?.ok === true
  // A store that can't be read says nothing about the keys that are already here: they go on.
  if (stored?.ok !== true) return
  const kept = new Set(stored.value.map(({ publicKey }) => publicKey))
  for (const [id, { custody }] of held.byPublicKey) if (custody !== 'session' && !kept.has(id)) drop(held, id)
  for (const record of stored.value.slice(0, KEYS_MAX)) takeOver(held, record)
}

function takeOver({ byPublicKey }: HeldKeys, record: StoredKey): void {
  const { publicKey, createdMs } = record
  const before = byPublicKey.get(publicKey)
  const read = newerUse(notesOf(record), before?.notes)
  // Any script of this origin writes into storage: what it writes widens nothing that is in use.
  const isOpenVault = before?.custody === 'vault' && before.key !== undefined
  const { grants: _, ...others } = read
  const kept = before?.notes.grants
  const notes = isOpenVault ? { ...others, ...(kept !== undefined && { grants: kept }) } : read
  const base = { publicKey, createdMs, notes, ...usedOf(record) }
  if (record.vault !== undefined) {
    // The key that is open stays open: the same key, whatever became of its slots.
    const key = before?.custody === 'vault' ? before.key : undefined
    if (key === undefined) before?.key?.forget()
    byPublicKey.set(publicKey, { ...base, custody: 'vault', vault: record.vault, key })
    return
  }
  const key = before?.custody === 'device' ? before.key : signingKeyOf(record)
  if (key !== undefined) byPublicKey.set(publicKey, { ...base, custody: 'device', key })
}

/**
 * `custody` device becomes session where nothing can be kept. A vault always needs a store. What may be put where is
 * asked before: see `placeProblem`.
 */
export async function keepKey(
  held: HeldKeys,
  key: MadeKey,
  how: KeepHow,
  label: string,
  atMs: number,
): Promise<Result<KeyInfo, KeepProblem>> {
  const publicKey = bytesToHex(key.publicKey)
  const before = held.byPublicKey.get(publicKey)
  const createdMs = before?.createdMs ?? atMs
  const notes: KeyNotes = {
    ...before?.notes,
    label: cutLabel(label),
    ...(how.custody === 'vault' && { grants: how.grants }),
  }
  const cryptoKey = how.custody === 'device' && held.keeping ? key.cryptoKey : undefined
  const problem = await put()
  if (problem !== undefined) {
    key.forget()
    return err(problem)
  }
  before?.key?.forget()
  const base = { publicKey, createdMs, notes }
  const one = heldOf(base, how, key, cryptoKey !== undefined)
  held.byPublicKey.set(publicKey, one)
  return ok(infoOf(one))

  async function put(): Promise<KeepProblem | undefined> {
    if (before === undefined && held.byPublicKey.size >= KEYS_MAX) return 'too-many'
    if (how.custody === 'vault') return write(held, { publicKey, createdMs, ...notes, vault: how.vault })
    if (cryptoKey !== undefined) return write(held, { publicKey, createdMs, ...notes, key: cryptoKey })
    // What is for the session only must not come back from an older copy.
    const isStored = before !== undefined && before.custody !== 'session'
    return isStored && (await held.store?.remove(publicKey))?.ok !== true ? 'not-kept' : undefined
  }
}

function heldOf(base: Base, how: KeepHow, key: SigningKey, isOnDevice: boolean): Held {
  if (how.custody === 'vault') return { ...base, custody: 'vault', vault: how.vault, key }
  if (isOnDevice) return { ...base, custody: 'device', key }
  return { ...base, custody: 'session', key, family: how.custody === 'session' ? how.family : 'plain' }
}

async function write({ store, keeping }: HeldKeys, record: StoredKey): Promise<KeepProblem | undefined> {
  if (store === undefined || !keeping) return 'not-kept'
  return (await store.put(record)).ok ? undefined : 'not-kept'
}

/** Puts a vault's newer form in its place, and its grants as they were unsealed; with a key it is open from now on. */
export async function renewVault(
  held: HeldKeys,
  vault: Vault,
  grants?: readonly SigningGrant[],
  key?: SigningKey,
): Promise<Result<KeyInfo, KeepProblem>> {
  const one = held.byPublicKey.get(vault.publicKey)
  if (one?.custody !== 'vault') return err('not-kept')
  const { publicKey, createdMs } = one
  const notes = grants === undefined ? one.notes : { ...one.notes, grants }
  const isAsKept =
    vault === one.vault && JSON.stringify(notes.grants ?? []) === JSON.stringify(one.notes.grants ?? [])
  // Only a change is written: what was only opened is on disk already.
  const problem = isAsKept ? undefined : await write(held, { publicKey, createdMs, ...notes, vault })
  if (problem !== undefined) return err(problem)
  one.vault = vault
  return ok(openedVault(one, notes, key))
}

export function openHeldVault(
  { byPublicKey }: HeldKeys,
  publicKey: string,
  grants: readonly SigningGrant[],
  key: SigningKey,
): KeyInfo | undefined {
  const one = byPublicKey.get(publicKey)
  return one?.custody === 'vault' ? openedVault(one, { ...one.notes, grants }, key) : undefined
}

function openedVault(
  one: Extract<Held, { readonly custody: 'vault' }>,
  notes: KeyNotes,
  key: SigningKey | undefined,
): KeyInfo {
  one.notes = notes
  if (key !== undefined) {
    one.key?.forget()
    one.key = key
  }
  return infoOf(one)
}

export async function noteKey(
  held: HeldKeys,
  publicKey: string,
  { label, notAfterMs }: Pick<KeyNotes, 'label' | 'notAfterMs'>,
): Promise<Result<undefined, 'not-kept'>> {
  const one = held.byPublicKey.get(publicKey)
  if (one === undefined) return err('not-kept')
  const { notAfterMs: _, ...kept } = one.notes
  return putNotes(held, one, {
    ...kept,
    label: cutLabel(label),
    ...(notAfterMs !== undefined && { notAfterMs }),
  })
}

async function putNotes(
  { store }: HeldKeys,
  one: Held,
  notes: KeyNotes,
): Promise<Result<undefined, 'not-kept'>> {
  const isKept = one.custody === 'session' || (await store?.note(one.publicKey, notes))?.ok === true
  if (!isKept) return err('not-kept')
  one.notes = notes
  return ok(undefined)
}

/** Has the key sign for these services, as they are, from now on. A vault's grants are sealed: see `renewVault`. */
export async function grantKey(
  held: HeldKeys,
  publicKey: string,
  services: readonly Service[],
): Promise<Result<KeyInfo, KeepProblem>> {
  const one = held.byPublicKey.get(publicKey)
  if (one === undefined) return err('not-kept')
  if (services.every((service) => isGranted(one.notes.grants, service))) return ok(infoOf(one))
  const grants = services.reduce(withGrant, one.notes.grants ?? [])
  const put = await putNotes(held, one, { ...one.notes, grants })
  return put.ok ? ok(infoOf(one)) : put
}

export async function revokeGrant(
  held: HeldKeys,
  publicKey: string,
  serviceId: ServiceId,
): Promise<Result<undefined, 'not-kept'>> {
  const one = held.byPublicKey.get(publicKey)
  if (one === undefined) return ok(undefined)
  const grants = one.notes.grants?.filter((each) => each.serviceId !== serviceId) ?? []
  return putNotes(held, one, { ...one.notes, grants })
}

const cutLabel = (label: string): string => label.trim().slice(0, KEY_LABEL_CHARS_MAX)

const notesOf = ({ label, notAfterMs, lastUsedMs, grants }: KeyNotes): KeyNotes => ({
  label,
  ...(grants !== undefined && { grants }),
  ...(notAfterMs !== undefined && { notAfterMs }),
  ...(lastUsedMs !== undefined && { lastUsedMs }),
})

const usedOf = ({ lastUsedMs }: KeyNotes) => (lastUsedMs === undefined ? {} : { notedUseMs: lastUsedMs })

/** Storage knows the time of last use to the hour only; this signer may know better. */
const newerUse = (stored: KeyNotes, here: KeyNotes | undefined): KeyNotes => {
  const lastUsedMs = Math.max(stored.lastUsedMs ?? 0, here?.lastUsedMs ?? 0)
  return lastUsedMs === 0 ? stored : { ...stored, lastUsedMs }
}

function noteUse(store: KeyStore | undefined, one: Held, atMs: number): void {
  one.notes = { ...one.notes, lastUsedMs: atMs }
  if (one.custody === 'session' || Math.abs(atMs - (one.notedUseMs ?? 0)) < USE_NOTED_MS) return
  one.notedUseMs = atMs
  void store?.note(one.publicKey, one.notes) // a time that is not kept is a detail
}

const infoOf = (one: Held): KeyInfo => ({
  publicKey: one.publicKey,
  createdMs: one.createdMs,
  ...one.notes,
  custody: one.custody,
  family: familyOf(one),
  ...(one.custody === 'vault' && { locked: one.key === undefined, passkeys: passkeysOf(one.vault) }),
})

/** A key of a chain is never put on the device. */
const familyOf = (one: Held): KeyFamily => {
  if (one.custody === 'vault') return one.vault.family
  return one.custody === 'session' ? one.family : 'plain'
}

const passkeysOf = ({ slots }: Vault) =>
  slots.flatMap((slot) =>
    slot.kind === 'passkey' ? [{ credentialId: slot.credentialId, prfSalt: slot.prfSalt }] : [],
  )

const signingKeyOf = ({ publicKey, key }: StoredKey): SigningKey | undefined => {
  const bytes = hexToBytes(publicKey)
  return key !== undefined && bytes?.length === 32 ? webCryptoSigningKey(key, bytes) : undefined
}
