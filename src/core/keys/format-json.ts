import { secretbox } from '@noble/ciphers/salsa.js'
import { secretBytes } from '#base/bytes.ts'
import type { ForeignKind, KeyKind } from '#protocol/key-kinds.ts'
import { isNearText, nearBytes } from './format-text.ts'
import { scryptKey } from './passphrase-key.ts'
import * as outcome from './reading.ts'
import type { Found, Reading } from './reading.ts'
import {
  createByteCursor,
  decodeBase58,
  decodeBase64,
  indexOfText,
  isSpace,
  isText,
  startsWith,
  trimmed,
} from './secret-text.ts'

export async function readJson(bytes: Uint8Array, reading: Reading): Promise<Found> {
  const values = jsonValues(bytes)
  if (typeof values === 'string') {
    const kind = kindByNames(bytes)
    if (kind === undefined) return NO_KEY
    // Text that is not valid JSON need not be damaged: it may have comments, or exceed the limits of this parser.
    return values === 'truncated' ? outcome.truncated(kind) : outcome.unsupported(kind)
  }
  if (bytes[0] === OPEN_LIST) return readSolana(values, reading)
  if (values.has('kty')) return readJwk(values, reading)
  if (values.has('priv_key.type')) return readCometbft(values, reading)
  const near = values.get('private_key') ?? values.get('secret_key')
  if (near !== undefined && (values.has('account_id') || isNearText(near)))
    return readNear(near, values, reading)
  if (values.has('encoded')) return readPolkadot(values, reading)
  if (values.has('crypto.ciphertext') || values.has('Crypto.ciphertext'))
    return outcome.foreign('ethereum-keystore')
  if (values.has('keys.0.kty')) return outcome.foreign('key-set')
  return NO_KEY
}

const NO_KEY = outcome.problem({ reason: 'unknown', seen: 'json' })

const NAMES: readonly (readonly [KeyKind, readonly string[]])[] = [
  ['jwk', ['"kty"', '"crv"']],
  ['cometbft-validator', ['"pub_key"']],
  ['cometbft-node', ['"priv_key"']],
  ['near', ['"private_key"', '"secret_key"', '"account_id"']],
  ['polkadot', ['"encoded"']],
]

/** The probable format of an incomplete JSON file. */
function kindByNames(bytes: Uint8Array): KeyKind | undefined {
  if (bytes[0] === OPEN_LIST) return isDigit(trimmed(bytes.subarray(1))[0]) ? 'solana' : undefined
  const has = (name: string): boolean => indexOfText(bytes, name) !== -1
  return NAMES.find(([, names]) => names.some(has))?.[0]
}

const isDigit = (byte = 0): boolean => byte >= 0x30 && byte <= 0x39

/** solana-keygen: seed and public key as a list of numbers. */
function readSolana(values: JsonValues, { scratch }: Reading): Found {
  if (values.has('0.kty')) return outcome.foreign('key-set')
  if (values.size > 0 && byteOf(values.get('0')) === undefined) return NO_KEY
  const bytes = scratch.keep(secretBytes(values.size))
  for (let i = 0; i < values.size; i++) {
    const number = byteOf(values.get(String(i)))
    if (number === undefined) return outcome.damaged('solana')
    bytes[i] = number
  }
  if (values.size < 64)
    return values.size === 32 ? outcome.secret('solana', bytes) : outcome.truncated('solana')
  return outcome.pair('solana', bytes)
}

/** A number from 0 to 255 without sign, decimal point or leading zeros. */
function byteOf(digits: Uint8Array | undefined): number | undefined {
  if (digits === undefined || digits.length === 0) return undefined
  if (digits.length > 1 && digits[0] === 0x30) return undefined
  let value = 0
  for (const digit of digits) {
    if (!isDigit(digit)) return undefined
    value = value * 10 + digit - 0x30
  }
  return value < 256 ? value : undefined
}

const CURVES: readonly (readonly [curve: string, ForeignKind])[] = [
  ['X25519', 'x25519'],
  ['Ed448', 'ed448'],
  ['X448', 'x448'],
  ['secp256k1', 'secp256k1'],
]
const KEY_TYPES: readonly (readonly [type: string, ForeignKind])[] = [
  ['RSA', 'rsa'],
  ['EC', 'ecdsa'],
  ['oct', 'symmetric'],
]

/** RFC 8037. Several implementations accept an `x` of another key; this one compares it. */
function readJwk(values: JsonValues, { scratch }: Reading): Found {
  const is = (name: string, text: string): boolean => isText(values.get(name) ?? NOTHING, text)
  const other = CURVES.find(([curve]) => is('crv', curve)) ?? KEY_TYPES.find(([type]) => is('kty', type))
  if (other !== undefined) return outcome.foreign(other[1])
  if (!is('kty', 'OKP') || !is('crv', 'Ed25519')) return outcome.unsupported('jwk')
  const [d, x] = [values.get('d'), values.get('x')]
  if (d === undefined) return outcome.foreign('public-key')
  const seed = decodeBase64(d)
  if (seed !== undefined) scratch.keep(seed)
  return x === undefined
    ? outcome.secret('jwk', seed)
    : outcome.secret('jwk', seed, decodeBase64(x) ?? NOTHING)
}

