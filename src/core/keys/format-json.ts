import { secretbox } from '@noble/ciphers/salsa.js'
import { secretBytes } from '#base/bytes.ts'
import type { ForeignKind, KeyKind } from '#protocol/key-kinds.ts'
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

/** The formats by a member that only they have; `read` gets all members. */
const FORMATS: readonly {
  readonly member: string
  readonly read: (values: JsonValues, reading: Reading) => Found | undefined | Promise<Found>
}[] = [
  { member: 'kty', read: readJwk },
  { member: 'priv_key.type', read: readCometbft },
  { member: 'private_key', read: readNear },
  { member: 'secret_key', read: readNear },
  { member: 'encoded', read: readPolkadot },
  { member: 'crypto.ciphertext', read: () => outcome.foreign('ethereum-keystore') },
  { member: 'Crypto.ciphertext', read: () => outcome.foreign('ethereum-keystore') },
  { member: 'keys.0.kty', read: () => outcome.foreign('key-set') },
]

export async function readJson(bytes: Uint8Array, reading: Reading): Promise<Found> {
  const values = jsonValues(bytes)
  if (typeof values === 'string') {
    const kind = kindByNames(bytes)
    if (kind === undefined) return NO_KEY
    // Text that is not valid JSON need not be damaged: it may have comments, or exceed the limits of this parser.
    return values === 'truncated' ? outcome.truncated(kind) : outcome.unsupported(kind)
  }
  if (bytes[0] === OPEN_LIST) return readSolana(values, reading)
  for (const { member, read } of FORMATS) {
    const found = values.has(member) ? await read(values, reading) : undefined
    if (found !== undefined) return found
  }
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
  return NAMES.find(([, names]) => names.some((name) => indexOfText(bytes, name) !== -1))?.[0]
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
  if (values.size === 32) return outcome.secret('solana', bytes)
  return values.size < 64 ? outcome.truncated('solana') : outcome.pair('solana', bytes)
}

/** A number from 0 to 255 without sign, decimal point or leading zeros. */
function byteOf(digits: Uint8Array = NOTHING): number | undefined {
  if (digits.length === 0 || (digits.length > 1 && digits[0] === 0x30) || !digits.every(isDigit))
    return undefined
  let value = 0
  for (const digit of digits) value = value * 10 + digit - 0x30
  return value < 256 ? value : undefined
}

const NOTHING = new Uint8Array()

/** Member, its content, and the key that this content means. */
const JWK_OTHERS: readonly (readonly [member: string, content: string, ForeignKind])[] = [
  ['crv', 'X25519', 'x25519'],
  ['crv', 'Ed448', 'ed448'],
  ['crv', 'X448', 'x448'],
  ['crv', 'secp256k1', 'secp256k1'],
  ['kty', 'RSA', 'rsa'],
  ['kty', 'EC', 'ecdsa'],
  ['kty', 'oct', 'symmetric'],
]

const hasIn = (values: JsonValues, path: string, text: string): boolean =>
  isText(values.get(path) ?? NOTHING, text)

/** RFC 8037. Several implementations accept an `x` of another key; this one compares it. */
function readJwk(values: JsonValues, { scratch }: Reading): Found {
  const other = JWK_OTHERS.find(([member, content]) => hasIn(values, member, content))
  if (other !== undefined) return outcome.foreign(other[2])
  if (!hasIn(values, 'kty', 'OKP') || !hasIn(values, 'crv', 'Ed25519')) return outcome.unsupported('jwk')
  const [d, x] = [values.get('d'), values.get('x')]
  if (d === undefined) return outcome.foreign('public-key')
  const claims = x === undefined ? [] : [decodeBase64(x, scratch) ?? NOTHING]
  return outcome.secret('jwk', decodeBase64(d, scratch), ...claims)
}

/** priv_validator_key.json contains the public key, node_key.json does not. */
function readCometbft(values: JsonValues, { scratch }: Reading): Found {
  const shown = values.get('pub_key.value')
  const kind = shown === undefined ? 'cometbft-node' : 'cometbft-validator'
  const type = values.get('priv_key.type') ?? NOTHING
  if (startsWith(type, 'tendermint/PrivKeySecp256k1')) return outcome.foreign('secp256k1')
  if (startsWith(type, 'tendermint/PrivKeySr25519')) return outcome.foreign('sr25519')
  if (!isText(type, 'tendermint/PrivKeyEd25519')) return outcome.unsupported(kind)
  const bytes = decodeBase64(values.get('priv_key.value') ?? NOTHING, scratch) ?? NOTHING
  const claims = shown === undefined ? [] : [decodeBase64(shown, scratch) ?? NOTHING]
  return outcome.pair(kind, bytes, ...claims)
}

const NEAR_PREFIX = 'ed25519:'
const NEAR_OTHER = 'secp256k1:'

export const isNearText = (text: Uint8Array): boolean =>
  startsWith(text, NEAR_PREFIX) || startsWith(text, NEAR_OTHER)

/** As NEAR's tools print it: 64 bytes for a private key, 32 for a public key. */
export const readNearText = (text: Uint8Array, reading: Reading): Found =>
  nearBytes(text, reading).length === 32 ? outcome.foreign('public-key') : nearKey(reading, text)

/** Other files have a `private_key` too, such as those of Google's service accounts. */
function readNear(values: JsonValues, reading: Reading): Found | undefined {
  const key = values.get('private_key') ?? values.get('secret_key') ?? NOTHING
  const shown = values.get('public_key')
  if (!values.has('account_id') && !isNearText(key)) return undefined
  return shown === undefined ? nearKey(reading, key) : nearKey(reading, key, shown)
}

