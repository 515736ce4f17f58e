import { startsWith } from './ascii.ts'
import { OPENSSH_MAGIC, readOpenssh } from './format-openssh.ts'
import { readDer } from './format-pem.ts'
import { damaged, foreign, pair, truncated, type ForeignKind, type Found } from './key-kinds.ts'
import type { Reading } from './reading.ts'

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
