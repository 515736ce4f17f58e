import { cbc } from '@noble/ciphers/aes.js'
import type { ForeignKind } from '#protocol/key-file.ts'
import { sameBytes } from './secret-text.ts'
import { derCount, derFields, derItem, derItems, TAG, type DerItem } from './der.ts'
import {
  damaged,
  foreign,
  problem,
  secret,
  truncated,
  unsupported,
  type Found,
  type Reading,
} from './reading.ts'
import { pbkdf2Key, scryptKey, type PassphraseHash } from './passphrase-key.ts'

/** RFC 8410, RFC 8017, RFC 5480, RFC 3279: what a key is for, by the bytes of its object identifier. */
const ALGORITHMS: readonly (readonly [ForeignKind | 'ed25519', readonly number[]])[] = [
  ['ed25519', [0x2b, 0x65, 0x70]],
  ['ed448', [0x2b, 0x65, 0x71]],
  ['x25519', [0x2b, 0x65, 0x6e]],
  ['x448', [0x2b, 0x65, 0x6f]],
  ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]],
  ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a]],
  ['dsa', [0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01]],
  ['ecdsa', [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]],
]

const SECP256K1 = Uint8Array.of(0x2b, 0x81, 0x04, 0x00, 0x0a)

/** RFC 5958, versions 1 and 2. */
export function readPkcs8(items: readonly DerItem[]): Found {
  const [, algorithm, key, ...more] = items
  const type = algorithm && algorithmOf(algorithm.content)
  if (type === undefined || key === undefined) return unsupported('pkcs8')
  if (type !== 'ed25519') return foreign(type)
  const seed = derItem(key.content, TAG.octets)
  if (typeof seed === 'string' || seed.length !== 32) return unsupported('pkcs8')
  // Version 1 ends here or with attributes, version 2 has the public key as a bit string: with the
  // tag in its place, or, as older ring and what is built on it write it, with the tag around it.
  if (more.some(({ tag }) => !PKCS8_EXTRAS.includes(tag))) return unsupported('pkcs8')
  const claims = more
    .filter(({ tag }) => tag !== TAG.context0)
    .map(({ tag, content }) => (tag === TAG.context1 ? content : derItem(content, TAG.bits)))
    .filter((claim) => typeof claim !== 'string')
  if (claims.length < more.filter(({ tag }) => tag !== TAG.context0).length) return unsupported('pkcs8')
  if (claims.some((claim) => claim[0] !== 0 || claim.length !== 33)) return unsupported('pkcs8')
  return secret('pkcs8', seed, ...claims.map((claim) => claim.subarray(1)))
}

const PKCS8_EXTRAS: readonly number[] = [TAG.context0, TAG.context1, TAG.around1]

/** The algorithm of an AlgorithmIdentifier's content; a curve that Bitcoin uses by its own name. */
function algorithmOf(content: Uint8Array): ForeignKind | 'ed25519' | undefined {
  const items = derItems(content)
  if (typeof items === 'string') return undefined
  const [id, parameters] = items
  if (id?.tag !== TAG.oid) return undefined
  const known = ALGORITHMS.find(([, bytes]) => sameBytes(id.content, Uint8Array.from(bytes)))?.[0]
  return known === 'ecdsa' && parameters && sameBytes(parameters.content, SECP256K1) ? 'secp256k1' : known
}

/** The tags of a key file's outermost sequence, and what such a file is. */
const SHAPES: readonly (readonly [Shape, RegExp])[] = [
  ['pkcs8', /^02 30 04( a0)?( 81| a1)?$/],
  ['encrypted', /^30 04$/],
  ['public-key', /^30 03$/],
  ['certificate', /^30 30 03$/],
  ['pkcs12', /^02 30( 30)?$/],
  ['rsa', /^(02 ){8}02( 30)?$/],
  ['public-key', /^02 02$/],
  ['dsa', /^(02 ){5}02$/],
  ['ec', /^02 04( a0)?( a1)?$/],
]

type Shape = 'pkcs8' | 'encrypted' | 'public-key' | 'certificate' | 'pkcs12' | 'rsa' | 'dsa' | 'ec'

export type DerFile =
  | { readonly shape: 'encrypted'; readonly items: readonly DerItem[] }
  | { readonly shape: 'other'; readonly found: Found }

/**
 * A key file in DER, by its shape: what stands in it is told by types, not by names.
 * Undefined when it is no such file.
 */
