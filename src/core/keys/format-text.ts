import type { ForeignKind } from '#protocol/key-kinds.ts'
import { readStructured } from './format-binary.ts'
import * as outcome from './reading.ts'
import type { Found, Reading } from './reading.ts'
import {
  crc16,
  decodeBase32,
  decodeBase58,
  decodeBase64,
  decodeBech32,
  decodeHex,
  indexOfText,
  startsWith,
  withoutSpace,
  wordsOf,
} from './secret-text.ts'

const OTHERS: readonly (readonly [beginning: string, ForeignKind])[] = [
  ['ssh-', 'public-key'],
  ['---- BEGIN SSH2 PUBLIC KEY', 'public-key'],
  ['ecdsa-sha2-', 'public-key'],
  ['sk-ssh-', 'security-key'],
  ['PuTTY-User-Key-File', 'putty'],
  ['age1', 'public-key'],
  ['nsec1', 'nostr'],
  ['npub1', 'public-key'],
  ['xprv', 'wallet-root'],
  ['secp256k1-priv-', 'secp256k1'],
  ['secp256k1:', 'secp256k1'],
]

/** May be preceded by comments or other text. */
const WITHIN: readonly (readonly [text: string, ForeignKind])[] = [
  ['AGE-SECRET-KEY-1', 'age'],
  ['[Interface]', 'wireguard'],
]

/** A trimmed text: wallet formats and bare seeds. */
export async function readText(text: Uint8Array, reading: Reading): Promise<Found> {
  const within = WITHIN.find(([part]) => indexOfText(text, part) !== -1)
  if (within !== undefined) return outcome.foreign(within[1])
  const other = OTHERS.find(([beginning]) => startsWith(text, beginning))
  if (other !== undefined) return outcome.foreign(other[1])
  if (isWords(text)) return outcome.foreign('words')
  return readWallet(text, reading) ?? (await readBare(text, reading))
}

/** BIP 39: 12 to 24 lower-case words. */
function isWords(text: Uint8Array): boolean {
  const words = wordsOf(text, 25)
  const isWord = (word: Uint8Array): boolean =>
    word.length >= 3 && word.length <= 8 && word.every((byte) => byte >= 0x61 && byte <= 0x7a)
  return words.length >= 12 && words.length <= 24 && words.every(isWord)
}

const APTOS_PREFIX = 'ed25519-priv-'
const SUI_PREFIX = 'suiprivkey'

function readWallet(text: Uint8Array, reading: Reading): Found | undefined {
  if (startsWith(text, NEAR_PREFIX)) {
    const bytes = nearBytes(text, reading)
    if (!(bytes instanceof Uint8Array)) return bytes
    return bytes.length === 32 ? outcome.foreign('public-key') : outcome.pair('near', bytes)
  }
  if (startsWith(text, APTOS_PREFIX)) return readAptos(text.subarray(APTOS_PREFIX.length), reading)
  if (startsWith(text, `${SUI_PREFIX}1`)) return readSui(text, reading)
  return readStellar(text, reading) ?? readSolanaText(text, reading)
}

function readAptos(text: Uint8Array, { scratch }: Reading): Found {
  const seed = decodeHex(text, scratch)
  if (!(seed instanceof Uint8Array))
    return text.length < HEX_SEED_CHARS + 2 ? outcome.truncated('aptos') : outcome.damaged('aptos')
  return seed.length < 32 ? outcome.truncated('aptos') : outcome.secret('aptos', seed)
}

/** One byte for the key type, then the seed. */
function readSui(text: Uint8Array, { scratch }: Reading): Found {
  const bytes = decodeBech32(text, SUI_PREFIX)
  if (bytes === undefined) return text.length < SUI_CHARS ? outcome.truncated('sui') : outcome.damaged('sui')
  scratch.keep(bytes)
  if (bytes.length !== 33) return outcome.unsupported('sui')
  if (bytes[0] === 1) return outcome.foreign('secp256k1')
  if (bytes[0] === 2) return outcome.foreign('ecdsa')
  return bytes[0] === 0 ? outcome.secret('sui', bytes.subarray(1)) : outcome.unsupported('sui')
}

const SUI_CHARS = 70
const STELLAR_CHARS = 56
const STELLAR_SECRET = 18 << 3
const STELLAR_PUBLIC = 6 << 3