const NOTHING = new Uint8Array()

/** priv_validator_key.json contains the public key, node_key.json does not. */
function readCometbft(values: JsonValues, { scratch }: Reading): Found {
  const hasPublic = values.has('pub_key.value')
  const kind = hasPublic ? 'cometbft-validator' : 'cometbft-node'
  const type = values.get('priv_key.type') ?? NOTHING
  if (startsWith(type, 'tendermint/PrivKeySecp256k1')) return outcome.foreign('secp256k1')
  if (startsWith(type, 'tendermint/PrivKeySr25519')) return outcome.foreign('sr25519')
  if (!isText(type, 'tendermint/PrivKeyEd25519')) return outcome.unsupported(kind)
  const bytes = decodeBase64(values.get('priv_key.value') ?? NOTHING)
  if (bytes === undefined) return outcome.damaged(kind)
  scratch.keep(bytes)
  if (!hasPublic) return outcome.pair(kind, bytes)
  return outcome.pair(kind, bytes, decodeBase64(values.get('pub_key.value') ?? NOTHING) ?? NOTHING)
}

function readNear(text: Uint8Array, values: JsonValues, reading: Reading): Found {
  const bytes = nearBytes(text, reading)
  if (!(bytes instanceof Uint8Array)) return bytes
  const shown = values.get('public_key')
  if (shown === undefined) return outcome.pair('near', bytes)
  const claim = nearBytes(shown, reading)
  return claim instanceof Uint8Array ? outcome.pair('near', bytes, claim) : claim
}

const POLKADOT = 'polkadot'

/** Export of polkadot-js, version 3: scrypt and xsalsa20-poly1305, or unencrypted. */
async function readPolkadot(values: JsonValues, reading: Reading): Promise<Found> {
  const is = (path: string, text: string): boolean => isText(values.get(path) ?? NOTHING, text)
  if (is('encoding.content.1', 'sr25519')) return outcome.foreign('sr25519')
  if (is('encoding.content.1', 'ecdsa') || is('encoding.content.1', 'ethereum'))
    return outcome.foreign('secp256k1')
  if (!is('encoding.content.0', 'pkcs8') || !is('encoding.content.1', 'ed25519'))
    return outcome.unsupported(POLKADOT)
  const encoded = decodeBase64(values.get('encoded') ?? NOTHING)
  if (encoded === undefined) return outcome.damaged(POLKADOT)
  reading.scratch.keep(encoded)
  const claim = addressOf(values.get('address'))
  if (claim === 'damaged') return outcome.damaged(POLKADOT)
  if (is('encoding.type.0', 'none')) return readPolkadotPlain(encoded, claim)
  if (
    !is('encoding.version', '3') ||
    !is('encoding.type.0', 'scrypt') ||
    !is('encoding.type.1', 'xsalsa20-poly1305')
  )
    return outcome.problem({ reason: 'other-cipher', kind: POLKADOT })
  const plain = await openedPolkadot(encoded, reading)
  return plain instanceof Uint8Array ? readPolkadotPlain(plain, claim) : plain
}

/** The public key in an SS58 address with a one- or two-byte prefix and a two-byte checksum. */
function addressOf(text: Uint8Array | undefined): Uint8Array | 'damaged' | undefined {
  if (text === undefined) return undefined
  // Old exports may contain the public key itself; the encoded part has it too, so it is not needed.
  if (startsWith(text, '0x')) return undefined
  const bytes = decodeBase58(text)
  return bytes?.length === 35 || bytes?.length === 36 ? bytes.subarray(-34, -2) : 'damaged'
}

async function openedPolkadot(
  encoded: Uint8Array,
  { passphrase, scratch }: Reading,
): Promise<Uint8Array | Found> {
  const cursor = createByteCursor(encoded)
  const salt = cursor.take(32)
  const numbers = cursor.take(12)
  const nonce = cursor.take(24)
  if (salt === undefined || numbers === undefined || nonce === undefined) return outcome.damaged(POLKADOT)
  if (passphrase === undefined) return { found: 'locked', kind: POLKADOT }
  const view = new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  const [cost, lanes, blocks] = [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true)]
  const key = await scryptKey({ passphrase, salt, cost, blocks, lanes, keyBytes: 64 }, scratch)
  if (key === undefined) return outcome.problem({ reason: 'too-costly', kind: POLKADOT })
  try {
    return scratch.keep(secretbox(key.subarray(0, 32), nonce).open(cursor.rest()))
  } catch {
    // The library throws if the authentication tag is wrong.
    return outcome.problem({ reason: 'wrong-passphrase', kind: POLKADOT })
  }
}

