import { cbc, ctr } from '@noble/ciphers/aes.js'
import { bytesToHex } from '#base/bytes.ts'
import type { ForeignKind, KeyKind } from '#protocol/key-kinds.ts'
import { bcryptPbkdf, pbkdf2Key, scryptKey, type PassphraseHash } from './passphrase-key.ts'
import * as outcome from './reading.ts'
import type { Found, Reading } from './reading.ts'
import {
  createByteCursor,
  decodeBase64,
  indexOfText,
  isText,
  sameBytes,
  startsWith,
  withoutSpace,
} from './secret-text.ts'

// --- DER

/*
 * DER (X.690), as much as key files need: definite lengths up to 64 KiB, one byte of tag.
 * Nothing here is recursive: a caller reads each level with a call of its own.
 */

const TAG = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  sequence: 0x30,
  context0: 0xa0,
  context1: 0x81,
  around1: 0xa1,
} as const

type DerItem = { readonly tag: number; readonly content: Uint8Array }

/** `truncated`: a length points past the end. `damaged`: not DER. */
type DerProblem = 'truncated' | 'damaged'

/** Deeper than every supported structure; a certificate's top level has three items. */
const ITEMS_MAX = 16

export function derItems(bytes: Uint8Array): readonly DerItem[] | DerProblem {
  const items: DerItem[] = []
  let at = 0
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0
    const head = lengthAt(bytes, at + 1)
    if (typeof head === 'string') return head
    const end = head.from + head.length
    if (end > bytes.length) return 'truncated'
    if (items.length === ITEMS_MAX) return 'damaged'
    items.push({ tag, content: bytes.subarray(head.from, end) })
    at = end
  }
  return items
}

/** Returns an empty list for bytes that are not DER. */
const itemsIn = (bytes: Uint8Array | undefined): readonly DerItem[] => {
  const items = bytes === undefined ? [] : derItems(bytes)
  return typeof items === 'string' ? [] : items
}

function derItem(bytes: Uint8Array, tag: number): Uint8Array | DerProblem {
  const head = lengthAt(bytes, 1)
  if (typeof head === 'string') return head
  const rest = bytes.length - head.from - head.length
  if (bytes[0] !== tag || rest > 0) return 'damaged'
  return rest < 0 ? 'truncated' : bytes.subarray(head.from)
}

/** The contents of a sequence if its items have exactly these tags. */
function derFields(bytes: Uint8Array, ...tags: readonly number[]): readonly Uint8Array[] | undefined {
  const items = itemsIn(bytes)
  if (items.length !== tags.length) return undefined
  return items.every(({ tag }, at) => tag === tags[at]) ? items.map(({ content }) => content) : undefined
}

type Head = { readonly from: number; readonly length: number }

function lengthAt(bytes: Uint8Array, at: number): Head | DerProblem {
  const first = bytes[at]
  if (first === undefined) return 'truncated'
  if (first < 0x80) return { from: at + 1, length: first }
  const digits = first & 0x7f
  // 0x80 is the indefinite length of BER; no key file needs more than two digits.
  if (digits === 0 || digits > 2) return 'damaged'
  if (at + digits >= bytes.length) return 'truncated'
  const high = bytes[at + 1] ?? 0
  const length = digits === 1 ? high : (high << 8) | (bytes[at + 2] ?? 0)
  return length < (digits === 1 ? 0x80 : 0x100) ? 'damaged' : { from: at + 1 + digits, length }
}

/** A positive integer below 2^31. Undefined for any other value and for needless leading zeros. */
function derCount(content: Uint8Array | undefined): number | undefined {
  if (content === undefined) return undefined
  const [first = 0, second = 0] = content
  if (first >= 0x80 || (first === 0 && second < 0x80)) return undefined
  let value = 0
  for (const byte of content) value = value * 256 + byte
  return value < 2 ** 31 ? value : undefined
}

// --- PEM, and bytes with a structure of their own

