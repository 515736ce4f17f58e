import { sameBytes } from './ascii.ts'
import { derFields, derItem, derItems, TAG, type DerItem } from './der.ts'
import { damaged, foreign, secret, truncated, type ForeignKind, type Found } from './key-kinds.ts'

/** RFC 8410, RFC 8017, RFC 5480, RFC 3279: what a key is for, by the bytes of its object identifier. */
const ALGORITHMS: readonly (readonly [ForeignKind | 'ed25519', readonly number[]])[] = [
  ['ed25519', [0x2b, 0x65, 0x70]],
  ['ed448', [0x2b, 0x65, 0x71]],
  ['x25519', [0x2b, 0x65, 0x6e]],
  ['x448', [0x2b, 0x65, 0x6f]],
  ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]],
  ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a]],
  ['dsa', [0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01]],
  ['ecdsa', [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]],
]

const SECP256K1 = Uint8Array.of(0x2b, 0x81, 0x04, 0x00, 0x0a)

/** RFC 5958, versions 1 and 2. `undefined` when it is a private key of an algorithm that nobody knows. */
export function readPkcs8(items: readonly DerItem[]): Found {
  const [, algorithm, key, ...more] = items
  const type = algorithm && algorithmOf(algorithm.content)
  if (type === undefined || key === undefined) return damaged('pkcs8')
  if (type !== 'ed25519') return foreign(type)
  const seed = derItem(key.content, TAG.octets)
  if (typeof seed === 'string') return damaged('pkcs8')
  const claims = more.filter(({ tag }) => tag === TAG.context1).map(({ content }) => content)
  // Version 1 ends here or with attributes, version 2 has the public key as a bit string.
  if (more.some(({ tag }) => tag !== TAG.context0 && tag !== TAG.context1)) return damaged('pkcs8')
  if (claims.some((claim) => claim[0] !== 0)) return damaged('pkcs8')
  return secret('pkcs8', seed, ...claims.map((claim) => claim.subarray(1)))
}

/** The algorithm of an AlgorithmIdentifier's content; a curve that Bitcoin uses by its own name. */
function algorithmOf(content: Uint8Array): ForeignKind | 'ed25519' | undefined {
  const items = derItems(content)
  if (typeof items === 'string') return undefined
  const [id, parameters] = items
  if (id?.tag !== TAG.oid) return undefined
  const known = ALGORITHMS.find(([, bytes]) => sameBytes(id.content, Uint8Array.from(bytes)))?.[0]
  return known === 'ecdsa' && parameters && sameBytes(parameters.content, SECP256K1) ? 'secp256k1' : known
}

/** The tags of a key file's outermost sequence, and what such a file is. */
const SHAPES: readonly (readonly [Shape, RegExp])[] = [
  ['pkcs8', /^02 30 04( a0)?( 81)?$/],
  ['encrypted', /^30 04$/],
  ['public-key', /^30 03$/],
  ['certificate', /^30 30 03$/],
  ['pkcs12', /^02 30( 30)?$/],
  ['rsa', /^(02 ){8}02( 30)?$/],
  ['public-key', /^02 02$/],
  ['dsa', /^(02 ){5}02$/],
  ['ec', /^02 04( a0)?( a1)?$/],
]

type Shape = 'pkcs8' | 'encrypted' | 'public-key' | 'certificate' | 'pkcs12' | 'rsa' | 'dsa' | 'ec'

export type DerFile =
  | { readonly shape: 'encrypted'; readonly items: readonly DerItem[] }
  | { readonly shape: 'other'; readonly found: Found }

/**
 * A key file in DER, by its shape: what stands in it is told by types, not by names.
 * Undefined when it is no such file.
 */
export function readDerFile(bytes: Uint8Array): DerFile | undefined {
  const content = derItem(bytes, TAG.sequence)
  if (content === 'truncated') return cutFile(bytes)
  const items = content === 'damaged' ? content : derItems(content)
  if (typeof items === 'string') return startsAs(bytes) === 'pkcs8' ? other(damaged('pkcs8')) : undefined
  const tags = items.map(({ tag }) => tag.toString(16).padStart(2, '0')).join(' ')
  const shape = SHAPES.find(([, pattern]) => pattern.test(tags))?.[0]
  if (shape === undefined) return startsAs(bytes) === 'pkcs8' ? other(damaged('pkcs8')) : undefined
  if (shape === 'pkcs8') return other(readPkcs8(items))
  if (shape === 'encrypted') return { shape, items }
  if (shape === 'ec') return other(foreign(ecOf(items)))
  return other(foreign(shape))
}

const other = (found: Found): DerFile => ({ shape: 'other', found })

/** A file that is cut after 32 or 64 bytes must not pass for a raw seed. */
function cutFile(bytes: Uint8Array): DerFile | undefined {
  const start = startsAs(bytes)
  if (start === undefined) return undefined
  return other(start === 'pkcs8' ? truncated('pkcs8') : foreign(start))
}

/** SEQUENCE, INTEGER, SEQUENCE, or two sequences with long lengths: enough to know what a cut or damaged file was. */
function startsAs(bytes: Uint8Array): 'pkcs8' | 'pkcs12' | 'certificate' | undefined {
  if (bytes[0] !== TAG.sequence) return undefined
  const lengthByte = bytes[1] ?? 0
  const [tag, length, version, next] = bytes.subarray(lengthByte < 0x80 ? 2 : lengthByte - 0x80 + 2)
  if (lengthByte === 0x82 && tag === TAG.sequence && length === 0x82) return 'certificate'
  if (tag !== TAG.integer || length !== 1 || next !== TAG.sequence) return undefined
  if (version === 3) return 'pkcs12'
  return version === 0 || version === 1 ? 'pkcs8' : undefined
}

function ecOf(items: readonly DerItem[]): ForeignKind {
  const curve = items.find(({ tag }) => tag === TAG.context0)
  const [id] = (curve && derFields(curve.content, TAG.oid)) ?? []
  return id && sameBytes(id, SECP256K1) ? 'secp256k1' : 'ecdsa'
}
