import type { ForeignKind, KeyKind } from '#protocol/key-file.ts'
import { derItem, TAG } from './der.ts'
import { readDerFile, readEncryptedPkcs8 } from './format-pkcs8.ts'
import { OPENSSH_MAGIC, readOpenssh } from './format-openssh.ts'
import {
  damaged,
  foreign,
  pair,
  problem,
  truncated,
  unsupported,
  type Found,
  type Reading,
} from './reading.ts'
import { decodeBase64, indexOfText, startsWith, withoutSpace } from './secret-text.ts'

export const PEM_BEGIN = '-----BEGIN '
const DASHES = '-----'
const COLON = 0x3a
/** Around and between the lines where they are a list of texts or quoted in a letter: `"`, `'`, `,` and `>`. */
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

/** RFC 7468. A file may hold several blocks, a certificate and its key: the first private key counts. */
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
  return other === undefined ? problem({ reason: 'unknown', seen: 'pem' }) : foreign(other)
}

async function readBlock(block: Uint8Array, label: string, kind: KeyKind, reading: Reading): Promise<Found> {
  const end = indexOfText(block, DASHES, label.length + DASHES.length)
  if (end === -1) return truncated(kind)
  const ending = `-----END ${label}-----`
  if (!startsWith(block, ending, end))
    return startsWith(block, ending.slice(0, block.length - end), end) ? truncated(kind) : damaged(kind)
  const body = block.subarray(label.length + DASHES.length, end)
  // Headers, as the old way of encrypting with MD5 has them.
  if (body.includes(COLON)) return unsupported(kind)
  const text = reading.scratch.keep(withoutSpace(body, LINE_MARKS))
  const content = decodeBase64(text)
  if (content === undefined) return damaged(kind)
  reading.scratch.keep(content)
  if (kind === 'openssh') return readOpenssh(content, reading)
  const found = await readDer(content, reading)
  return found ?? (typeof derItem(content, TAG.sequence) === 'string' ? damaged(kind) : unsupported(kind))
}

/** A DER file of any kind; undefined when it is none. */
async function readDer(bytes: Uint8Array, reading: Reading): Promise<Found | undefined> {
  const file = readDerFile(bytes)
  if (file === undefined) return undefined
  return file.shape === 'encrypted' ? readEncryptedPkcs8(file.items, reading) : file.found
}

/** Bytes with a structure of their own, from a file or out of base64. Undefined when there is none. */
export async function readStructured(bytes: Uint8Array, reading: Reading): Promise<Found | undefined> {
  if (startsWith(bytes, '== ed25519v1-'))
    return foreign(startsWith(bytes, 'public', 13) ? 'public-key' : 'tor')
  if (startsWith(bytes, OPENSSH_MAGIC)) return readOpenssh(bytes, reading)
  return (await readDer(bytes, reading)) ?? readLibp2p(bytes)
}

const LIBP2P_TYPES: readonly (ForeignKind | undefined)[] = ['rsa', undefined, 'secp256k1', 'ecdsa']

/** libp2p's protobuf: key type, length, and seed with the public key once or, in old files, twice. */
function readLibp2p(bytes: Uint8Array): Found | undefined {
  const [field, type, next, length] = bytes
  if (field !== 8 || type === undefined || next !== 0x12 || length === undefined) return undefined
  const content = bytes.subarray(4)
  if (type !== 1) {
    const other = LIBP2P_TYPES[type]
    return other && bytes.length !== 32 && bytes.length !== 64 ? foreign(other) : undefined
  }
  if (length === 32 && content.length === 32) return foreign('public-key')
  if (length !== 64 && length !== 96) return undefined
  if (content.length < length) return truncated('libp2p')
  if (content.length > length) return damaged('libp2p')
  return pair('libp2p', content.subarray(0, 64), ...(length === 96 ? [content.subarray(64)] : []))
}