export const PEM_BEGIN = '-----BEGIN '
const DASHES = '-----'
const COLON = 0x3a
/** Characters around lines that come from a list of strings or a quoted mail: `"`, `'`, `,` and `>`. */
const LINE_MARKS: readonly number[] = [0x22, 0x27, 0x2c, 0x3e]

const OURS: readonly (readonly [label: string, KeyKind])[] = [
  ['PRIVATE KEY', 'pkcs8'],
  ['ENCRYPTED PRIVATE KEY', 'encrypted-pkcs8'],
  ['OPENSSH PRIVATE KEY', 'openssh'],
]

const OTHERS: readonly (readonly [label: string, ForeignKind])[] = [
  ['RSA PRIVATE KEY', 'rsa'],
  ['EC PRIVATE KEY', 'ecdsa'],
  ['DSA PRIVATE KEY', 'dsa'],
  ['PGP ', 'pgp'],
  ['PUBLIC KEY', 'public-key'],
  ['RSA PUBLIC KEY', 'public-key'],
  ['CERTIFICATE', 'certificate'],
  ['TRUSTED CERTIFICATE', 'certificate'],
  ['NEW CERTIFICATE REQUEST', 'certificate'],
  ['AGE ENCRYPTED FILE', 'age'],
]

/** RFC 7468. A file may contain several blocks, such as a certificate and its key: the first private key counts. */
export async function readPem(bytes: Uint8Array, reading: Reading): Promise<Found> {
  let other: ForeignKind | undefined
  let at = indexOfText(bytes, PEM_BEGIN)
  while (at !== -1) {
    const label = bytes.subarray(at + PEM_BEGIN.length)
    const kind = OURS.find(([text]) => startsWith(label, text + DASHES))
    if (kind !== undefined) return readBlock(label, ...kind, reading)
    other ??= OTHERS.find(([text]) => startsWith(label, text))?.[1]
    at = indexOfText(bytes, PEM_BEGIN, at + PEM_BEGIN.length)
  }
  return other === undefined ? outcome.problem({ reason: 'unknown', seen: 'pem' }) : outcome.foreign(other)
}

async function readBlock(block: Uint8Array, label: string, kind: KeyKind, reading: Reading): Promise<Found> {
  const end = indexOfText(block, DASHES, label.length + DASHES.length)
  if (end === -1) return outcome.truncated(kind)
  const ending = `-----END ${label}-----`
  if (!startsWith(block, ending, end))
    return startsWith(block, ending.slice(0, block.length - end), end)
      ? outcome.truncated(kind)
      : outcome.damaged(kind)
  const body = block.subarray(label.length + DASHES.length, end)
  // Header lines appear in the old MD5-based encryption.
  if (body.includes(COLON)) return outcome.unsupported(kind)
  const content = decodeBase64(withoutSpace(body, reading.scratch, LINE_MARKS), reading.scratch)
  if (content === undefined) return outcome.damaged(kind)
  if (kind === 'openssh') return readOpenssh(content, reading)
  return (
    (await readDer(content, reading)) ??
    (typeof derItem(content, TAG.sequence) === 'string' ? outcome.damaged(kind) : outcome.unsupported(kind))
  )
}

/** Recognizes binary formats, from a file or decoded from base64. Undefined if none matches. */
export async function readStructured(bytes: Uint8Array, reading: Reading): Promise<Found | undefined> {
  if (startsWith(bytes, '== ed25519v1-'))
    return outcome.foreign(startsWith(bytes, 'public', 13) ? 'public-key' : 'tor')
  if (startsWith(bytes, OPENSSH_MAGIC)) return readOpenssh(bytes, reading)
  return (await readDer(bytes, reading)) ?? readLibp2p(bytes)
}

const LIBP2P_TYPES: readonly (ForeignKind | undefined)[] = ['rsa', undefined, 'secp256k1', 'ecdsa']

