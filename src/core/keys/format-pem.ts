import { indexOfText, isSpace, startsWith, withoutSpace } from './ascii.ts'
import { readDerFile } from './format-pkcs8.ts'
import { readEncryptedPkcs8 } from './format-pbes2.ts'
import { readOpenssh } from './format-openssh.ts'
import {
  damaged,
  foreign,
  problem,
  truncated,
  type ForeignKind,
  type Found,
  type KeyKind,
} from './key-kinds.ts'
import type { Reading } from './reading.ts'
import { decodeBase64 } from './text-codes.ts'

const BEGIN = '-----BEGIN '
const DASHES = '-----'

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

/** RFC 7468. A file may hold several blocks, a certificate and its key: the first private key counts. Undefined without any. */
export async function readPem(bytes: Uint8Array, reading: Reading): Promise<Found | undefined> {
  let other: ForeignKind | undefined
  let at = indexOfText(bytes, BEGIN)
  if (at === -1) return undefined
  while (at !== -1) {
    const label = bytes.subarray(at + BEGIN.length)
    const kind = OURS.find(([text]) => startsWith(label, text + DASHES))
    if (kind !== undefined) return readBlock(label, ...kind, reading)
    other ??= OTHERS.find(([text]) => startsWith(label, text))?.[1]
    at = indexOfText(bytes, BEGIN, at + BEGIN.length)
  }
  return other === undefined ? problem({ reason: 'unknown' }) : foreign(other)
}

async function readBlock(block: Uint8Array, label: string, kind: KeyKind, reading: Reading): Promise<Found> {
  const end = indexOfText(block, DASHES, label.length + DASHES.length)
  if (end === -1) return truncated(kind)
  const ending = `-----END ${label}-----`
  if (!startsWith(block, ending, end))
    return startsWith(block, ending.slice(0, block.length - end), end) ? truncated(kind) : damaged(kind)
  const body = block.subarray(label.length + DASHES.length, end)
  if (!isSpace(body[0])) return damaged(kind)
  // Headers mean the old way of encrypting with MD5, which no tool uses for these labels: they are no base64.
  const text = reading.scratch.keep(withoutSpace(body))
  const content = decodeBase64(text)
  if (content === undefined) return damaged(kind)
  reading.scratch.keep(content)
  if (kind === 'openssh') return readOpenssh(content, reading)
  return (await readDer(content, reading)) ?? damaged(kind)
}

/** A DER file of any kind; undefined when it is none. */
export async function readDer(bytes: Uint8Array, reading: Reading): Promise<Found | undefined> {
  const file = readDerFile(bytes)
  if (file === undefined) return undefined
  return file.shape === 'encrypted' ? readEncryptedPkcs8(file.items, reading) : file.found
}
