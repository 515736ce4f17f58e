import { base64ToBytes, bytesToBase64Url, type Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  ARGON2_DEFAULT,
  isCostAllowed,
  IV_BYTES,
  SALT_BYTES,
  slotHeader,
  type Argon2Cost,
  type PasskeySlot,
  type PassphraseSlot,
  type Vault,
  type VaultSlot,
} from './vault.ts'
import type { DeriveKey } from './vault-argon2.ts'
import type { WebCryptoKey } from './web-crypto-signer.ts'

/** What opens a vault. Lent: whoever made it zeroes it. */
export type VaultSecret =
  | { readonly kind: 'passphrase'; readonly passphrase: Bytes }
  /** `secret`: the 32 bytes that the passkey gave for the slot's salt. */
  | { readonly kind: 'passkey'; readonly credentialId: string; readonly secret: Bytes }

/** A passkey that is to open a vault. The texts are base64url without padding. */
export type NewPasskey = {
  readonly credentialId: string
  readonly prfSalt: string
  readonly secret: Bytes
}

export type VaultPorts = {
  readonly randomBytes: (length: number) => Bytes
  readonly deriveKey: DeriveKey
}

type VaultIdentity = Pick<Vault, 'version' | 'id' | 'publicKey' | 'family' | 'createdMs'>

const PASSKEY_INFO = new TextEncoder().encode('immune-node-vault-passkey')

/** Wraps a data key, which has to be extractable for it, under a passphrase. Takes a second or more. */
export async function passphraseSlot(
  vault: VaultIdentity,
  dataKey: WebCryptoKey,
  passphrase: Uint8Array,
  { randomBytes, deriveKey }: VaultPorts,
  cost: Argon2Cost = ARGON2_DEFAULT,
): Promise<PassphraseSlot> {
  const salt = randomBytes(SALT_BYTES)
  const iv = randomBytes(IV_BYTES)
  const { memoryKib, passes, lanes } = cost
  const open = {
    kind: 'passphrase',
    memoryKib,
    passes,
    lanes,
    salt: bytesToBase64Url(salt),
    iv: bytesToBase64Url(iv),
  } as const
  const wrapping = await keyOfPassphrase(deriveKey, passphrase, salt, cost)
  return { ...open, wrappedKey: await wrap(dataKey, wrapping, iv, slotHeader(vault, open)) }
}

/** The same under the secret of a passkey. */
export async function passkeySlot(
  vault: VaultIdentity,
  dataKey: WebCryptoKey,
  { credentialId, prfSalt, secret }: NewPasskey,
  { randomBytes }: VaultPorts,
): Promise<PasskeySlot> {
  const salt = randomBytes(SALT_BYTES)
  const iv = randomBytes(IV_BYTES)
  const open = {
    kind: 'passkey',
    credentialId,
    prfSalt,
    salt: bytesToBase64Url(salt),
    iv: bytesToBase64Url(iv),
  } as const
  const wrapping = await keyOfPasskey(secret, salt)
  return { ...open, wrappedKey: await wrap(dataKey, wrapping, iv, slotHeader(vault, open)) }
}

/** The slots that a secret can be meant for. */
export const slotsFor = (vault: Vault, secret: VaultSecret): readonly VaultSlot[] =>
  vault.slots.filter(
    (slot) =>
      slot.kind === secret.kind &&
      (slot.kind === 'passphrase' ||
        (secret.kind === 'passkey' && slot.credentialId === secret.credentialId)),
  )

/** The data key of a slot. A wrong secret and a changed slot look alike: neither gives a key. */
export async function openSlot(
  vault: Vault,
  slot: VaultSlot,
  secret: VaultSecret,
  use: { readonly deriveKey: DeriveKey; readonly extractable: boolean },
): Promise<Result<WebCryptoKey, 'wrong-secret'>> {
  const [salt, iv, wrapped] = [slot.salt, slot.iv, slot.wrappedKey].map(base64ToBytes)
  if (salt === undefined || iv === undefined || wrapped === undefined) return err('wrong-secret')
  const wrapping = await wrappingKey(slot, secret, salt, use.deriveKey)
  if (wrapping === undefined) return err('wrong-secret')
  try {
    const gcm = { name: 'AES-GCM', iv, additionalData: slotHeader(vault, slot) }
    return ok(
      await crypto.subtle.unwrapKey('raw', wrapped, wrapping, gcm, 'AES-GCM', use.extractable, [
        'unwrapKey',
        'encrypt',
        'decrypt',
      ]),
    )
  } catch {
    return err('wrong-secret') // what the browser says of a failed decryption is nothing at all
  }
}

async function wrappingKey(
  slot: VaultSlot,
  secret: VaultSecret,
  salt: Bytes,
  deriveKey: DeriveKey,
): Promise<WebCryptoKey | undefined> {
  if (slot.kind === 'passphrase' && secret.kind === 'passphrase') {
    // Looked at here as well: a cost from outside decides how much memory and time this computer spends.
    return isCostAllowed(slot) ? keyOfPassphrase(deriveKey, secret.passphrase, salt, slot) : undefined
  }
  return secret.kind === 'passkey' ? keyOfPasskey(secret.secret, salt) : undefined
}

async function keyOfPassphrase(
  deriveKey: DeriveKey,
  passphrase: Uint8Array,
  salt: Bytes,
  cost: Argon2Cost,
): Promise<WebCryptoKey> {
  const derived = await deriveKey(passphrase, salt, cost)
  try {
    return await crypto.subtle.importKey('raw', derived, 'AES-GCM', false, ['wrapKey', 'unwrapKey'])
  } finally {
    derived.fill(0)
  }
}

async function keyOfPasskey(secret: Bytes, salt: Bytes): Promise<WebCryptoKey> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt, info: PASSKEY_INFO }
  return crypto.subtle.deriveKey(hkdf, base, { name: 'AES-GCM', length: 256 }, false, [
    'wrapKey',
    'unwrapKey',
  ])
}

async function wrap(
  dataKey: WebCryptoKey,
  wrapping: WebCryptoKey,
  iv: Bytes,
  additionalData: Bytes,
): Promise<string> {
  const wrapped = await crypto.subtle.wrapKey('raw', dataKey, wrapping, {
    name: 'AES-GCM',
    iv,
    additionalData,
  })
  return bytesToBase64Url(new Uint8Array(wrapped))
}