/** libp2p's protobuf: key type, length, seed, and the public key once or, in old files, twice. */
function readLibp2p(bytes: Uint8Array): Found | undefined {
  const [field, type, next, length] = bytes
  if (field !== 8 || type === undefined || next !== 0x12 || length === undefined) return undefined
  const content = bytes.subarray(4)
  if (type !== 1) {
    const other = LIBP2P_TYPES[type]
    return other && bytes.length !== 32 && bytes.length !== 64 ? outcome.foreign(other) : undefined
  }
  if (length === 32 && content.length === 32) return outcome.foreign('public-key')
  if (length !== 64 && length !== 96) return undefined
  if (content.length < length) return outcome.truncated('libp2p')
  if (content.length > length) return outcome.damaged('libp2p')
  return outcome.pair('libp2p', content.subarray(0, 64), ...(length === 96 ? [content.subarray(64)] : []))
}

// --- OpenSSH

export const OPENSSH_MAGIC = 'openssh-key-v1\0'
const LOCKED = 'encrypted-openssh'

/** `ssh-keygen -a 16` is usual; 1,000 rounds take about a minute. */
const ROUNDS_MAX = 1_000

/** The block of AES. */
const IV_BYTES = 16

const TYPES: readonly (readonly [string, ForeignKind])[] = [
  ['ssh-rsa', 'rsa'],
  ['ecdsa-sha2-', 'ecdsa'],
  ['ssh-dss', 'dsa'],
  ['sk-', 'security-key'],
]

/** Undefined for Ed25519 and for unknown types. */
const foreignSshType = (name: Uint8Array): ForeignKind | undefined =>
  TYPES.find(([prefix]) => startsWith(name, prefix))?.[1]

/** OpenSSH's PROTOCOL.key: the bytes inside the armour. */
async function readOpenssh(bytes: Uint8Array, reading: Reading): Promise<Found> {
  const cursor = createByteCursor(bytes)
  if (!startsWith(bytes, OPENSSH_MAGIC)) return outcome.unsupported('openssh')
  cursor.take(OPENSSH_MAGIC.length)
  const [cipher, kdf, options] = [cursor.counted(), cursor.counted(), cursor.counted()]
  const count = cursor.uint32()
  const [publicBlob, sealed] = [cursor.counted(), cursor.counted()]
  if (!cipher || !kdf || !options || count === undefined || !publicBlob || !sealed)
    return outcome.truncated('openssh')
  const isPlain = isText(cipher, 'none') && isText(kdf, 'none')
  const kind = isPlain ? 'openssh' : LOCKED
  const outer = publicHalf(publicBlob, kind)
  if (!(outer instanceof Uint8Array)) return outer
  if (count !== 1) return outcome.unsupported(kind)
  if (isPlain) return cursor.rest().length === 0 ? readPrivate(sealed, outer, kind) : outcome.damaged(kind)
  const [, bits, mode] = /^aes(128|192|256)-(ctr|cbc)$/.exec(String.fromCharCode(...cipher)) ?? []
  if (mode === undefined || !isText(kdf, 'bcrypt'))
    return outcome.problem({ reason: 'other-cipher', kind: LOCKED })
  if (cursor.rest().length > 0) return outcome.damaged(kind)
  const derived = await derivedKey(Number(bits) / 8, sealed, options, reading)
  if (!(derived instanceof Uint8Array)) return derived
  const [key, iv] = [derived.subarray(0, -IV_BYTES), derived.subarray(-IV_BYTES)]
  const decrypting = mode === 'ctr' ? ctr(key, iv) : cbc(key, iv, { disablePadding: true })
  const plain = reading.scratch.keep(decrypting.decrypt(sealed))
  return readPrivate(plain, outer, kind)
}

