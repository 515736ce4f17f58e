import type { Place, KeyNotes } from '#keys/key-store.ts'
import type { TokenPlace } from '#keys/token-ring.ts'
import { baseUrlOf, serviceIdOf, type ServiceId } from '#record/service.ts'
import { parseSettings } from '#settings/documents.ts'
import { SETTINGS_VERSION, type Service } from '#settings/schema.ts'
import type { NewPasskey, VaultSecret } from '#keys/vault.ts'

/*
 * Reads a call's arguments, which come from a page. An argument of the wrong type shows a bug
 * in our page, or a foreign page. Each function then throws, and the caller's answer contains
 * no details.
 */

export const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError('not a text')
  return value
}

/** Undefined if the text is not a valid service id, and so no configured service. */
export function serviceOf(id: unknown): ServiceId | undefined {
  const baseUrl = baseUrlOf(textOf(id))
  return baseUrl === undefined ? undefined : serviceIdOf(baseUrl)
}

export function servicesOf(list: unknown): ReadonlyMap<ServiceId, Service> {
  const settings = parseSettings({ version: SETTINGS_VERSION, services: list })
  if (!settings.ok || !Array.isArray(list)) throw new TypeError('not a list of services')
  return new Map(settings.value.services.map((service) => [serviceIdOf(service.baseUrl), service]))
}

export const listedServices = (list: unknown): readonly Service[] =>
  list === undefined ? [] : Array.from(servicesOf(list).values())

export const numberOf = (value: unknown): number => {
  if (typeof value !== 'number') throw new TypeError('not a number')
  return value
}

/** The bytes, verified to have a buffer that is not shared. */
export const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> => {
  if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer))
    throw new TypeError('not bytes')
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

export function placeOf(value: unknown): Place | undefined {
  if (value === undefined) return undefined
  const custody = field(value, 'custody')
  if (custody === 'device' || custody === 'session') return { custody }
  if (custody === 'vault') return { custody, passphrase: bytesOf(field(value, 'passphrase')) }
  throw new TypeError('not a place')
}

export function tokenPlaceOf(value: unknown): TokenPlace {
  if (value === 'session' || value === 'device') return value
  throw new TypeError('not a place for a token')
}

export function secretOf(value: unknown): VaultSecret {
  const kind = field(value, 'kind')
  if (kind === 'passphrase') return { kind, passphrase: bytesOf(field(value, 'passphrase')) }
  if (kind !== 'passkey') throw new TypeError('not a secret')
  return { kind, credentialId: textOf(field(value, 'credentialId')), secret: passkeySecretOf(value) }
}

const PASSKEY_SECRET_BYTES = 32

const passkeySecretOf = (value: unknown): Uint8Array<ArrayBuffer> => {
  const secret = bytesOf(field(value, 'secret'))
  if (secret.length !== PASSKEY_SECRET_BYTES) throw new TypeError('not the secret of a passkey')
  return secret
}

/** Accepts a passkey only in the format in which a vault is read back. */
export function passkeyOf(value: unknown): NewPasskey {
  const credentialId = textOf(field(value, 'credentialId'))
  const prfSalt = textOf(field(value, 'prfSalt'))
  if (!/^[A-Za-z0-9_-]{1,1364}$/.test(credentialId) || !/^[A-Za-z0-9_-]{43}$/.test(prfSalt))
    throw new TypeError('not a passkey')
  return { credentialId, prfSalt, secret: passkeySecretOf(value) }
}

export function notesOf(value: unknown): Pick<KeyNotes, 'label' | 'notAfterMs'> {
  const label = textOf(field(value, 'label'))
  const notAfterMs = field(value, 'notAfterMs')
  if (notAfterMs === undefined) return { label }
  if (typeof notAfterMs !== 'number' || !Number.isFinite(notAfterMs)) throw new TypeError('not a time')
  return { label, notAfterMs }
}

export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined
