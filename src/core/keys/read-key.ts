import { blake2b } from '@noble/hashes/blake2.js'
import { copySecret, secretBytes } from '#base/bytes.ts'
import type { ChainKind, ForeignKind, KeyFamily, KeyKind } from '#protocol/key-kinds.ts'
import { PEM_BEGIN, readPem, readStructured } from './format-binary.ts'
import { isNearText, readJson, readNearText } from './format-json.ts'
import * as outcome from './reading.ts'
import { createScratch, type Found, type NotRead, type Reading } from './reading.ts'
import {
  crc16,
  decodeBase32,
  decodeBase58,
  decodeBase64,
  decodeBech32,
  decodeHex,
  indexOfText,
  isPrintable,
  linesOf,
  sameBytes,
  startsWith,
  trimmed,
  unescaped,
  unquoted,
  withoutSpace,
  wordsOf,
} from './secret-text.ts'
import { publicKeyOf } from './signing-key.ts'

/** No key file is longer than a few kilobytes; longer files are not read. */
export const KEY_FILE_BYTES_MAX = 65_536

export type ReadKey =
  | {
      readonly outcome: 'read'
      readonly kind: KeyKind
      readonly family: KeyFamily
      /** 32 bytes in a separate buffer; the caller zeroes them. */
      readonly seed: Uint8Array<ArrayBuffer>
      /** Derived from the seed; any public key in the file equals it. */
      readonly publicKey: Uint8Array<ArrayBuffer>
    }
  | NotRead

/**
 * Recognizes a private key in any common format and returns its seed. Never throws, whatever the bytes. Leaves input and
 * passphrase (UTF-8) for the caller to zero. Zeroes every other buffer that held a secret, except the returned seed.
 */
export async function readKey(input: Uint8Array, passphrase?: Uint8Array): Promise<ReadKey> {
  const scratch = createScratch()
  try {
    if (input.length > KEY_FILE_BYTES_MAX) return { outcome: 'refused', problem: { reason: 'too-large' } }
    const found = await recognized(input, { scratch, passphrase })
    return found.outcome === 'secret' ? checked(found) : found
  } finally {
    scratch.wipe()
  }
}

/**
 * Always derives the public key from the seed. A signature made with a wrong public key would reveal the private key, and a
 * file with a wrong one is not what its owner believes.
 */
function checked({ kind, seed, claims }: Extract<Found, { outcome: 'secret' }>): ReadKey {
  const publicKey = publicKeyOf(seed)
  return claims.every((claim) => sameBytes(claim, publicKey))
    ? { outcome: 'read', kind, family: familyOf(kind), seed: copySecret(seed), publicKey }
    : { outcome: 'refused', problem: { reason: 'public-half-differs', kind } }
}

/** Keys that can spend funds or be slashed. */
const CHAIN: readonly ChainKind[] = [
  'solana',
  'near',
  'stellar',
  'sui',
  'aptos',
  'polkadot',
  'cometbft-validator',
  'cometbft-node',
]

const familyOf = (kind: KeyKind): KeyFamily => (CHAIN.some((each) => each === kind) ? 'chain' : 'plain')

const UNKNOWN = outcome.problem({ reason: 'unknown' })

async function recognized(input: Uint8Array, reading: Reading): Promise<Found> {
  const bytes = plainText(input, reading)
  if (isRaw(bytes)) return (await readBytes(bytes, reading)) ?? UNKNOWN
  const text = trimmed(unquoted(trimmed(unescaped(bytes, reading.scratch))))
  if (text.length === 0) return outcome.problem({ reason: 'empty' })
  for (const { matches, read } of FORMATS) {
    const found = matches(text) ? await read(text, reading) : undefined
    if (found !== undefined) return found
  }
  // Bytes are not trimmed, because a seed may end with a byte that is a newline in text.
  return (await readBytes(bytes, reading)) ?? UNKNOWN
}

