import { cbc } from '@noble/ciphers/aes.js'
import { sameBytes } from './ascii.ts'
import { derCount, derFields, derItem, derItems, TAG, type DerItem } from './der.ts'
import { readPkcs8 } from './format-pkcs8.ts'
import { damaged, problem, type Found } from './key-kinds.ts'
import { pbkdf2Key, scryptKey, type PassphraseHash } from './passphrase-key.ts'
import type { Reading } from './reading.ts'

const KIND = 'encrypted-pkcs8'
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
  if (algorithm === undefined || data === undefined) return damaged(KIND)
  const scheme = schemeOf(algorithm.content, reading)
  if (scheme === 'damaged') return damaged(KIND)
  if (scheme === 'other-cipher') return problem({ reason: scheme, kind: KIND })
  if (data.content.length === 0 || data.content.length % 16 !== 0) return damaged(KIND)
  if (reading.passphrase === undefined) return { found: 'locked', kind: KIND }
  const key = await scheme.derive(reading.passphrase)
  if (key === undefined) return problem({ reason: 'too-costly', kind: KIND })
  return readDecrypted(decrypted(key, scheme.iv, data.content, reading))
}

function readDecrypted(plain: Uint8Array | undefined): Found {
  const content = plain && derItem(plain, TAG.sequence)
  const inside = content === undefined || typeof content === 'string' ? 'damaged' : derItems(content)
  // A wrong passphrase has one chance in 256 to give good padding, and then nonsense.
  if (typeof inside === 'string' || inside.length < 3)
    return problem({ reason: 'wrong-passphrase', kind: KIND })
  const found = readPkcs8(inside)
  if (found.found === 'secret') return { ...found, kind: KIND }
  return found.found === 'problem' && found.problem.reason === 'damaged' ? damaged(KIND) : found
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

function schemeOf(algorithm: Uint8Array, reading: Reading): Scheme | 'damaged' | 'other-cipher' {
  const items = derItems(algorithm)
  if (typeof items === 'string') return 'damaged'
  const [id, parameters] = items
  if (id?.tag !== TAG.oid || parameters === undefined) return 'damaged'
  if (!sameBytes(id.content, PBES2)) return 'other-cipher'
  const [derivation, encryption] = derFields(parameters.content, TAG.sequence, TAG.sequence) ?? []
  if (derivation === undefined || encryption === undefined) return 'damaged'
  const cipher = derItems(encryption)
  const [cipherId, iv] = typeof cipher === 'string' ? [] : cipher
  if (cipherId === undefined) return 'damaged'
  const keyBytes = CIPHERS.find(([, oid]) => sameBytes(oid, cipherId.content))?.[0]
  if (keyBytes === undefined) return 'other-cipher'
  if (iv?.tag !== TAG.octets || iv.content.length !== 16) return 'damaged'
  const derive = derivationOf(derivation, keyBytes, reading)
  return typeof derive === 'string' ? derive : { derive, iv: iv.content }
}

function derivationOf(
  derivation: Uint8Array,
  keyBytes: number,
  reading: Reading,
): Scheme['derive'] | 'damaged' | 'other-cipher' {
  const [id, parameters] = derFields(derivation, TAG.oid, TAG.sequence) ?? []
  if (id === undefined || parameters === undefined) return 'damaged'
  const items = derItems(parameters)
  if (typeof items === 'string') return 'damaged'
  const [salt, ...rest] = items
  if (salt?.tag !== TAG.octets) return 'damaged'
  if (sameBytes(id, PBKDF2)) return pbkdf2Of(salt.content, rest, keyBytes, reading)
  if (sameBytes(id, SCRYPT)) return scryptOf(salt.content, rest, keyBytes, reading)
  return 'other-cipher'
}

function pbkdf2Of(
  salt: Uint8Array,
  rest: readonly DerItem[],
  keyBytes: number,
  { scratch }: Reading,
): Scheme['derive'] | 'damaged' | 'other-cipher' {
  const numbers = countsOf(rest)
  const [rounds, length = keyBytes] = numbers ?? []
  if (rounds === undefined || length !== keyBytes) return 'damaged'
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
): Scheme['derive'] | 'damaged' {
  const [cost, blocks, lanes, length = keyBytes] = countsOf(rest) ?? []
  if (cost === undefined || blocks === undefined || lanes === undefined || length !== keyBytes)
    return 'damaged'
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
