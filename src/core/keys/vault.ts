import * as v from 'valibot'
import { base64ToBytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'

/*
 * A vault: one private key, encrypted. A random data key wraps the PKCS#8 form of the key;
 * each slot wraps the data key under something that the operator has. So a passphrase can be
 * changed, a passkey added and the cost of guessing raised without touching the key itself.
 * Everything that is not ciphertext is authenticated as the additional data of the ciphertext
 * next to it: see `vaultHeader` and `slotHeader`.
 */

/** The cost of guessing a passphrase. What is cheaper than the floor was tampered with; what is dearer than the ceiling is meant to hang this computer. */
export const ARGON2_DEFAULT = { memoryKib: 65_536, passes: 3, lanes: 1 } as const
export const ARGON2_FLOOR = { memoryKib: 19_456, passes: 2, lanes: 1 } as const
export const ARGON2_CEILING = { memoryKib: 1_048_576, passes: 10, lanes: 1 } as const

export const SALT_BYTES = 16
export const IV_BYTES = 12
export const DATA_KEY_BYTES = 32
const TAG_BYTES = 16
/** PKCS#8 version 1 of an Ed25519 key. */
const PKCS8_BYTES = 48

/** More ways in than anybody keeps track of. */
export const SLOTS_MAX = 8

/** Every grant that there may be, with the longest addresses, is two thirds of this. */
const SEALED_GRANTS_CHARS_MAX = 65_536

/** A vault with every slot and the longest credential ids is a third of this. */
export const VAULT_INPUT_BYTES_MAX = 32_768

/** Base64url without padding, of exactly so many bytes. */
const coded = (bytes: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[A-Za-z0-9_-]*$/),
    v.check((text) => base64ToBytes(text)?.length === bytes),
  )

const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

const PassphraseSlotSchema = v.strictObject({
  kind: v.literal('passphrase'),
  memoryKib: whole(1, Number.MAX_SAFE_INTEGER),
  passes: whole(1, Number.MAX_SAFE_INTEGER),
  lanes: v.literal(1),
  salt: coded(SALT_BYTES),
  iv: coded(IV_BYTES),
  wrappedKey: coded(DATA_KEY_BYTES + TAG_BYTES),
})

const PasskeySlotSchema = v.strictObject({
  kind: v.literal('passkey'),
  /** Which passkey to ask for; WebAuthn allows up to 1,023 bytes. */
  credentialId: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,1364}$/)),
  /** What the passkey is asked about: it answers each salt with a secret of its own. */
  prfSalt: coded(32),
  salt: coded(SALT_BYTES),
  iv: coded(IV_BYTES),
  wrappedKey: coded(DATA_KEY_BYTES + TAG_BYTES),
})

const VaultSchema = v.strictObject({
  format: v.literal('immune-node-vault'),
  version: v.literal(1),
  /** Random: tells two vaults of the same key apart. */
  id: coded(SALT_BYTES),
  publicKey: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** `chain`: the format the key came in is that of a chain wallet or validator. */
  family: v.picklist(['plain', 'chain']),
  createdMs: whole(0, Number.MAX_SAFE_INTEGER),
  iv: coded(IV_BYTES),
  sealedKey: coded(PKCS8_BYTES + TAG_BYTES),
  /** What the key signs for, sealed by the data key; absent: nothing. Not part of a file: what is allowed is allowed here. */
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
export type VaultSlot = Vault['slots'][number]
export type PassphraseSlot = Extract<VaultSlot, { readonly kind: 'passphrase' }>
export type PasskeySlot = Extract<VaultSlot, { readonly kind: 'passkey' }>
export type Argon2Cost = Pick<PassphraseSlot, 'memoryKib' | 'passes' | 'lanes'>

/** `cost-refused`: a passphrase slot is cheaper than the floor or dearer than the ceiling. */
export type VaultProblem = 'not-a-vault' | 'cost-refused'

/** Looks at a vault from storage or from a file, which anybody may have written. Says nothing about whether it opens. */
export function readVault(input: unknown): Result<Vault, VaultProblem> {
  const parsed = v.safeParse(VaultSchema, input)
  if (!parsed.success) return err('not-a-vault')
  const isAllowed = parsed.output.slots.every((slot) => slot.kind !== 'passphrase' || isCostAllowed(slot))
  return isAllowed ? ok(parsed.output) : err('cost-refused')
}

/** The same from the bytes of a file. */
export function readVaultFile(bytes: Uint8Array): Result<Vault, VaultProblem> {
  if (bytes.length > VAULT_INPUT_BYTES_MAX) return err('not-a-vault')
  try {
    return readVault(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch {
    return err('not-a-vault') // neither UTF-8 nor JSON
  }
}

/** Both ends of the range count: more memory does not make up for fewer passes. */
export const isCostAllowed = ({ memoryKib, passes }: Argon2Cost): boolean =>
  memoryKib >= ARGON2_FLOOR.memoryKib &&
  memoryKib <= ARGON2_CEILING.memoryKib &&
  passes >= ARGON2_FLOOR.passes &&
  passes <= ARGON2_CEILING.passes

export const isCostBelow = (cost: Argon2Cost, wanted: Argon2Cost): boolean =>
  cost.memoryKib < wanted.memoryKib || cost.passes < wanted.passes

type Header = Pick<Vault, 'version' | 'id' | 'publicKey' | 'family' | 'createdMs'>

const lines = (...parts: readonly (string | number)[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(parts.join('\n'))

/** What the sealed key is bound to. No part can hold a line break, so no two headers read alike. */
export const vaultHeader = ({ version, id, publicKey, family, createdMs }: Header) =>
  lines('immune-node-vault', version, id, publicKey, family, createdMs)

/** What the sealed grants are bound to, so that those of another vault open nothing here. */
export const grantsHeader = ({ version, id, publicKey }: Header) =>
  lines('immune-node-vault-grants', version, id, publicKey)

/** What a slot's wrapped data key is bound to: its own vault, and all that goes into its derivation. */
export const slotHeader = (
  vault: Header,
  slot: Omit<PassphraseSlot, 'wrappedKey'> | Omit<PasskeySlot, 'wrappedKey'>,
) =>
  slot.kind === 'passphrase'
    ? lines(
        'immune-node-vault-passphrase',
        vault.version,
        vault.id,
        vault.publicKey,
        slot.memoryKib,
        slot.passes,
        slot.lanes,
        slot.salt,
      )
    : lines(
        'immune-node-vault-passkey',
        vault.version,
        vault.id,
        vault.publicKey,
        slot.credentialId,
        slot.prfSalt,
        slot.salt,
      )