/** Recognized before any text, because one raw seed in 256 begins like a JSON document. */
const isRaw = (bytes: Uint8Array): boolean => hasRawLength(bytes) && !isPrintable(bytes)

const hasRawLength = ({ length }: Uint8Array): boolean => length === 32 || length === 64

/** Removes a UTF-8 byte order mark. Converts UTF-16, which some Windows shells write, to one byte per character. */
function plainText(input: Uint8Array, { scratch }: Reading): Uint8Array {
  const [first, second, third] = input
  if (first === 0xef && second === 0xbb && third === 0xbf && !hasRawLength(input)) return input.subarray(3)
  const isWide = first === 0xff && second === 0xfe && input.length % 2 === 0
  if (!isWide || input.some((byte, at) => at > 2 && at % 2 === 1 && byte !== 0)) return input
  const text = scratch.keep(secretBytes(input.length / 2 - 1))
  for (let i = 0; i < text.length; i++) text[i] = input[2 * i + 2] ?? 0
  return text
}

type Format = {
  readonly matches: (text: Uint8Array) => boolean
  /** Undefined if the text turns out to be of another format. */
  readonly read: (text: Uint8Array, reading: Reading) => Found | undefined | Promise<Found | undefined>
}

const begins = (beginning: string) => (text: Uint8Array) => startsWith(text, beginning)
const contains = (part: string) => (text: Uint8Array) => indexOfText(text, part) !== -1
const other = (matches: Format['matches'], found: ForeignKind): Format => ({
  matches,
  read: () => outcome.foreign(found),
})

const APTOS_PREFIX = 'ed25519-priv-'
const SUI_PREFIX = 'suiprivkey'

/** Trimmed texts. The first format that reads a text counts, because texts of one can look like another. */
const FORMATS: readonly Format[] = [
  // A PEM block may be inside JSON or a setting of a shell.
  { matches: contains(PEM_BEGIN), read: readPem },
  { matches: begins('ED25519 Private-Key:'), read: readOpensslText },
  // `ed25519:` would be hex with a colon.
  { matches: isNearText, read: readNearText },
  // Never tries hex as base64: a truncated hex seed would silently become another key.
  { matches: isPrintable, read: readHex },
  { matches: isJson, read: readJson },
  { matches: begins('untrusted comment:'), read: readMinisign },
  // May be preceded by comments or other text.
  other(contains('AGE-SECRET-KEY-1'), 'age'),
  other(contains('[Interface]'), 'wireguard'),
  other(begins('ssh-'), 'public-key'),
  other(begins('---- BEGIN SSH2 PUBLIC KEY'), 'public-key'),
  other(begins('ecdsa-sha2-'), 'public-key'),
  other(begins('sk-ssh-'), 'security-key'),
  other(begins('PuTTY-User-Key-File'), 'putty'),
  other(begins('age1'), 'public-key'),
  other(begins('nsec1'), 'nostr'),
  other(begins('npub1'), 'public-key'),
  other(begins('xprv'), 'wallet-root'),
  other(begins('secp256k1-priv-'), 'secp256k1'),
  other(isSeedPhrase, 'words'),
  { matches: begins(APTOS_PREFIX), read: readAptos },
  { matches: begins(`${SUI_PREFIX}1`), read: readSui },
  { matches: isStellar, read: readStellar },
  { matches: ({ length }) => length === 87 || length === 88, read: readSolanaText },
  { matches: isPrintable, read: readBase64 },
]

/**
 * First characters of a JSON list's content: a digit, a string, another list or object, or the end of the list. An INI section
 * starts with a letter.
 */
const LIST_BEGINNINGS: readonly number[] = Array.from('0123456789"{[]', (sign) => sign.charCodeAt(0))

function isJson(text: Uint8Array): boolean {
  const [open] = text
  return open === 0x7b || (open === 0x5b && LIST_BEGINNINGS.includes(trimmed(text.subarray(1))[0] ?? 0x5d))
}

