import { copySecret, secretBytes } from '#base/bytes.ts'
import { sameBytes, startsWith, linesOf } from './ascii.ts'
import { readStructured } from './format-binary.ts'
import { readJson } from './format-json.ts'
import { readPem } from './format-pem.ts'
import { readRaw, readText } from './format-text.ts'
import {
  problem,
  type Found,
  type KeyFamily,
  type KeyFileProblem,
  type KeyKind,
  type LockedKind,
  damaged,
  foreign,
  pair,
  truncated,
} from './key-kinds.ts'
import { publicKeyOf } from './nacl-signer.ts'
import { type Reading, createScratch } from './reading.ts'
import { isPrintable, trimmed, decodeBase64 } from './text-codes.ts'
import { blake2b } from '@noble/hashes/blake2.js'
import { createByteCursor } from './byte-cursor.ts'

/** No key file is longer than a few kilobytes; what is longer is some other file and is not looked at. */
export const KEY_FILE_BYTES_MAX = 65_536

export type ReadKey =
  | {
      readonly outcome: 'read'
      readonly kind: KeyKind
      readonly family: KeyFamily
      /** 32 bytes in a buffer of their own, the caller's to zero. */
      readonly seed: Uint8Array<ArrayBuffer>
      /** Derived from the seed; whatever public key the file holds is this one. */
      readonly publicKey: Uint8Array<ArrayBuffer>
    }
  | { readonly outcome: 'needs-passphrase'; readonly kind: LockedKind }
  | { readonly outcome: 'refused'; readonly problem: KeyFileProblem }

/**
 * Recognises a private key in any form that operators hold and reads its seed. Never throws on
 * any bytes. Input and passphrase (UTF-8) stay as they are, the caller's to zero; every other
 * buffer that held a secret is zero afterwards, but for the seed of the result.
 */
export async function readKey(input: Uint8Array, passphrase?: Uint8Array): Promise<ReadKey> {
  const scratch = createScratch()
  try {
    if (input.length > KEY_FILE_BYTES_MAX) return refused({ reason: 'too-large' })
    return checked(await recognised(input, { scratch, passphrase }))
  } finally {
    scratch.wipe()
  }
}

const refused = (given: KeyFileProblem): ReadKey => ({ outcome: 'refused', problem: given })

/**
 * The public half is always derived anew: a signature under a wrong one would give the private
 * key away, and a file with a wrong one is not what its owner thinks.
 */
function checked(found: Found): ReadKey {
  if (found.found === 'problem') return refused(found.problem)
  if (found.found === 'locked') return { outcome: 'needs-passphrase', kind: found.kind }
  const { kind, claims } = found
  const publicKey = publicKeyOf(found.seed)
  if (claims.some((claim) => !sameBytes(claim, publicKey)))
    return refused({ reason: 'public-half-differs', kind })
  return { outcome: 'read', kind, family: FORMATS[kind].family, seed: copySecret(found.seed), publicKey }
}

/** A file's bytes, and the same as a text: without white space around. */
type KeyFile = {
  readonly bytes: Uint8Array
  readonly text: Uint8Array
  /** Nothing but printable ASCII and white space. */
  readonly isWords: boolean
}

/** Undefined: not of a form that it reads. */
type Reader = (file: KeyFile, reading: Reading) => Promise<Found | undefined>

// Comments and names in JSON may be in any language, so it is not asked to be ASCII.
const json: Reader = async ({ bytes, text, isWords }, reading) =>
  (text[0] === OPEN_OBJECT && (isWords || !isRawLength(bytes))) ||
  (text[0] === OPEN_LIST && isWords && !startsWith(text, '[Interface]'))
    ? readJson(text, reading)
    : undefined
const minisign: Reader = async ({ text }, reading) =>
  startsWith(text, 'untrusted comment:') ? readMinisign(text, reading) : undefined
const pem: Reader = async ({ text }, reading) => readPem(text, reading)
const words: Reader = async ({ text, isWords }, reading) => (isWords ? readText(text, reading) : undefined)
// Bytes are not trimmed: a seed may end with what would be a newline in a text.
const binary: Reader = async ({ bytes }, reading) => readStructured(bytes, reading)
const raw: Reader = async ({ bytes }) => readRaw(bytes)

const format = (family: KeyFamily, read: Reader) => ({ family, read })

const CHAIN_JSON = format('chain', json)
const MINISIGN = format('plain', minisign)
const PEM = format('plain', pem)
const CHAIN_TEXT = format('chain', words)
const RAW = format('plain', raw)

