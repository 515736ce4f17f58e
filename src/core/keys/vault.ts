import * as v from 'valibot'
import { PublicKeyHex, whole } from '#base/schemas.ts'
import { base64ToBytes, bytesToBase64Url, bytesToHex, hexToBytes, type Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import { grantsOf, type SigningGrant } from '#signing/signing-grant.ts'
import {
  publicKeyOf,
  pkcs8Of,
  webCryptoSigningKey,
  type WebCryptoSigningKey,
  fitsSignature,
} from './signing-key.ts'
import type { WebCryptoKey } from './web-crypto.ts'
import type { Argon2Cost, DeriveKey } from './passphrase-key.ts'

/**
 * A vault: one private key, encrypted. A random data key wraps the PKCS#8 form of the key; each slot wraps the data key under
 * something that the operator has, so that a passphrase, a passkey or the cost of guessing can change without touching the key.
 * Everything that is not ciphertext is authenticated with the ciphertext next to it: see `vaultHeader` and `slotHeader`.
 */

/** Cost of guessing a passphrase. A cost below the floor was tampered with; one above the ceiling would hang this computer. */
export const ARGON2_DEFAULT = { memoryKib: 65_536, passes: 3, lanes: 1 } as const
export const ARGON2_FLOOR = { memoryKib: 19_456, passes: 2, lanes: 1 } as const
export const ARGON2_CEILING = { memoryKib: 1_048_576, passes: 10, lanes: 1 } as const

const SALT_BYTES = 16
const IV_BYTES = 12
const DATA_KEY_BYTES = 32
const TAG_BYTES = 16
/** PKCS#8 version 1 of an Ed25519 key. */
const PKCS8_BYTES = 48

export const SLOTS_MAX = 8

/** The maximum number of grants with the longest addresses takes two thirds of this. */
const SEALED_GRANTS_CHARS_MAX = 65_536

/** A vault with every slot and the longest credential ids takes a third of this. */
export const VAULT_INPUT_BYTES_MAX = 32_768

/** Base64url without padding, of exactly this many bytes. */
const coded = (bytes: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[A-Za-z0-9_-]*$/),
    v.check((text) => base64ToBytes(text)?.length === bytes),
  )

const WRAPPED = {
  salt: coded(SALT_BYTES),
  iv: coded(IV_BYTES),
  wrappedKey: coded(DATA_KEY_BYTES + TAG_BYTES),
}

const PassphraseSlotSchema = v.strictObject({
  kind: v.literal('passphrase'),
  memoryKib: whole(1, Number.MAX_SAFE_INTEGER),
  passes: whole(1, Number.MAX_SAFE_INTEGER),
  lanes: v.literal(1),
  ...WRAPPED,
})

const PasskeySlotSchema = v.strictObject({
  kind: v.literal('passkey'),
  /** Identifies the passkey; WebAuthn allows up to 1,023 bytes. */
  credentialId: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,1364}$/)),
  /** Input of the passkey's PRF, which returns a different secret for each salt. */
  prfSalt: coded(32),
  ...WRAPPED,
})

const VaultSchema = v.strictObject({
  format: v.literal('immune-node-vault'),
  version: v.literal(1),
  /** Random, so that two vaults of the same key differ. */
  id: coded(SALT_BYTES),
  publicKey: PublicKeyHex,
  /** `chain`: the key was imported from the format of a chain wallet or validator. */
  family: v.picklist(['plain', 'chain']),
  createdMs: whole(0, Number.MAX_SAFE_INTEGER),
  iv: coded(IV_BYTES),
  sealedKey: coded(PKCS8_BYTES + TAG_BYTES),
  /**
   * Services that the key may sign for, sealed with the data key; absent: none. Never part of a file, because permissions apply
   * to this browser only.
   */
  grants: v.optional(
    v.strictObject({
      iv: coded(IV_BYTES),
      sealed: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]*$/), v.maxLength(SEALED_GRANTS_CHARS_MAX)),
    }),
  ),
  slots: v.pipe(
    v.array(v.variant('kind', [PassphraseSlotSchema, PasskeySlotSchema])),
    v.minLength(1),
    v.maxLength(SLOTS_MAX),
  ),
})

