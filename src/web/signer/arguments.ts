import { ownMember } from '#base/own-member.ts'
import type { Place, KeyNotes } from '#keys/key-store.ts'
import type { TokenPlace } from '#keys/token-ring.ts'
import type { ServiceId } from '#record/service.ts'
import { parseSettings } from '#settings/documents.ts'
import { SETTINGS_VERSION, type Service } from '#settings/schema.ts'
import type { NewPasskey, VaultSecret } from '#keys/vault.ts'
import { SIGNED_AT_ONCE_MAX, type EngineSigner, type SignerAdmin, type StatusRequest } from './api.ts'
import type { Reader, ReadersOf } from './serve-calls.ts'

/*
 * Reads a call's arguments, which come from a page. An argument of the wrong type shows a bug
 * in our page, or a foreign page. Each function then throws, and the caller's answer contains
 * no details.
 */

const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError('not a text')
  return value
}

/** Need not be the id of a configured service. */
const idOf = (value: unknown): ServiceId => textOf(value) as ServiceId

const servicesOf = (list: unknown): readonly Service[] => {
  const settings = parseSettings({ version: SETTINGS_VERSION, services: list })
  if (!settings.ok || !Array.isArray(list)) throw new TypeError('not a list of services')
  return settings.value.services
}

const serviceOf = (value: unknown): Service => {
  const [service] = servicesOf([value])
  if (service === undefined) throw new TypeError('not a service')
  return service
}

const numberOf = (value: unknown): number => {
  if (typeof value !== 'number') throw new TypeError('not a number')
  return value
}

/** The bytes, verified to have a buffer that is not shared. */
const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> => {
  if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer))
    throw new TypeError('not bytes')
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

const fileOf = (value: unknown): Blob => {
  if (!(value instanceof Blob)) throw new TypeError('not a file')
  return value
}

const portOf = (value: unknown): MessagePort => {
  if (!(value instanceof MessagePort)) throw new TypeError('not a port')
  return value
}

const isTrue = (value: unknown): boolean => value === true

const placeOf = (value: unknown): Place => {
  const custody = ownMember(value, 'custody')
  if (custody === 'device' || custody === 'session') return { custody }
  if (custody === 'vault') return { custody, passphrase: bytesOf(ownMember(value, 'passphrase')) }
  throw new TypeError('not a place')
}

const tokenPlaceOf = (value: unknown): TokenPlace => {
  if (value === 'session' || value === 'device') return value
  throw new TypeError('not a place for a token')
}

const secretOf = (value: unknown): VaultSecret => {
  const kind = ownMember(value, 'kind')
  if (kind === 'passphrase') return { kind, passphrase: bytesOf(ownMember(value, 'passphrase')) }
  if (kind !== 'passkey') throw new TypeError('not a secret')
  return { kind, credentialId: textOf(ownMember(value, 'credentialId')), secret: passkeySecretOf(value) }
}

const PASSKEY_SECRET_BYTES = 32

const passkeySecretOf = (value: unknown): Uint8Array<ArrayBuffer> => {
  const secret = bytesOf(ownMember(value, 'secret'))
  if (secret.length !== PASSKEY_SECRET_BYTES) throw new TypeError('not the secret of a passkey')
  return secret
}

/** Accepts a passkey only in the format in which a vault is read back. */
const passkeyOf = (value: unknown): NewPasskey => {
  const credentialId = textOf(ownMember(value, 'credentialId'))
  const prfSalt = textOf(ownMember(value, 'prfSalt'))
  if (!/^[A-Za-z0-9_-]{1,1364}$/.test(credentialId) || !/^[A-Za-z0-9_-]{43}$/.test(prfSalt))
    throw new TypeError('not a passkey')
  return { credentialId, prfSalt, secret: passkeySecretOf(value) }
}

const notesOf = (value: unknown): Pick<KeyNotes, 'label' | 'notAfterMs'> => {
  const label = textOf(ownMember(value, 'label'))
  const notAfterMs = ownMember(value, 'notAfterMs')
  if (notAfterMs === undefined) return { label }
  if (!Number.isFinite(notAfterMs)) throw new TypeError('not a time')
  return { label, notAfterMs: numberOf(notAfterMs) }
}

const optional =
  <T>(read: Reader<T>): Reader<T | undefined> =>
  (value) =>
    value === undefined ? undefined : read(value)

const requestsOf = (list: unknown): readonly StatusRequest[] => {
  if (!Array.isArray(list) || list.length > SIGNED_AT_ONCE_MAX || !list.every(Array.isArray))
    throw new TypeError('not a list of requests')
  return list.map(([id, nodeId, correctionMs, purpose]: readonly unknown[]): StatusRequest => [
    idOf(id),
    optional(textOf)(nodeId),
    optional(numberOf)(correctionMs),
    optional(purposeOf)(purpose),
  ])
}

const purposeOf = (value: unknown): NonNullable<StatusRequest[3]> => {
  const draftId = ownMember(value, 'draftId')
  return draftId === undefined ? { tryId: textOf(ownMember(value, 'tryId')) } : { draftId: numberOf(draftId) }
}

/** The server side of a page's calls follows this table. */
export const ADMIN_READERS: ReadersOf<SignerAdmin> = {
  report: [],
  selfTest: [],
  keys: [],
  makeKey: [textOf, optional(placeOf), optional(servicesOf)],
  allowSigning: [textOf, serviceOf, optional(secretOf)],
  stopSigning: [textOf, idOf],
  inspectKey: [(value) => (value instanceof Blob ? value : bytesOf(value))],
  openInspected: [bytesOf],
  keepInspected: [textOf, textOf, optional(placeOf), optional(servicesOf)],
  dropInspected: [],
  noteKey: [textOf, notesOf],
  lock: [],
  unlock: [textOf, secretOf],
  changePassphrase: [textOf, secretOf, bytesOf],
  addPasskey: [textOf, secretOf, passkeyOf],
  removePasskey: [textOf, textOf],
  exportVault: [textOf],
  importVault: [fileOf, bytesOf, textOf, isTrue, optional(servicesOf)],
  presence: [isTrue],
  setLockMinutes: [numberOf, optional(textOf), optional(secretOf)],
  tokens: [],
  keepToken: [idOf, bytesOf, tokenPlaceOf],
  forgetToken: [idOf],
  removeKey: [textOf],
  agreeToCorrection: [idOf, numberOf],
  configure: [servicesOf],
  configureDraft: [numberOf, optional(serviceOf)],
  openTryRound: [idOf],
  openEnginePort: [portOf],
}

export const ENGINE_READERS: ReadersOf<EngineSigner> = { signStatusRequests: [requestsOf] }