function nearKey(reading: Reading, key: Uint8Array, ...shown: readonly Uint8Array[]): Found {
  if ([key, ...shown].some((text) => startsWith(text, NEAR_OTHER))) return outcome.foreign('secp256k1')
  return outcome.pair('near', nearBytes(key, reading), ...shown.map((text) => nearBytes(text, reading)))
}

/** Empty if the text is not NEAR's. */
const nearBytes = (text: Uint8Array, { scratch }: Reading): Uint8Array =>
  (startsWith(text, NEAR_PREFIX) && decodeBase58(text.subarray(NEAR_PREFIX.length), scratch)) || NOTHING

const POLKADOT = 'polkadot'

/** Export of polkadot-js, version 3: scrypt and xsalsa20-poly1305, or unencrypted. */
async function readPolkadot(values: JsonValues, reading: Reading): Promise<Found> {
  const is = (path: string, text: string): boolean => hasIn(values, `encoding.${path}`, text)
  if (is('content.1', 'sr25519')) return outcome.foreign('sr25519')
  if (is('content.1', 'ecdsa') || is('content.1', 'ethereum')) return outcome.foreign('secp256k1')
  if (!is('content.0', 'pkcs8') || !is('content.1', 'ed25519')) return outcome.unsupported(POLKADOT)
  const encoded = decodeBase64(values.get('encoded') ?? NOTHING, reading.scratch)
  const claim = addressOf(values.get('address'), reading)
  if (encoded === undefined || claim === 'damaged') return outcome.damaged(POLKADOT)
  if (is('type.0', 'none')) return readPolkadotPlain(encoded, claim)
  if (!is('version', '3') || !is('type.0', 'scrypt') || !is('type.1', 'xsalsa20-poly1305'))
    return outcome.problem({ reason: 'other-cipher', kind: POLKADOT })
  const plain = await openedPolkadot(encoded, reading)
  return plain instanceof Uint8Array ? readPolkadotPlain(plain, claim) : plain
}

/** The public key in an SS58 address with a one- or two-byte prefix and a two-byte checksum. */
function addressOf(text: Uint8Array | undefined, { scratch }: Reading): Uint8Array | 'damaged' | undefined {
  // Old exports may contain the public key itself; the encoded part has it too, so it is not needed.
  if (text === undefined || startsWith(text, '0x')) return undefined
  const bytes = decodeBase58(text, scratch)
  return bytes?.length === 35 || bytes?.length === 36 ? bytes.subarray(-34, -2) : 'damaged'
}

async function openedPolkadot(
  encoded: Uint8Array,
  { passphrase, scratch }: Reading,
): Promise<Uint8Array | Found> {
  const cursor = createByteCursor(encoded)
  const [salt, numbers, nonce] = [cursor.take(32), cursor.take(12), cursor.take(24)]
  if (salt === undefined || numbers === undefined || nonce === undefined) return outcome.damaged(POLKADOT)
  if (passphrase === undefined) return outcome.locked(POLKADOT)
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

const [COMMA, COLON, QUOTE, BACKSLASH] = [0x2c, 0x3a, 0x22, 0x5c]
const [OPEN_OBJECT, OPEN_LIST] = [0x7b, 0x5b]
/** In ASCII a closing bracket has the code of its opening one plus 2. */
const TO_CLOSE = 2

/** A list or an object: its closing bracket, and the index or name of its current item. */
type Open = { readonly close: number; name: number | string; hasValue: boolean }

/** Lenient about colons and about a comma at the end. */
function jsonValues(bytes: Uint8Array): JsonValues | JsonProblem {
  const values = new Map<string, Uint8Array>()
  const open: Open[] = []
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    const current = open.at(-1)
    if (isSpace(byte) || byte === COLON) continue
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      const isAllowed = current === undefined ? at === 0 : current.name !== '' && !current.hasValue
      if (open.length === DEPTH_MAX || !isAllowed) return 'damaged'
      if (current !== undefined) current.hasValue = true
      open.push({ close: byte + TO_CLOSE, name: byte === OPEN_LIST ? 0 : '', hasValue: false })
    } else if (byte === current?.close) open.pop()
    else if (current !== undefined && byte === COMMA) {
      current.name = typeof current.name === 'number' ? current.name + 1 : ''
      current.hasValue = false
    } else {
      const end = scalarEnd(bytes, at)
      if (end > bytes.length) return 'truncated'
      if (end === at || !addScalar(bytes.subarray(at, end), open, values)) return 'damaged'
      at = end - 1
    }
  }
  return open.length > 0 ? 'truncated' : values
}

/** False if no name or value may follow here. */
function addScalar(scalar: Uint8Array, open: readonly Open[], values: Map<string, Uint8Array>): boolean {
  const current = open.at(-1)
  const path = open.map(({ name }) => name).join('.')
  // Programs disagree on which of two equal names counts.
  if (current === undefined || current.hasValue || values.size === VALUES_MAX || values.has(path))
    return false
  const content = scalar[0] === QUOTE ? scalar.subarray(1, -1) : scalar
  current.hasValue = current.name !== ''
  if (current.hasValue) values.set(path, content)
  else current.name = String.fromCharCode(...content.subarray(0, KEY_CHARS_MAX))
  return true
}

/** End of a string, number or literal. Escapes are not decoded, because no key file uses them. */
function scalarEnd(bytes: Uint8Array, from: number): number {
  let at = from
  if (bytes[from] !== QUOTE) {
    while (isWordByte(bytes[at] ?? 0)) at++
    return at
  }
  at++
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at + 1
}

const isWordByte = (byte: number): boolean => /[0-9A-Za-z+.-]/.test(String.fromCharCode(byte))