function publicHalf(blob: Uint8Array, kind: 'openssh' | typeof LOCKED): Uint8Array | Found {
  const cursor = createByteCursor(blob)
  const name = cursor.counted()
  if (name === undefined) return outcome.damaged(kind)
  const key = cursor.counted()
  const isOurs = isText(name, 'ssh-ed25519') && key?.length === 32 && cursor.rest().length === 0
  if (isOurs) return key
  const other = foreignSshType(name)
  if (other !== undefined) return outcome.foreign(other)
  return isText(name, 'ssh-ed25519') ? outcome.damaged(kind) : outcome.unsupported(kind)
}

/** The key followed by the initialization vector. */
async function derivedKey(
  keyBytes: number,
  sealed: Uint8Array,
  options: Uint8Array,
  { passphrase, scratch }: Reading,
): Promise<Uint8Array | Found> {
  if (sealed.length % IV_BYTES !== 0) return outcome.damaged(LOCKED)
  const cursor = createByteCursor(options)
  const [salt, rounds] = [cursor.counted(), cursor.uint32()]
  if (!salt || salt.length === 0 || !rounds || cursor.rest().length > 0) return outcome.damaged(LOCKED)
  if (rounds > ROUNDS_MAX) return outcome.problem({ reason: 'too-costly', kind: LOCKED })
  if (passphrase === undefined) return outcome.locked(LOCKED)
  // ssh-keygen accepts no empty passphrase; it means no encryption.
  if (passphrase.length === 0) return outcome.problem({ reason: 'wrong-passphrase', kind: LOCKED })
  return bcryptPbkdf({ passphrase, salt, rounds, keyBytes: keyBytes + IV_BYTES }, scratch)
}

function readPrivate(bytes: Uint8Array, outer: Uint8Array, kind: 'openssh' | typeof LOCKED): Found {
  const cursor = createByteCursor(bytes)
  const [check, again] = [cursor.uint32(), cursor.uint32()]
  if (again === undefined) return outcome.damaged(kind)
  // Two equal random numbers: with a wrong passphrase they differ.
  if (check !== again)
    return kind === LOCKED ? outcome.problem({ reason: 'wrong-passphrase', kind }) : outcome.damaged(kind)
  const [type, inner, both, comment] = [0, 1, 2, 3].map(() => cursor.counted())
  if (!type || !inner || !both || !comment) return outcome.damaged(kind)
  if (!isText(type, 'ssh-ed25519')) return outcome.unsupported(kind)
  const padding = cursor.rest()
  if (padding.length > 15 || padding.some((byte, at) => byte !== at + 1)) return outcome.damaged(kind)
  if (!sameBytes(inner, outer)) return outcome.problem({ reason: 'public-half-differs', kind })
  return outcome.pair(kind, both, outer)
}

// --- PKCS#8

/** RFC 8410, RFC 8017, RFC 5480, RFC 3279: the key type by the hex of its object identifier. */
const ALGORITHMS: ReadonlyMap<string, ForeignKind | 'ed25519'> = new Map([
  ['2b6570', 'ed25519'],
  ['2b6571', 'ed448'],
  ['2b656e', 'x25519'],
  ['2b656f', 'x448'],
  ['2a864886f70d010101', 'rsa'],
  ['2a864886f70d01010a', 'rsa'],
  ['2a8648ce380401', 'dsa'],
  ['2a8648ce3d0201', 'ecdsa'],
])

const SECP256K1 = '2b8104000a'

/** RFC 5958, versions 1 and 2. */
export function readPkcs8(items: readonly DerItem[]): Found {
  const [, algorithm, key, ...more] = items
  const type = algorithm && algorithmOf(algorithm.content)
  if (type === undefined || key === undefined) return outcome.unsupported('pkcs8')
  if (type !== 'ed25519') return outcome.foreign(type)
  const seed = derItem(key.content, TAG.octets)
  if (typeof seed === 'string' || seed.length !== 32) return outcome.unsupported('pkcs8')
  // Version 1 ends here or with attributes. Version 2 adds the public key as a bit string: with an implicit tag, or with an
  // explicit tag in files written by older versions of ring.
  const claims = more.filter(({ tag }) => tag !== TAG.context0).map(publicBits)
  if (!claims.every((bits) => bits !== undefined)) return outcome.unsupported('pkcs8')
  return outcome.secret('pkcs8', seed, ...claims)
}

