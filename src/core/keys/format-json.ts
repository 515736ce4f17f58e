import { secretBytes } from '#base/bytes.ts'
import { indexOfText, isText, startsWith } from './ascii.ts'
import { readPolkadot } from './format-polkadot.ts'
import { nearBytes } from './format-near.ts'
import { jsonValues, type JsonValues } from './json-values.ts'
import {
  damaged,
  foreign,
  pair,
  problem,
  secret,
  truncated,
  type ForeignKind,
  type Found,
  type KeyKind,
} from './key-kinds.ts'
import type { Reading } from './reading.ts'
import { decodeBase64 } from './text-codes.ts'

/** A JSON file: what it is, is told by the names in it. */
export async function readJson(bytes: Uint8Array, reading: Reading): Promise<Found> {
  const values = jsonValues(bytes)
  if (typeof values === 'string') {
    const kind = kindByNames(bytes)
    return kind === undefined ? problem({ reason: 'unknown' }) : problem({ reason: values, kind })
  }
  if (bytes[0] === OPEN_LIST) return readSolana(values, reading)
  if (values.has('kty')) return readJwk(values, reading)
  if (values.has('priv_key.type')) return readCometbft(values, reading)
  if (values.has('private_key') || values.has('secret_key')) return readNear(values, reading)
  if (values.has('encoded')) return readPolkadot(values, reading)
  if (values.has('crypto.ciphertext') || values.has('Crypto.ciphertext')) return foreign('ethereum-keystore')
  if (values.has('keys.0.kty')) return foreign('key-set')
  return problem({ reason: 'unknown' })
}

const OPEN_LIST = 0x5b

const NAMES: readonly (readonly [KeyKind, readonly string[]])[] = [
  ['jwk', ['"kty"', '"crv"']],
  ['cometbft-validator', ['"pub_key"']],
  ['cometbft-node', ['"priv_key"']],
  ['near', ['"private_key"', '"secret_key"', '"account_id"']],
  ['polkadot', ['"encoded"']],
]

/** What a file that is no whole JSON was probably meant to be. */
function kindByNames(bytes: Uint8Array): KeyKind | undefined {
  if (bytes[0] === OPEN_LIST) return 'solana'
  const has = (name: string): boolean => indexOfText(bytes, name) !== -1
  return NAMES.find(([, names]) => names.some(has))?.[0]
}

/** solana-keygen: seed and public key as a list of numbers. */
function readSolana(values: JsonValues, { scratch }: Reading): Found {
  if (values.has('0.kty')) return foreign('key-set')
  if (values.size > 0 && byteOf(values.get('0')) === undefined) return problem({ reason: 'unknown' })
  const bytes = scratch.keep(secretBytes(values.size))
  for (let i = 0; i < values.size; i++) {
    const number = byteOf(values.get(String(i)))
    if (number === undefined) return damaged('solana')
    bytes[i] = number
  }
  if (values.size < 64) return values.size === 32 ? secret('solana', bytes) : truncated('solana')
  return pair('solana', bytes)
}

/** A number from 0 to 255 without sign, point or needless zeros. */
function byteOf(digits: Uint8Array | undefined): number | undefined {
  if (digits === undefined || digits.length === 0) return undefined
  if (digits.length > 1 && digits[0] === 0x30) return undefined
  let value = 0
  for (const digit of digits) {
    if (digit < 0x30 || digit > 0x39) return undefined
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

/** RFC 8037. Several implementations take an `x` that is not the key's own; here it is compared. */
function readJwk(values: JsonValues, { scratch }: Reading): Found {
  const is = (name: string, text: string): boolean => isText(values.get(name) ?? NOTHING, text)
  const other = [
    ...CURVES.filter(([curve]) => is('crv', curve)),
    ...KEY_TYPES.filter(([type]) => is('kty', type)),
  ]
  const [first] = other
  if (first !== undefined) return foreign(first[1])
  if (!is('kty', 'OKP') || !is('crv', 'Ed25519')) return damaged('jwk')
  const [d, x] = [values.get('d'), values.get('x')]
  if (d === undefined) return foreign('public-key')
  const seed = decodeBase64(d)
  if (seed !== undefined) scratch.keep(seed)
  return x === undefined ? secret('jwk', seed) : secret('jwk', seed, decodeBase64(x) ?? NOTHING)
}

const NOTHING = new Uint8Array()

/** priv_validator_key.json has the public key beside it, node_key.json does not. */
function readCometbft(values: JsonValues, { scratch }: Reading): Found {
  const hasPublic = values.has('pub_key.value')
  const kind = hasPublic ? 'cometbft-validator' : 'cometbft-node'
  const type = values.get('priv_key.type') ?? NOTHING
  if (startsWith(type, 'tendermint/PrivKeySecp256k1')) return foreign('secp256k1')
  if (startsWith(type, 'tendermint/PrivKeySr25519')) return foreign('sr25519')
  if (!isText(type, 'tendermint/PrivKeyEd25519')) return damaged(kind)
  const bytes = decodeBase64(values.get('priv_key.value') ?? NOTHING)
  if (bytes === undefined) return damaged(kind)
  scratch.keep(bytes)
  if (!hasPublic) return pair(kind, bytes)
  return pair(kind, bytes, decodeBase64(values.get('pub_key.value') ?? NOTHING) ?? NOTHING)
}

function readNear(values: JsonValues, reading: Reading): Found {
  const text = values.get('private_key') ?? values.get('secret_key') ?? NOTHING
  const bytes = nearBytes(text, reading)
  if (!(bytes instanceof Uint8Array)) return bytes
  const shown = values.get('public_key')
  if (shown === undefined) return pair('near', bytes)
  const claim = nearBytes(shown, reading)
  return claim instanceof Uint8Array ? pair('near', bytes, claim) : claim
}