/** SEP 23: one byte for the key type, 32 bytes, a checksum. */
function readStellar(text: Uint8Array, { scratch }: Reading): Found | undefined {
  const isSecret = text[0] === 0x53 // S
  if (!isSecret && text[0] !== 0x47) return undefined // G, a public key
  if (text.length > STELLAR_CHARS || text.some((byte) => !isBase32(byte))) return undefined
  // Below 20 characters anything is possible. From there on, no base64 consists of these capitals and digits alone.
  if (text.length < STELLAR_CHARS) return text.length < 20 ? undefined : outcome.truncated('stellar')
  const bytes = decodeBase32(text)
  if (bytes === undefined) return undefined
  scratch.keep(bytes)
  const sum = crc16(bytes.subarray(0, 33))
  const isWhole = bytes[33] === (sum & 0xff) && bytes[34] === sum >> 8
  if (bytes[0] === STELLAR_PUBLIC) return isWhole ? outcome.foreign('public-key') : undefined
  return isWhole && bytes[0] === STELLAR_SECRET
    ? outcome.secret('stellar', bytes.subarray(1, 33))
    : outcome.damaged('stellar')
}

const isBase32 = (byte: number): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x32 && byte <= 0x37)

/** Wallets show the 64 bytes in base58 with 87 or 88 digits; base64 of 64 bytes never has this length without padding. */
function readSolanaText(text: Uint8Array, { scratch }: Reading): Found | undefined {
  if (text.length !== 87 && text.length !== 88) return undefined
  const bytes = decodeBase58(text)
  if (bytes === undefined) return undefined
  scratch.keep(bytes)
  return bytes.length === 64 ? outcome.pair('solana', bytes) : undefined
}

const HEX_SEED_CHARS = 64

/** Base64 and base64url, on one line or wrapped. Lines of equal length rule out a sentence. */
async function readBare(text: Uint8Array, reading: Reading): Promise<Found> {
  const lines = wordsOf(text, text.length)
  const width = lines[0]?.length ?? 0
  const isFolded =
    width >= BASE64_WIDTH_MIN &&
    lines.every(({ length }, at) => length === width || (at === lines.length - 1 && length < width))
  if (lines.length > 1 && !isFolded) return outcome.problem({ reason: 'unknown' })
  const bytes = decodeBase64(reading.scratch.keep(withoutSpace(text)))
  if (bytes === undefined) return outcome.problem({ reason: 'unknown' })
  const found = await readBytes(reading.scratch.keep(bytes), reading)
  if (found !== undefined) return found
  return bytes.length < 16 ? outcome.problem({ reason: 'unknown' }) : wrongLength('base64', bytes)
}

const BASE64_WIDTH_MIN = 8

const wrongLength = (seen: 'hex' | 'base64', { length: bytes }: Uint8Array): Found =>
  outcome.problem({ reason: 'wrong-length', seen, bytes })

/** Never tries hex as base64: a truncated hex seed would silently become another key. */
export async function readHex(text: Uint8Array, reading: Reading): Promise<Found | undefined> {
  const bytes = decodeHex(text, reading.scratch)
  if (bytes === undefined) return undefined
  if (bytes === 'odd') return outcome.problem({ reason: 'wrong-length', seen: 'hex' })
  if (bytes === 'words') return outcome.problem({ reason: 'unknown', seen: 'words' })
  return (await readBytes(bytes, reading)) ?? wrongLength('hex', bytes)
}

/** Bytes without a structure are a seed if there are 32, a seed and its public key if there are 64. */
export async function readBytes(bytes: Uint8Array, reading: Reading): Promise<Found | undefined> {
  const found = await readStructured(bytes, reading)
  if (found !== undefined) return found
  if (bytes.length === 32) return outcome.secret('seed', bytes)
  return bytes.length === 64 ? outcome.pair('seed-and-public', bytes) : undefined
}

const NEAR_PREFIX = 'ed25519:'

const NEAR_OTHER = 'secp256k1:'

export const isNearText = (text: Uint8Array): boolean =>
  startsWith(text, NEAR_PREFIX) || startsWith(text, NEAR_OTHER)

/** The bytes after `ed25519:` in NEAR's texts: 64 for a private key, 32 for a public key. */
export function nearBytes(text: Uint8Array, { scratch }: Reading): Uint8Array | Found {
  if (startsWith(text, NEAR_OTHER)) return outcome.foreign('secp256k1')
  if (!startsWith(text, NEAR_PREFIX)) return outcome.damaged('near')
  const bytes = decodeBase58(text.subarray(NEAR_PREFIX.length))
  return bytes === undefined ? outcome.damaged('near') : scratch.keep(bytes)
}