export function readDerFile(bytes: Uint8Array): DerFile | undefined {
  const content = derItem(bytes, TAG.sequence)
  if (content === 'truncated') return cutFile(bytes)
  const items = content === 'damaged' ? content : derItems(content)
  if (typeof items === 'string') return startsAs(bytes) === 'pkcs8' ? other(damaged('pkcs8')) : undefined
  const tags = items.map(({ tag }) => tag.toString(16).padStart(2, '0')).join(' ')
  const shape = SHAPES.find(([, pattern]) => pattern.test(tags))?.[0]
  if (shape === undefined) return startsAs(bytes) === 'pkcs8' ? other(unsupported('pkcs8')) : undefined
  if (shape === 'pkcs8') return other(readPkcs8(items))
  if (shape === 'encrypted') return { shape, items }
  if (shape === 'ec') return other(foreign(ecOf(items)))
  return other(foreign(shape))
}

const other = (found: Found): DerFile => ({ shape: 'other', found })

/** A file that is cut after 32 or 64 bytes must not pass for a raw seed. */
function cutFile(bytes: Uint8Array): DerFile | undefined {
  const start = startsAs(bytes)
  if (start === undefined) return undefined
  return other(start === 'pkcs8' ? truncated('pkcs8') : foreign(start))
}

/** SEQUENCE, INTEGER, SEQUENCE, or two sequences with long lengths: enough to know what a cut or damaged file was. */
function startsAs(bytes: Uint8Array): 'pkcs8' | 'pkcs12' | 'certificate' | undefined {
  if (bytes[0] !== TAG.sequence) return undefined
  const lengthByte = bytes[1] ?? 0
  const [tag, length, version, next] = bytes.subarray(lengthByte < 0x80 ? 2 : lengthByte - 0x80 + 2)
  if (lengthByte === 0x82 && tag === TAG.sequence && length === 0x82) return 'certificate'
  if (tag !== TAG.integer || length !== 1 || next !== TAG.sequence) return undefined
  if (version === 3) return 'pkcs12'
  return version === 0 || version === 1 ? 'pkcs8' : undefined
}

function ecOf(items: readonly DerItem[]): ForeignKind {
  const curve = items.find(({ tag }) => tag === TAG.context0)
  const [id] = (curve && derFields(curve.content, TAG.oid)) ?? []
  return id && sameBytes(id, SECP256K1) ? 'secp256k1' : 'ecdsa'
}

const ENCRYPTED = 'encrypted-pkcs8'
const RSADSI = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d]
const PBES2 = Uint8Array.of(...RSADSI, 1, 5, 13)
const PBKDF2 = Uint8Array.of(...RSADSI, 1, 5, 12)
const SCRYPT = Uint8Array.of(0x2b, 6, 1, 4, 1, 0xda, 0x47, 4, 11)
const HASHES: readonly (readonly [PassphraseHash, Uint8Array])[] = [
  ['SHA-1', Uint8Array.of(...RSADSI, 2, 7)],
  ['SHA-256', Uint8Array.of(...RSADSI, 2, 9)],
  ['SHA-384', Uint8Array.of(...RSADSI, 2, 10)],
  ['SHA-512', Uint8Array.of(...RSADSI, 2, 11)],
]
const AES = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1]
const CIPHERS: readonly (readonly [number, Uint8Array])[] = [
  [16, Uint8Array.of(...AES, 2)],
  [24, Uint8Array.of(...AES, 22)],
  [32, Uint8Array.of(...AES, 42)],
]

/** How a file is protected, read before any work is done. */
type Scheme = {
  readonly derive: (passphrase: Uint8Array) => Promise<Uint8Array | undefined>
  readonly iv: Uint8Array
}

/** RFC 8018: PBES2 with PBKDF2 or scrypt, and AES in CBC mode, which is what openssl writes. */
export async function readEncryptedPkcs8(items: readonly DerItem[], reading: Reading): Promise<Found> {
  const [algorithm, data] = items
  if (algorithm === undefined || data === undefined) return damaged(ENCRYPTED)
  const scheme = schemeOf(algorithm.content, reading)
  if (scheme === 'unsupported') return unsupported(ENCRYPTED)
  if (scheme === 'other-cipher') return problem({ reason: scheme, kind: ENCRYPTED })
  if (data.content.length === 0 || data.content.length % 16 !== 0) return damaged(ENCRYPTED)
  if (reading.passphrase === undefined) return { found: 'locked', kind: ENCRYPTED }
  const key = await scheme.derive(reading.passphrase)
  if (key === undefined) return problem({ reason: 'too-costly', kind: ENCRYPTED })
  return readDecrypted(decrypted(key, scheme.iv, data.content, reading))
}