const HEADER = Uint8Array.of(48, 83, 2, 1, 1, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32)
const DIVIDER = Uint8Array.of(161, 35, 3, 33, 0)

/** Header, 64 or 32 bytes of secret key, divider, public key. polkadot-js calls this PKCS#8, but it differs slightly. */
function readPolkadotPlain(bytes: Uint8Array, claim: Uint8Array | undefined): Found {
  const at = bytes.length - DIVIDER.length - 32
  const isFramed =
    HEADER.every((byte, i) => bytes[i] === byte) && DIVIDER.every((byte, i) => bytes[at + i] === byte)
  const own = bytes.subarray(HEADER.length, at)
  if (!isFramed || (own.length !== 64 && own.length !== 32)) return outcome.unsupported(POLKADOT)
  const claims = [bytes.subarray(-32), own.length === 64 ? own.subarray(32) : undefined, claim]
  return outcome.secret(POLKADOT, own.subarray(0, 32), ...claims.filter((half) => half !== undefined))
}

/*
 * JSON is read without making strings of its values: JSON.parse would, and a secret
 * in a string can't be zeroed. Values are views of the input; only keys, which are not secret,
 * become strings. Everything has a bound.
 */

/** By path, such as `priv_key.value` or `type.0`. Strings are without quotes. */
type JsonValues = ReadonlyMap<string, Uint8Array>

/** `truncated`: unexpected end. `damaged`: not JSON, or beyond the limits of this parser. */
type JsonProblem = 'truncated' | 'damaged'

const DEPTH_MAX = 8
const VALUES_MAX = 256
const KEY_CHARS_MAX = 64

function jsonValues(bytes: Uint8Array): JsonValues | JsonProblem {
  const values = new Map<string, Uint8Array>()
  const end = readValue({ bytes, at: 0, values }, '', 0)
  if (typeof end === 'string') return end
  return trimmed(bytes.subarray(end)).length > 0 ? 'damaged' : values
}

type JsonRead = { readonly bytes: Uint8Array; readonly at: number; readonly values: Map<string, Uint8Array> }

const [COMMA, COLON, QUOTE, BACKSLASH] = [0x2c, 0x3a, 0x22, 0x5c]
const [OPEN_OBJECT, OPEN_LIST] = [0x7b, 0x5b]
/** In ASCII a closing bracket has the code of its opening one plus 2. */
const TO_CLOSE = 2

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

/** Adds the values at and below a path. Returns the index of the following byte. */
function readValue({ bytes, at: from, values }: JsonRead, path: string, depth: number): number | JsonProblem {
  let at = skipSpace(bytes, from)
  const open = bytes[at]
  if (open !== OPEN_OBJECT && open !== OPEN_LIST) {
    const end = scalarEnd(bytes, at)
    if (typeof end === 'string') return end
    // Programs disagree on which of two equal names counts.
    if (values.size === VALUES_MAX || values.has(path)) return 'damaged'
    values.set(path, contentOf(bytes.subarray(at, end)))
    return end
  }
  if (depth === DEPTH_MAX) return 'damaged'
  at = skipSpace(bytes, at + 1)
  for (let index = 0; bytes[at] !== open + TO_CLOSE; index++) {
    if (at >= bytes.length) return 'truncated'
    if (index > 0) {
      if (bytes[at] !== COMMA) return 'damaged'
      at = skipSpace(bytes, at + 1)
    }
    let name = String(index)
    if (open === OPEN_OBJECT) {
      const end = scalarEnd(bytes, at)
      if (typeof end === 'string') return end
      const key = contentOf(bytes.subarray(at, end))
      const colon = skipSpace(bytes, end)
      if (bytes[at] !== QUOTE || key.length > KEY_CHARS_MAX) return 'damaged'
      if (bytes[colon] !== COLON) return colon >= bytes.length ? 'truncated' : 'damaged'
      name = String.fromCharCode(...key)
      at = colon + 1
    }
    const end = readValue({ bytes, at, values }, path === '' ? name : `${path}.${name}`, depth + 1)
    if (typeof end === 'string') return end
    at = skipSpace(bytes, end)
  }
  return at + 1
}

/** End of a string, number or literal. Escapes are not decoded, because no key file uses them. */
function scalarEnd(bytes: Uint8Array, from: number): number | JsonProblem {
  if (from >= bytes.length) return 'truncated'
  let at = from
  if (bytes[from] !== QUOTE) {
    while (isWordByte(bytes[at] ?? 0)) at++
    return at === from ? 'damaged' : at
  }
  at++
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at >= bytes.length ? 'truncated' : at + 1
}

const contentOf = (scalar: Uint8Array): Uint8Array => (scalar[0] === QUOTE ? scalar.subarray(1, -1) : scalar)

const isWordByte = (byte: number): boolean => /[0-9A-Za-z+.-]/.test(String.fromCharCode(byte))