/** Whether a form's keys can spend, and what reads it. Readers are asked in the order in which they stand here. */
const FORMATS: Readonly<Record<KeyKind, ReturnType<typeof format>>> = {
  jwk: format('plain', json),
  solana: CHAIN_JSON,
  'cometbft-validator': CHAIN_JSON,
  'cometbft-node': CHAIN_JSON,
  polkadot: CHAIN_JSON,
  minisign: MINISIGN,
  'encrypted-minisign': MINISIGN,
  pkcs8: PEM,
  'encrypted-pkcs8': PEM,
  openssh: PEM,
  'encrypted-openssh': PEM,
  near: CHAIN_TEXT,
  stellar: CHAIN_TEXT,
  sui: CHAIN_TEXT,
  aptos: CHAIN_TEXT,
  libp2p: format('plain', binary),
  seed: RAW,
  'seed-and-public': RAW,
}

const READERS: ReadonlySet<Reader> = new Set(Object.values(FORMATS).map(({ read }) => read))

async function recognised(input: Uint8Array, reading: Reading): Promise<Found> {
  const bytes = plainText(input, reading)
  const text = trimmed(bytes)
  if (text.length === 0) return problem({ reason: 'empty' })
  const file: KeyFile = { bytes, text, isWords: isPrintable(text) }
  for (const read of READERS) {
    const found = await read(file, reading)
    if (found !== undefined) return found
  }
  return problem({ reason: 'unknown' })
}

/** One raw seed in 256 begins like a JSON document. */
const isRawLength = ({ length }: Uint8Array): boolean => length === 32 || length === 64

const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b

/** Without a mark of UTF-8; and UTF-16, as some Windows shells write it, in one byte for each letter. */
function plainText(input: Uint8Array, { scratch }: Reading): Uint8Array {
  const [first, second, third] = input
  if (first === 0xef && second === 0xbb && third === 0xbf && !isRawLength(input)) return input.subarray(3)
  const isWide = first === 0xff && second === 0xfe && input.length % 2 === 0
  if (!isWide || input.some((byte, at) => at > 2 && at % 2 === 1 && byte !== 0)) return input
  const text = scratch.keep(secretBytes(input.length / 2 - 1))
  for (let i = 0; i < text.length; i++) text[i] = input[2 * i + 2] ?? 0
  return text
}

const BYTES = 158
const PUBLIC_BYTES = 42
const SIGNIFY_BYTES = 104

/** A comment and a line of base64, as minisign and OpenBSD's signify write them. */
function readMinisign(bytes: Uint8Array, { scratch }: Reading): Found {
  const [, line] = linesOf(bytes, 2)
  const content = decodeBase64(trimmed(line ?? new Uint8Array()))
  if (content === undefined) return line === undefined ? truncated('minisign') : damaged('minisign')
  scratch.keep(content)
  if (content.length === PUBLIC_BYTES) return foreign('public-key')
  if (content.length === SIGNIFY_BYTES) return foreign('signify')
  if (content.length !== BYTES) return content.length < BYTES ? truncated('minisign') : damaged('minisign')
  const cursor = createByteCursor(content)
  const [algorithm, derivation, checksum] = [cursor.take(2), cursor.take(2), cursor.take(2)]
  cursor.take(SALT_AND_LIMITS_BYTES)
  const sealed = cursor.take(8 + 64)
  if (!algorithm || !derivation || !checksum || !sealed) return damaged('minisign')
  if (!startsWith(algorithm, 'Ed') || !startsWith(checksum, 'B2')) return damaged('minisign')
  // scrypt with 1 GiB of memory, which a tab is not sure to get.
  if (startsWith(derivation, 'Sc')) return problem({ reason: 'too-costly', kind: 'encrypted-minisign' })
  if (!sameBytes(derivation, new Uint8Array(2))) return damaged('minisign')
  const given = cursor.rest()
  const summed = scratch.keep(secretBytes(algorithm.length + sealed.length))
  summed.set(algorithm)
  summed.set(sealed, algorithm.length)
  // minisign itself leaves the checksum out of keys without a password; the public half stays as a check.
  const isGood = given.every((byte) => byte === 0) || sameBytes(blake2b(summed, { dkLen: 32 }), given)
  if (!isGood) return damaged('minisign')
  return pair('minisign', sealed.subarray(8))
}

const SALT_AND_LIMITS_BYTES = 32 + 8 + 8