/** Output of `openssl pkey -text`: both halves in hex with colons. */
function readOpensslText(text: Uint8Array, { scratch }: Reading): Found {
  const [priv, pub] = [indexOfText(text, 'priv:'), indexOfText(text, 'pub:')]
  if (priv === -1 || pub === -1) return outcome.truncated('seed-and-public')
  const halves = [text.subarray(priv + 'priv:'.length, pub), text.subarray(pub + 'pub:'.length)]
  const [seed, claim] = halves.map((half) => decodeHex(half, scratch))
  return seed instanceof Uint8Array && claim instanceof Uint8Array
    ? outcome.secret('seed-and-public', seed, claim)
    : outcome.truncated('seed-and-public')
}

const MINISIGN_BYTES = 158
const MINISIGN_PUBLIC_BYTES = 42
const SIGNIFY_BYTES = 104
/** After three names of algorithms, the salt, and two limits. */
const SEALED_AT = 3 * 2 + 32 + 2 * 8
/** After the key's id and both halves. */
const SUM_AT = SEALED_AT + 8 + 64

/** A comment and a line of base64, as minisign and OpenBSD's signify write it. */
function readMinisign(text: Uint8Array, { scratch }: Reading): Found {
  const [, line] = linesOf(text)
  if (line === undefined) return outcome.truncated('minisign')
  const content = decodeBase64(trimmed(line), scratch)
  if (content === undefined) return outcome.damaged('minisign')
  if (content.length === MINISIGN_PUBLIC_BYTES) return outcome.foreign('public-key')
  if (content.length === SIGNIFY_BYTES) return outcome.foreign('signify')
  if (content.length < MINISIGN_BYTES) return outcome.truncated('minisign')
  if (content.length > MINISIGN_BYTES) return outcome.damaged('minisign')
  if (!startsWith(content, 'Ed') || !startsWith(content, 'B2', 4)) return outcome.unsupported('minisign')
  // scrypt with 1 GiB of memory, more than a tab can rely on.
  if (startsWith(content, 'Sc', 2))
    return outcome.problem({ reason: 'too-costly', kind: 'encrypted-minisign' })
  if (!startsWith(content, '\0\0', 2)) return outcome.unsupported('minisign')
  const [sealed, given] = [content.subarray(SEALED_AT, SUM_AT), content.subarray(SUM_AT)]
  const sum = blake2b.create({ dkLen: 32 }).update(content.subarray(0, 2)).update(sealed).digest()
  // minisign omits the checksum for keys without a password; the public half remains as a check.
  const isGood = given.every((byte) => byte === 0) || sameBytes(sum, given)
  return isGood ? outcome.pair('minisign', sealed.subarray(8)) : outcome.damaged('minisign')
}

/** BIP 39: 12 to 24 lower-case words. */
function isSeedPhrase(text: Uint8Array): boolean {
  const words = wordsOf(text)
  const isWord = (word: Uint8Array): boolean =>
    word.length >= 3 && word.length <= 8 && word.every((byte) => byte >= 0x61 && byte <= 0x7a)
  return words.length >= 12 && words.length <= 24 && words.every(isWord)
}

const HEX_SEED_CHARS = 64

function readAptos(text: Uint8Array, { scratch }: Reading): Found {
  const digits = text.subarray(APTOS_PREFIX.length)
  const seed = decodeHex(digits, scratch)
  if (seed instanceof Uint8Array)
    return seed.length < 32 ? outcome.truncated('aptos') : outcome.secret('aptos', seed)
  return digits.length < HEX_SEED_CHARS + 2 ? outcome.truncated('aptos') : outcome.damaged('aptos')
}

const SUI_CHARS = 70

/** One byte for the key type, then the seed. */
function readSui(text: Uint8Array, { scratch }: Reading): Found {
  const bytes = decodeBech32(text, SUI_PREFIX, scratch)
  if (bytes === undefined) return text.length < SUI_CHARS ? outcome.truncated('sui') : outcome.damaged('sui')
  if (bytes.length !== 33) return outcome.unsupported('sui')
  if (bytes[0] === 1) return outcome.foreign('secp256k1')
  if (bytes[0] === 2) return outcome.foreign('ecdsa')
  return bytes[0] === 0 ? outcome.secret('sui', bytes.subarray(1)) : outcome.unsupported('sui')
}

