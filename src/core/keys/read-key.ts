import { blake2b } from '@noble/hashes/blake2.js'
import { copySecret, secretBytes } from '#base/bytes.ts'
import type { KeyFamily, KeyFileProblem, KeyKind, LockedKind } from '#protocol/key-kinds.ts'
import { readJson } from './format-json.ts'
import { PEM_BEGIN, readPem } from './format-binary.ts'
import { isNearText, readBytes, readHex, readText } from './format-text.ts'
import * as outcome from './reading.ts'
import { createScratch, type Found, type Reading } from './reading.ts'
import {
  decodeBase64,
  decodeHex,
  indexOfText,
  isPrintable,
  linesOf,
  sameBytes,
  startsWith,
  trimmed,
  unescaped,
  unquoted,
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
  | { readonly outcome: 'needs-passphrase'; readonly kind: LockedKind }
  | { readonly outcome: 'refused'; readonly problem: KeyFileProblem }

/**
 * Recognises a private key in any common format and returns its seed. Never throws, whatever the bytes. Leaves input and
 * passphrase (UTF-8) for the caller to zero. Zeroes every other buffer that held a secret, except the returned seed.
 */
export async function readKey(input: Uint8Array, passphrase?: Uint8Array): Promise<ReadKey> {
  const scratch = createScratch()
  try {
    if (input.length > KEY_FILE_BYTES_MAX) return refused({ reason: 'too-large' })
    return checked(await recognized(input, { scratch, passphrase }))
  } finally {
    scratch.wipe()
  }
}

const refused = (given: KeyFileProblem): ReadKey => ({ outcome: 'refused', problem: given })

/**
 * Always derives the public key from the seed. A signature made with a wrong public key would reveal the private key, and a
 * file with a wrong one is not what its owner believes.
 */
function checked(found: Found): ReadKey {
  if (found.found === 'problem') return refused(found.problem)
  if (found.found === 'locked') return { outcome: 'needs-passphrase', kind: found.kind }
  const { kind, claims } = found
  const publicKey = publicKeyOf(found.seed)
  if (claims.some((claim) => !sameBytes(claim, publicKey)))
    return refused({ reason: 'public-half-differs', kind })
  return { outcome: 'read', kind, family: FAMILIES[kind], seed: copySecret(found.seed), publicKey }
}

/** `chain`: keys that can spend. */
const FAMILIES: Readonly<Record<KeyKind, KeyFamily>> = {
  jwk: 'plain',
  solana: 'chain',
  'cometbft-validator': 'chain',
  'cometbft-node': 'chain',
  polkadot: 'chain',
  minisign: 'plain',
  'encrypted-minisign': 'plain',
  pkcs8: 'plain',
  'encrypted-pkcs8': 'plain',
  openssh: 'plain',
  'encrypted-openssh': 'plain',
  near: 'chain',
  stellar: 'chain',
  sui: 'chain',
  aptos: 'chain',
  libp2p: 'plain',
  seed: 'plain',
  'seed-and-public': 'plain',
}

/** Tries the formats in order, because bytes of one can look like another. */
async function recognized(input: Uint8Array, reading: Reading): Promise<Found> {
  const bytes = plainText(input, reading)
  const text = isRawLength(bytes)
    ? trimmed(bytes)
    : trimmed(unquoted(trimmed(unescaped(bytes, reading.scratch))))
  if (text.length === 0) return outcome.problem({ reason: 'empty' })
  const isWords = isPrintable(text)
  // A PEM block may be inside JSON or a setting of a shell.
  if (indexOfText(text, PEM_BEGIN) !== -1) return readPem(text, reading)
  if (startsWith(text, OPENSSL_TEXT)) return readOpensslText(text, reading)
  // NEAR's `ed25519:` would be hex with a colon.
  const hex = isWords && !isNearText(text) ? await readHex(text, reading) : undefined
  if (hex !== undefined) return hex
  // Comments and names may be in any language, so JSON need not be ASCII.
  if (text[0] === OPEN_OBJECT && (isWords || !isRawLength(bytes))) return readJson(text, reading)
  if (isWords && isJsonList(text)) return readJson(text, reading)
  if (startsWith(text, 'untrusted comment:')) return readMinisign(text, reading)
  if (isWords) return readText(text, reading)
  // Bytes are not trimmed, because a seed may end with a byte that is a newline in text.
  return (await readBytes(bytes, reading)) ?? outcome.problem({ reason: 'unknown' })
}

/** One raw seed in 256 begins like a JSON document. */
const isRawLength = ({ length }: Uint8Array): boolean => length === 32 || length === 64

const [OPEN_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x5b, 0x5d]
/**
 * First characters of a JSON list's content: a digit, a string, another list or object, or the end of the list. An INI section
 * starts with a letter.
 */
const LIST_BEGINNINGS: readonly number[] = Array.from('0123456789"{[]', (sign) => sign.charCodeAt(0))

const isJsonList = (text: Uint8Array): boolean =>
  text[0] === OPEN_LIST && LIST_BEGINNINGS.includes(trimmed(text.subarray(1))[0] ?? CLOSE_LIST)

/** Removes a UTF-8 byte order mark. Converts UTF-16, which some Windows shells write, to one byte per character. */
function plainText(input: Uint8Array, { scratch }: Reading): Uint8Array {
  const [first, second, third] = input
  if (first === 0xef && second === 0xbb && third === 0xbf && !isRawLength(input)) return input.subarray(3)
  const isWide = first === 0xff && second === 0xfe && input.length % 2 === 0
  if (!isWide || input.some((byte, at) => at > 2 && at % 2 === 1 && byte !== 0)) return input
  const text = scratch.keep(secretBytes(input.length / 2 - 1))
  for (let i = 0; i < text.length; i++) text[i] = input[2 * i + 2] ?? 0
  return text
}

const OPENSSL_TEXT = 'ED25519 Private-Key:'

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

const BYTES = 158
const PUBLIC_BYTES = 42
const SIGNIFY_BYTES = 104

/** A comment and a line of base64, as minisign and OpenBSD's signify write it. */
function readMinisign(bytes: Uint8Array, { scratch }: Reading): Found {
  const [, line] = linesOf(bytes, 2)
  const content = decodeBase64(trimmed(line ?? new Uint8Array()))
  if (content === undefined)
    return line === undefined ? outcome.truncated('minisign') : outcome.damaged('minisign')
  scratch.keep(content)
  if (content.length === PUBLIC_BYTES) return outcome.foreign('public-key')
  if (content.length === SIGNIFY_BYTES) return outcome.foreign('signify')
  if (content.length !== BYTES)
    return content.length < BYTES ? outcome.truncated('minisign') : outcome.damaged('minisign')
  const [algorithm, derivation] = [content.subarray(0, 2), content.subarray(2, 4)]
  if (!startsWith(algorithm, 'Ed') || !startsWith(content, 'B2', 4)) return outcome.unsupported('minisign')
  // scrypt with 1 GiB of memory, more than a tab can rely on.
  if (startsWith(derivation, 'Sc'))
    return outcome.problem({ reason: 'too-costly', kind: 'encrypted-minisign' })
  if (!sameBytes(derivation, new Uint8Array(2))) return outcome.unsupported('minisign')
  const sealed = content.subarray(SEALED_AT, SEALED_AT + 8 + 64)
  const given = content.subarray(SEALED_AT + 8 + 64)
  const summed = scratch.keep(secretBytes(algorithm.length + sealed.length))
  summed.set(algorithm)
  summed.set(sealed, algorithm.length)
  // minisign omits the checksum for keys without a password; the public half remains as a check.
  const isGood = given.every((byte) => byte === 0) || sameBytes(blake2b(summed, { dkLen: 32 }), given)
  if (!isGood) return outcome.damaged('minisign')
  return outcome.pair('minisign', sealed.subarray(8))
}

/** After three names of algorithms, the salt, and two limits. */
const SEALED_AT = 3 * 2 + 32 + 2 * 8