function readDecrypted(plain: Uint8Array | undefined): Found {
  const content = plain && derItem(plain, TAG.sequence)
  const inside = content === undefined || typeof content === 'string' ? 'damaged' : derItems(content)
  // A wrong passphrase has one chance in 256 to give good padding, and then nonsense.
  if (typeof inside === 'string' || inside.length < 3)
    return problem({ reason: 'wrong-passphrase', kind: ENCRYPTED })
  const found = readPkcs8(inside)
  if (found.found === 'secret') return { ...found, kind: ENCRYPTED }
  return found.found === 'problem' && found.problem.reason === 'unsupported' ? unsupported(ENCRYPTED) : found
}

function decrypted(
  key: Uint8Array,
  iv: Uint8Array,
  data: Uint8Array,
  { scratch }: Reading,
): Uint8Array | undefined {
  try {
    return scratch.keep(cbc(key, iv).decrypt(data))
  } catch {
    return undefined // the padding is wrong, which the library throws
  }
}

function schemeOf(algorithm: Uint8Array, reading: Reading): Scheme | 'unsupported' | 'other-cipher' {
  const items = derItems(algorithm)
  if (typeof items === 'string') return 'unsupported'
  const [id, parameters] = items
  if (id?.tag !== TAG.oid || parameters === undefined) return 'unsupported'
  if (!sameBytes(id.content, PBES2)) return 'other-cipher'
  const [derivation, encryption] = derFields(parameters.content, TAG.sequence, TAG.sequence) ?? []
  if (derivation === undefined || encryption === undefined) return 'unsupported'
  const cipher = derItems(encryption)
  const [cipherId, iv] = typeof cipher === 'string' ? [] : cipher
  if (cipherId === undefined) return 'unsupported'
  const keyBytes = CIPHERS.find(([, oid]) => sameBytes(oid, cipherId.content))?.[0]
  if (keyBytes === undefined) return 'other-cipher'
  if (iv?.tag !== TAG.octets || iv.content.length !== 16) return 'unsupported'
  const derive = derivationOf(derivation, keyBytes, reading)
  return typeof derive === 'string' ? derive : { derive, iv: iv.content }
}

function derivationOf(
  derivation: Uint8Array,
  keyBytes: number,
  reading: Reading,
): Scheme['derive'] | 'unsupported' | 'other-cipher' {
  const [id, parameters] = derFields(derivation, TAG.oid, TAG.sequence) ?? []
  if (id === undefined || parameters === undefined) return 'unsupported'
  const items = derItems(parameters)
  if (typeof items === 'string') return 'unsupported'
  const [salt, ...rest] = items
  if (salt?.tag !== TAG.octets) return 'unsupported'
  if (sameBytes(id, PBKDF2)) return pbkdf2Of(salt.content, rest, keyBytes, reading)
  if (sameBytes(id, SCRYPT)) return scryptOf(salt.content, rest, keyBytes, reading)
  return 'other-cipher'
}

function pbkdf2Of(
  salt: Uint8Array,
  rest: readonly DerItem[],
  keyBytes: number,
  { scratch }: Reading,
): Scheme['derive'] | 'unsupported' | 'other-cipher' {
  const numbers = countsOf(rest)
  const [rounds, length = keyBytes] = numbers ?? []
  if (rounds === undefined || length !== keyBytes) return 'unsupported'
  const named = rest.find(({ tag }) => tag === TAG.sequence)
  const hash = named === undefined ? 'SHA-1' : hashOf(named.content)
  if (hash === undefined) return 'other-cipher'
  return async (passphrase) => pbkdf2Key({ passphrase, salt, rounds, hash, keyBytes }, scratch)
}

function scryptOf(
  salt: Uint8Array,
  rest: readonly DerItem[],
  keyBytes: number,
  { scratch }: Reading,
): Scheme['derive'] | 'unsupported' {
  const [cost, blocks, lanes, length = keyBytes] = countsOf(rest) ?? []
  if (cost === undefined || blocks === undefined || lanes === undefined || length !== keyBytes)
    return 'unsupported'
  return async (passphrase) => scryptKey({ passphrase, salt, cost, blocks, lanes, keyBytes }, scratch)
}

/** The integers among them; undefined when one is no count. */
function countsOf(items: readonly DerItem[]): readonly number[] | undefined {
  const counts = items.filter(({ tag }) => tag === TAG.integer).map(({ content }) => derCount(content))
  const known = counts.filter((count) => count !== undefined)
  return known.length === counts.length ? known : undefined
}

function hashOf(content: Uint8Array): PassphraseHash | undefined {
  const items = derItems(content)
  const id = typeof items === 'string' ? undefined : items[0]
  return id && HASHES.find(([, oid]) => sameBytes(oid, id.content))?.[0]
}