export type Vault = Readonly<v.InferOutput<typeof VaultSchema>>
type VaultSlot = Vault['slots'][number]
type PassphraseSlot = Extract<VaultSlot, { readonly kind: 'passphrase' }>
export type PasskeySlot = Extract<VaultSlot, { readonly kind: 'passkey' }>

/** `cost-refused`: a passphrase slot's cost is below the floor or above the ceiling. */
export type VaultProblem = 'not-a-vault' | 'cost-refused'

/** Validates an untrusted vault from storage or a file. Does not check whether it opens. */
export function readVault(input: unknown): Result<Vault, VaultProblem> {
  const parsed = v.safeParse(VaultSchema, input)
  if (!parsed.success) return err('not-a-vault')
  const isAllowed = parsed.output.slots.every((slot) => slot.kind !== 'passphrase' || isCostAllowed(slot))
  return isAllowed ? ok(parsed.output) : err('cost-refused')
}

export function readVaultFile(bytes: Uint8Array): Result<Vault, VaultProblem> {
  if (bytes.length > VAULT_INPUT_BYTES_MAX) return err('not-a-vault')
  try {
    return readVault(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch {
    return err('not-a-vault') // The bytes are not UTF-8, or not JSON.
  }
}

/** Each parameter is checked separately: more memory does not make up for fewer passes. */
const isCostAllowed = ({ memoryKib, passes }: Argon2Cost): boolean =>
  memoryKib >= ARGON2_FLOOR.memoryKib &&
  memoryKib <= ARGON2_CEILING.memoryKib &&
  passes >= ARGON2_FLOOR.passes &&
  passes <= ARGON2_CEILING.passes

type Header = Pick<Vault, 'version' | 'id' | 'publicKey' | 'family' | 'createdMs'>

const lines = (...parts: readonly (string | number)[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(parts.join('\n'))

/** Additional data of the sealed key. No part can contain a line break, so no two headers are equal. */
export const vaultHeader = ({ version, id, publicKey, family, createdMs }: Header) =>
  lines('immune-node-vault', version, id, publicKey, family, createdMs)

/** Additional data of the sealed grants, so that grants of another vault do not decrypt here. */
export const grantsHeader = ({ version, id, publicKey }: Header) =>
  lines('immune-node-vault-grants', version, id, publicKey)

/** Additional data of a slot's wrapped data key: its vault and all inputs of its derivation. */
export const slotHeader = (
  { version, id, publicKey }: Header,
  slot: Omit<PassphraseSlot, 'wrappedKey'> | Omit<PasskeySlot, 'wrappedKey'>,
) => {
  const derivation =
    slot.kind === 'passphrase' ? [slot.memoryKib, slot.passes, slot.lanes] : [slot.credentialId, slot.prfSalt]
  return lines(`immune-node-vault-${slot.kind}`, version, id, publicKey, ...derivation, slot.salt)
}

/**
 * `wrong-secret`: the passphrase or passkey does not belong to this vault, or the slot was changed; the two cannot be
 * distinguished. `damaged`: the secret is right, but the sealed key cannot be read.
 */
export type OpenProblem = 'wrong-secret' | 'damaged'

type Opened = {
  /** Non-extractable; its seed was never in this program's memory as bytes. */
  readonly key: WebCryptoSigningKey
  /** The vault to store from now on, with these grants. */
  readonly vault: Vault
  readonly grants: readonly SigningGrant[]
}

type NewVault = {
  readonly family: Vault['family']
  readonly createdMs: number
  readonly cost?: Argon2Cost
  readonly grants?: readonly SigningGrant[]
}

/** Creates a vault from a seed. The caller zeroes the seed and the passphrase. */
export async function sealSeed(
  seed: Uint8Array,
  passphrase: Uint8Array,
  { family, createdMs, cost, grants = [] }: NewVault,
  ports: VaultPorts,
): Promise<Vault> {
  const identity = {
    format: 'immune-node-vault',
    version: 1,
    id: bytesToBase64Url(ports.randomBytes(SALT_BYTES)),
    publicKey: bytesToHex(publicKeyOf(seed)),
    family,
    createdMs,
  } as const
  const dataKey = await newDataKey()
  const pkcs8 = pkcs8Of(seed)
  try {
    const { iv, sealed } = await seal(dataKey, pkcs8, vaultHeader(identity), ports)
    const secret = { kind: 'passphrase', passphrase } as const
    const slot = await newSlot(identity, dataKey, slotCost(cost), secret, ports)
    const vault = { ...identity, iv, sealedKey: sealed, slots: [slot] }
    return grants.length === 0 ? vault : await withSealedGrants(vault, dataKey, grants, ports)
  } finally {
    pkcs8.fill(0)
  }
}

/** Opens a vault; `change` gives the grants that it stores from now on. The sealed key stays unchanged. */
export async function openVault(
  given: Vault,
  secret: VaultSecret,
  ports: VaultPorts,
  change: (sealed: readonly SigningGrant[]) => readonly SigningGrant[] = (sealed) => sealed,
): Promise<Result<Opened, OpenProblem>> {
  const found = await findDataKey(given, secret, { ...ports, extractable: false })
  if (!found.ok) return found
  const dataKey = found.value
  const key = await unsealKey(given, dataKey)
  if (key === undefined) return err('damaged')
  const sealed = await unsealGrants(given, dataKey)
  const grants = change(sealed)
  const isChanged = JSON.stringify(grants) !== JSON.stringify(sealed)
  const vault = isChanged ? await withSealedGrants(given, dataKey, grants, ports) : given
  return ok({ key, vault, grants })
}

/** `secret` may be the current passphrase or a passkey's secret. */
export async function changePassphrase(
  vault: Vault,
  secret: VaultSecret,
  passphrase: Bytes,
  ports: VaultPorts,
): Promise<Result<Vault, OpenProblem>> {
  const found = await findDataKey(vault, secret, { ...ports, extractable: true })
  if (!found.ok) return found
  const slot = await newSlot(vault, found.value, slotCost(), { kind: 'passphrase', passphrase }, ports)
  return ok({ ...vault, slots: [slot, ...vault.slots.filter(({ kind }) => kind !== 'passphrase')] })
}

/** Adds a passkey that opens the vault. The passphrase stays, because a passkey can be lost. */
export async function addPasskey(
  vault: Vault,
  secret: VaultSecret,
  { credentialId, prfSalt, secret: ofPasskey }: NewPasskey,
  ports: VaultPorts,
): Promise<Result<Vault, OpenProblem | 'too-many'>> {
  if (vault.slots.length >= SLOTS_MAX) return err('too-many')
  const found = await findDataKey(vault, secret, { ...ports, extractable: true })
  if (!found.ok) return found
  const open = { kind: 'passkey', credentialId, prfSalt } as const
  const passkey = { kind: 'passkey', credentialId, secret: ofPasskey } as const
  const slot = await newSlot(vault, found.value, open, passkey, ports)
  return ok({ ...vault, slots: [...vault.slots, slot] })
}

/** Removes a passkey. Copies of the vault that were made earlier still open with it. */
export const withoutPasskey = (vault: Vault, credentialId: string): Vault => ({
  ...vault,
  slots: vault.slots.filter((slot) => slot.kind !== 'passkey' || slot.credentialId !== credentialId),
})

/** For moving to another computer. Omits passkeys, which belong to this host name, and grants, which apply to this browser. */
export function movableVault(vault: Vault): Vault {
  const { grants: _, ...others } = vault
  return { ...others, slots: vault.slots.filter(({ kind }) => kind === 'passphrase') }
}

async function findDataKey(
  vault: Vault,
  secret: VaultSecret,
  use: VaultPorts & { readonly extractable: boolean },
): Promise<Result<WebCryptoKey, 'wrong-secret'>> {
  for (const slot of vault.slots) {
    const dataKey = isFor(slot, secret) ? await openSlot(vault, slot, secret, use) : undefined
    if (dataKey !== undefined) return ok(dataKey)
  }
  return err('wrong-secret')
}

/** Unwraps the ciphertext directly into a WebCrypto key. */
async function unsealKey(vault: Vault, dataKey: WebCryptoKey): Promise<WebCryptoSigningKey | undefined> {
  const sealed = bytesIn(vault.sealedKey)
  const gcm = gcmOf(bytesIn(vault.iv), vaultHeader(vault))
  try {
    const key = await crypto.subtle.unwrapKey('pkcs8', sealed, dataKey, gcm, 'Ed25519', false, ['sign'])
    const signing = webCryptoSigningKey(key, hexToBytes(vault.publicKey) ?? NO_BYTES)
    return (await isKeyOf(signing)) ? signing : undefined
  } catch {
    return undefined // The ciphertext was changed, or contains no key.
  }
}

/** Scripts of this origin can write to storage but do not have the data key, so they cannot forge grants. */
async function withSealedGrants(
  vault: Vault,
  dataKey: WebCryptoKey,
  grants: readonly SigningGrant[],
  ports: VaultPorts,
): Promise<Vault> {
  const plain = new TextEncoder().encode(JSON.stringify(grants))
  return { ...vault, grants: await seal(dataKey, plain, grantsHeader(vault), ports) }
}

const NO_BYTES: Bytes = new Uint8Array()

/** The schema has checked the text; the ciphertext of any other one would not open. */
const bytesIn = (text: string): Bytes => base64ToBytes(text) ?? NO_BYTES

const gcmOf = (iv: Bytes, additionalData: Bytes) => ({ name: 'AES-GCM', iv, additionalData })

async function seal(dataKey: WebCryptoKey, plain: Bytes, header: Bytes, { randomBytes }: VaultPorts) {
  const iv = randomBytes(IV_BYTES)
  const sealed = await crypto.subtle.encrypt(gcmOf(iv, header), dataKey, plain)
  return { iv: bytesToBase64Url(iv), sealed: bytesToBase64Url(new Uint8Array(sealed)) }
}

/** Empty if nothing was sealed, or if the grants belong to another vault. */
async function unsealGrants(vault: Vault, dataKey: WebCryptoKey): Promise<readonly SigningGrant[]> {
  if (vault.grants === undefined) return []
  const gcm = gcmOf(bytesIn(vault.grants.iv), grantsHeader(vault))
  try {
    const plain = await crypto.subtle.decrypt(gcm, dataKey, bytesIn(vault.grants.sealed))
    return grantsOf(JSON.parse(new TextDecoder().decode(plain)))
  } catch {
    return []
  }
}

const CHECK_TEXT: Bytes = new TextEncoder().encode('immune-node-vault: is this the key of this vault?')

/**
 * AES-GCM does not commit to one key: two data keys can decrypt one ciphertext to different contents. The signature check
 * detects that.
 */
const isKeyOf = async (key: WebCryptoSigningKey): Promise<boolean> =>
  fitsSignature(key.publicKey, CHECK_TEXT, await key.sign(CHECK_TEXT))

const DATA_KEY_USES: ('encrypt' | 'decrypt' | 'unwrapKey')[] = ['encrypt', 'decrypt', 'unwrapKey']

async function newDataKey(): Promise<WebCryptoKey> {
  const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, DATA_KEY_USES)
  if ('privateKey' in made) throw new Error('generateKey returned a pair')
  return made
}

/** The caller zeroes it. */
export type VaultSecret =
  | { readonly kind: 'passphrase'; readonly passphrase: Uint8Array }
  /** `secret`: the 32 bytes that the passkey returned for the slot's salt. */
  | { readonly kind: 'passkey'; readonly credentialId: string; readonly secret: Bytes }

/** Texts are base64url without padding. */
export type NewPasskey = {
  readonly credentialId: string
  readonly prfSalt: string
  readonly secret: Bytes
}

export type VaultPorts = {
  readonly randomBytes: (length: number) => Bytes
  readonly deriveKey: DeriveKey
}

const PASSKEY_INFO = new TextEncoder().encode('immune-node-vault-passkey')

const slotCost = ({ memoryKib, passes, lanes }: Argon2Cost = ARGON2_DEFAULT) =>
  ({ kind: 'passphrase', memoryKib, passes, lanes }) as const

type Drawn = 'salt' | 'iv' | 'wrappedKey'

/** Wraps an extractable data key under a secret. With a passphrase this takes a second or more. */
async function newSlot(
  vault: Header,
  dataKey: WebCryptoKey,
  parts: Omit<PassphraseSlot, Drawn> | Omit<PasskeySlot, Drawn>,
  secret: VaultSecret,
  { randomBytes, deriveKey }: VaultPorts,
): Promise<VaultSlot> {
  const [salt, iv] = [randomBytes(SALT_BYTES), randomBytes(IV_BYTES)]
  const open = { ...parts, salt: bytesToBase64Url(salt), iv: bytesToBase64Url(iv) }
  const wrapping = await wrappingKey(open, secret, salt, deriveKey)
  const gcm = gcmOf(iv, slotHeader(vault, open))
  const wrapped = await crypto.subtle.wrapKey('raw', dataKey, wrapping, gcm)
  return { ...open, wrappedKey: bytesToBase64Url(new Uint8Array(wrapped)) }
}

const isFor = (slot: VaultSlot, secret: VaultSecret): boolean =>
  slot.kind === 'passphrase'
    ? secret.kind === 'passphrase'
    : secret.kind === 'passkey' && slot.credentialId === secret.credentialId

/** Unwraps a slot's data key. A wrong secret and a changed slot cannot be distinguished. */
async function openSlot(
  vault: Vault,
  slot: VaultSlot,
  secret: VaultSecret,
  { deriveKey, extractable }: { readonly deriveKey: DeriveKey; readonly extractable: boolean },
): Promise<WebCryptoKey | undefined> {
  // An untrusted cost would decide how much memory and time this computer spends.
  if (slot.kind === 'passphrase' && !isCostAllowed(slot)) return undefined
  const wrapping = await wrappingKey(slot, secret, bytesIn(slot.salt), deriveKey)
  const gcm = gcmOf(bytesIn(slot.iv), slotHeader(vault, slot))
  const wrapped = bytesIn(slot.wrappedKey)
  try {
    return await crypto.subtle.unwrapKey('raw', wrapped, wrapping, gcm, 'AES-GCM', extractable, DATA_KEY_USES)
  } catch {
    return undefined // Browsers give no reason for a failed decryption.
  }
}

const WRAPPING_USES: ('wrapKey' | 'unwrapKey')[] = ['wrapKey', 'unwrapKey']

async function wrappingKey(
  slot: { readonly kind: VaultSlot['kind'] } & Partial<Argon2Cost>,
  secret: VaultSecret,
  salt: Bytes,
  deriveKey: DeriveKey,
): Promise<WebCryptoKey> {
  if (secret.kind === 'passkey') {
    const base = await crypto.subtle.importKey('raw', secret.secret, 'HKDF', false, ['deriveKey'])
    const hkdf = { name: 'HKDF', hash: 'SHA-256', salt, info: PASSKEY_INFO }
    return crypto.subtle.deriveKey(hkdf, base, { name: 'AES-GCM', length: 256 }, false, WRAPPING_USES)
  }
  const { memoryKib, passes } = { ...ARGON2_DEFAULT, ...slot }
  const derived = await deriveKey(secret.passphrase, salt, { memoryKib, passes, lanes: 1 })
  try {
    return await crypto.subtle.importKey('raw', derived, 'AES-GCM', false, WRAPPING_USES)
  } finally {
    derived.fill(0)
  }
}