/** The public key in a bit string, which begins with the number of its unused bits. */
function publicBits({ tag, content }: DerItem): Uint8Array | undefined {
  const bits = tag === TAG.around1 ? derItem(content, TAG.bits) : content
  const isKey = tag === TAG.context1 || tag === TAG.around1
  return isKey && typeof bits !== 'string' && bits[0] === 0 && bits.length === 33
    ? bits.subarray(1)
    : undefined
}

/** The key type of an AlgorithmIdentifier. Distinguishes secp256k1 from other ECDSA curves. */
function algorithmOf(content: Uint8Array): ForeignKind | 'ed25519' | undefined {
  const [id, parameters] = itemsIn(content)
  if (id?.tag !== TAG.oid) return undefined
  const known = ALGORITHMS.get(bytesToHex(id.content))
  return known === 'ecdsa' && parameters && bytesToHex(parameters.content) === SECP256K1 ? 'secp256k1' : known
}

/** The file type by the tags of its outermost sequence. */
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

/** Recognizes a DER key file by its tags, because DER has no names. Undefined if none matches. */
export async function readDer(bytes: Uint8Array, reading: Reading): Promise<Found | undefined> {
  const content = derItem(bytes, TAG.sequence)
  const start = startsAs(bytes)
  // A file that was cut to 32 or 64 bytes must not pass for a raw seed.
  if (content === 'truncated')
    return start === 'pkcs8'
      ? outcome.truncated('pkcs8')
      : start === undefined
        ? undefined
        : outcome.foreign(start)
  const items = content === 'damaged' ? content : derItems(content)
  if (typeof items === 'string') return start === 'pkcs8' ? outcome.damaged('pkcs8') : undefined
  const tags = items.map(({ tag }) => tag.toString(16).padStart(2, '0')).join(' ')
  const shape = SHAPES.find(([, pattern]) => pattern.test(tags))?.[0]
  if (shape === undefined) return start === 'pkcs8' ? outcome.unsupported('pkcs8') : undefined
  if (shape === 'pkcs8') return readPkcs8(items)
  if (shape === 'encrypted') return readEncryptedPkcs8(items, reading)
  return outcome.foreign(shape === 'ec' ? ecOf(items) : shape)
}

/**
 * Recognizes a truncated or damaged file by its first bytes: SEQUENCE, INTEGER, SEQUENCE, or two sequences with long lengths.
 */
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
  return id && bytesToHex(id) === SECP256K1 ? 'secp256k1' : 'ecdsa'
}

const ENCRYPTED = 'encrypted-pkcs8'
const PBES2 = '2a864886f70d01050d'
const PBKDF2 = '2a864886f70d01050c'
const SCRYPT = '2b06010401da47040b'
const HASHES: ReadonlyMap<string, PassphraseHash> = new Map([
  ['2a864886f70d0207', 'SHA-1'],
  ['2a864886f70d0209', 'SHA-256'],
  ['2a864886f70d020a', 'SHA-384'],
  ['2a864886f70d020b', 'SHA-512'],
])
/** AES in CBC mode: the bytes of its key. */
const PKCS8_CIPHERS: ReadonlyMap<string, number> = new Map([
  ['608648016503040102', 16],
  ['608648016503040116', 24],
  ['60864801650304012a', 32],
])