const STELLAR_CHARS = 56
/** Below this length anything is possible. From there on, no base64 consists of these capitals and digits alone. */
const STELLAR_CHARS_MIN = 20
const STELLAR_SECRET = 18 << 3
const STELLAR_PUBLIC = 6 << 3

/** Begins with S, or with G for a public key. */
function isStellar(text: Uint8Array): boolean {
  return (
    (text[0] === 0x53 || text[0] === 0x47) &&
    text.length >= STELLAR_CHARS_MIN &&
    text.length <= STELLAR_CHARS &&
    text.every((byte) => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x32 && byte <= 0x37))
  )
}

/** SEP 23: one byte for the key type, 32 bytes, a checksum. */
function readStellar(text: Uint8Array, { scratch }: Reading): Found | undefined {
  if (text.length < STELLAR_CHARS) return outcome.truncated('stellar')
  const bytes = decodeBase32(text, scratch)
  if (bytes === undefined) return undefined
  const sum = crc16(bytes.subarray(0, 33))
  const isWhole = bytes[33] === (sum & 0xff) && bytes[34] === sum >> 8
  if (bytes[0] === STELLAR_PUBLIC) return isWhole ? outcome.foreign('public-key') : undefined
  return isWhole && bytes[0] === STELLAR_SECRET
    ? outcome.secret('stellar', bytes.subarray(1, 33))
    : outcome.damaged('stellar')
}

/** Wallets show the 64 bytes in base58 with 87 or 88 digits; base64 of 64 bytes never has this length without padding. */
function readSolanaText(text: Uint8Array, { scratch }: Reading): Found | undefined {
  const bytes = decodeBase58(text, scratch)
  return bytes?.length === 64 ? outcome.pair('solana', bytes) : undefined
}

const BASE64_WIDTH_MIN = 8

/** Base64 and base64url, on one line or wrapped. Lines of equal length rule out a sentence. */
async function readBase64(text: Uint8Array, reading: Reading): Promise<Found> {
  const lines = wordsOf(text)
  const width = lines[0]?.length ?? 0
  const isFolded =
    width >= BASE64_WIDTH_MIN &&
    lines.every(({ length }, at) => length === width || (at === lines.length - 1 && length < width))
  if (lines.length > 1 && !isFolded) return UNKNOWN
  const bytes = decodeBase64(withoutSpace(text, reading.scratch), reading.scratch)
  const found = bytes && (await readBytes(bytes, reading))
  if (found !== undefined) return found
  return bytes === undefined || bytes.length < 16 ? UNKNOWN : wrongLength('base64', bytes)
}

const wrongLength = (seen: 'hex' | 'base64', { length: bytes }: Uint8Array): Found =>
  outcome.problem({ reason: 'wrong-length', seen, bytes })

async function readHex(text: Uint8Array, reading: Reading): Promise<Found | undefined> {
  const bytes = decodeHex(text, reading.scratch)
  if (bytes === undefined) return undefined
  if (bytes === 'odd') return outcome.problem({ reason: 'wrong-length', seen: 'hex' })
  if (bytes === 'words') return outcome.problem({ reason: 'unknown', seen: 'words' })
  return (await readBytes(bytes, reading)) ?? wrongLength('hex', bytes)
}

/** Bytes without a structure are a seed if there are 32, a seed and its public key if there are 64. */
async function readBytes(bytes: Uint8Array, reading: Reading): Promise<Found | undefined> {
  const found = await readStructured(bytes, reading)
  if (found !== undefined) return found
  if (bytes.length === 32) return outcome.secret('seed', bytes)
  return bytes.length === 64 ? outcome.pair('seed-and-public', bytes) : undefined
}
