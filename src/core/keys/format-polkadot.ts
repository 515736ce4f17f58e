import { secretbox } from '@noble/ciphers/salsa.js'
import { isText, startsWith } from './ascii.ts'
import { createByteCursor } from './byte-cursor.ts'
import type { JsonValues } from './json-values.ts'
import { damaged, foreign, problem, secret, type Found } from './key-kinds.ts'
import { scryptKey } from './passphrase-key.ts'
import type { Reading } from './reading.ts'
import { decodeBase64, decodeBase58 } from './text-codes.ts'

const KIND = 'polkadot'
const NOTHING = new Uint8Array()

/** The export of polkadot-js, version 3: scrypt and xsalsa20-poly1305, or no protection. */
export async function readPolkadot(values: JsonValues, reading: Reading): Promise<Found> {
  const is = (path: string, text: string): boolean => isText(values.get(path) ?? NOTHING, text)
  if (is('encoding.content.1', 'sr25519')) return foreign('sr25519')
  if (is('encoding.content.1', 'ecdsa') || is('encoding.content.1', 'ethereum')) return foreign('secp256k1')
  if (!is('encoding.content.0', 'pkcs8') || !is('encoding.content.1', 'ed25519')) return damaged(KIND)
  const encoded = decodeBase64(values.get('encoded') ?? NOTHING)
  if (encoded === undefined) return damaged(KIND)
  reading.scratch.keep(encoded)
  const claim = addressOf(values.get('address'))
  if (claim === 'damaged') return damaged(KIND)
  if (is('encoding.type.0', 'none')) return readPlain(encoded, claim)
  if (
    !is('encoding.version', '3') ||
    !is('encoding.type.0', 'scrypt') ||
    !is('encoding.type.1', 'xsalsa20-poly1305')
  )
    return problem({ reason: 'other-cipher', kind: KIND })
  const plain = await unsealed(encoded, reading)
  return plain instanceof Uint8Array ? readPlain(plain, claim) : plain
}

/** The public key in an SS58 address with a prefix of one or two bytes and a checksum of two. */
function addressOf(text: Uint8Array | undefined): Uint8Array | 'damaged' | undefined {
  if (text === undefined) return undefined
  // Old exports may give the public key itself, which the file's own copy of it makes needless.
  if (startsWith(text, '0x')) return undefined
  const bytes = decodeBase58(text)
  return bytes?.length === 35 || bytes?.length === 36 ? bytes.subarray(-34, -2) : 'damaged'
}

async function unsealed(encoded: Uint8Array, { passphrase, scratch }: Reading): Promise<Uint8Array | Found> {
  const cursor = createByteCursor(encoded)
  const salt = cursor.take(32)
  const numbers = cursor.take(12)
  const nonce = cursor.take(24)
  if (salt === undefined || numbers === undefined || nonce === undefined) return damaged(KIND)
  if (passphrase === undefined) return { found: 'locked', kind: KIND }
  const view = new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  const [cost, lanes, blocks] = [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true)]
  const key = await scryptKey({ passphrase, salt, cost, blocks, lanes, keyBytes: 64 }, scratch)
  if (key === undefined) return problem({ reason: 'too-costly', kind: KIND })
  try {
    return scratch.keep(secretbox(key.subarray(0, 32), nonce).open(cursor.rest()))
  } catch {
    return problem({ reason: 'wrong-passphrase', kind: KIND }) // the library throws when the seal is wrong
  }
}

const HEADER = Uint8Array.of(48, 83, 2, 1, 1, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32)
const DIVIDER = Uint8Array.of(161, 35, 3, 33, 0)

/** Header, 64 or 32 bytes of secret key, divider, public key; polkadot-js calls it PKCS#8, which it is not quite. */
function readPlain(bytes: Uint8Array, claim: Uint8Array | undefined): Found {
  const at = bytes.length - DIVIDER.length - 32
  const isFramed =
    HEADER.every((byte, i) => bytes[i] === byte) && DIVIDER.every((byte, i) => bytes[at + i] === byte)
  const own = bytes.subarray(HEADER.length, at)
  if (!isFramed || (own.length !== 64 && own.length !== 32)) return damaged(KIND)
  const claims = [bytes.subarray(-32), own.length === 64 ? own.subarray(32) : undefined, claim]
  return secret(KIND, own.subarray(0, 32), ...claims.filter((half) => half !== undefined))
}