/** RFC 8018: PBES2 with PBKDF2 or scrypt, and AES in CBC mode, as openssl writes it. */
export async function readEncryptedPkcs8(
  [algorithm, data]: readonly DerItem[],
  reading: Reading,
): Promise<Found> {
  if (algorithm === undefined || data === undefined) return outcome.damaged(ENCRYPTED)
  const scheme = schemeOf(algorithm.content, reading)
  if (scheme === 'unsupported') return outcome.unsupported(ENCRYPTED)
  if (scheme === 'other-cipher') return outcome.problem({ reason: scheme, kind: ENCRYPTED })
  if (data.content.length === 0 || data.content.length % IV_BYTES !== 0) return outcome.damaged(ENCRYPTED)
  if (reading.passphrase === undefined) return outcome.locked(ENCRYPTED)
  const key = await scheme.derive(reading.passphrase)
  if (key === undefined) return outcome.problem({ reason: 'too-costly', kind: ENCRYPTED })
  const plain = decrypted(key, scheme.iv, data.content, reading)
  const content = plain && derItem(plain, TAG.sequence)
  const inside = content === undefined || typeof content === 'string' ? [] : itemsIn(content)
  // A wrong passphrase gives valid padding, and then nonsense, with a probability of 1 in 256.
  if (inside.length < 3) return outcome.problem({ reason: 'wrong-passphrase', kind: ENCRYPTED })
  const found = readPkcs8(inside)
  if (found.outcome === 'secret') return { ...found, kind: ENCRYPTED }
  return found.outcome === 'refused' && found.problem.reason === 'unsupported'
    ? outcome.unsupported(ENCRYPTED)
    : found
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
    return undefined // The library throws if the padding is wrong.
  }
}

type Derive = (passphrase: Uint8Array) => Promise<Uint8Array | undefined>
type NoScheme = 'unsupported' | 'other-cipher'

function schemeOf(
  algorithm: Uint8Array,
  reading: Reading,
): { readonly derive: Derive; readonly iv: Uint8Array } | NoScheme {
  const [id, parameters] = itemsIn(algorithm)
  if (id?.tag !== TAG.oid || parameters === undefined) return 'unsupported'
  if (bytesToHex(id.content) !== PBES2) return 'other-cipher'
  const [derivation, encryption] = derFields(parameters.content, TAG.sequence, TAG.sequence) ?? []
  const [cipher, iv] = itemsIn(encryption)
  if (derivation === undefined || cipher === undefined) return 'unsupported'
  const keyBytes = PKCS8_CIPHERS.get(bytesToHex(cipher.content))
  if (keyBytes === undefined) return 'other-cipher'
  if (iv?.tag !== TAG.octets || iv.content.length !== IV_BYTES) return 'unsupported'
  const derive = derivationOf(derivation, keyBytes, reading)
  return typeof derive === 'string' ? derive : { derive, iv: iv.content }
}

function derivationOf(derivation: Uint8Array, keyBytes: number, { scratch }: Reading): Derive | NoScheme {
  const [id, parameters] = derFields(derivation, TAG.oid, TAG.sequence) ?? []
  const [salted, ...rest] = itemsIn(parameters)
  if (id === undefined || salted?.tag !== TAG.octets) return 'unsupported'
  const salt = salted.content
  const method = bytesToHex(id)
  if (method !== PBKDF2 && method !== SCRYPT) return 'other-cipher'
  const counts = rest.filter(({ tag }) => tag === TAG.integer).map(({ content }) => derCount(content) ?? 0)
  const [cost = 0, blocks = 0, lanes = 0] = counts
  const isPbkdf2 = method === PBKDF2
  const needed = isPbkdf2 ? 1 : 3
  // The length of the key may follow.
  if (counts.length < needed || counts.includes(0) || (counts[needed] ?? keyBytes) !== keyBytes)
    return 'unsupported'
  if (!isPbkdf2)
    return async (passphrase) => scryptKey({ passphrase, salt, cost, blocks, lanes, keyBytes }, scratch)
  const named = rest.find(({ tag }) => tag === TAG.sequence)
  const [hashId] = itemsIn(named?.content)
  const hash = named === undefined ? 'SHA-1' : HASHES.get(hashId ? bytesToHex(hashId.content) : '')
  if (hash === undefined) return 'other-cipher'
  return async (passphrase) => pbkdf2Key({ passphrase, salt, rounds: cost, hash, keyBytes }, scratch)
}
