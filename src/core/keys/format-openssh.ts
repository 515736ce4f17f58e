import { cbc, ctr } from '@noble/ciphers/aes.js'
import { isText, sameBytes, startsWith, createByteCursor, type ByteCursor } from './secret-text.ts'
import { bcryptPbkdf } from './bcrypt-pbkdf.ts'
import type { ForeignKind } from '#protocol/key-file.ts'
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

export const OPENSSH_MAGIC = 'openssh-key-v1\0'
const LOCKED = 'encrypted-openssh'

/** ssh-keygen -a 16 is usual; this takes about a minute. */
const ROUNDS_MAX = 1_000

type Mode = (key: Uint8Array, iv: Uint8Array) => { readonly decrypt: (data: Uint8Array) => Uint8Array }
type Cipher = { readonly mode: Mode; readonly keyBytes: number }

const bareCbc: Mode = (key, iv) => cbc(key, iv, { disablePadding: true })

const CIPHERS: readonly (readonly [name: string, Cipher])[] = [128, 192, 256].flatMap(
  (bits): readonly (readonly [string, Cipher])[] => [
    [`aes${bits}-ctr`, { mode: ctr, keyBytes: bits / 8 }],
    [`aes${bits}-cbc`, { mode: bareCbc, keyBytes: bits / 8 }],
  ],
)

const TYPES: readonly (readonly [string, ForeignKind])[] = [
  ['ssh-rsa', 'rsa'],
  ['ecdsa-sha2-', 'ecdsa'],
  ['ssh-dss', 'dsa'],
  ['sk-', 'security-key'],
]

/** The type by the name at the beginning of an ssh public key; undefined for Ed25519 and for unknown ones. */
const foreignSshType = (name: Uint8Array): ForeignKind | undefined =>
  TYPES.find(([prefix]) => startsWith(name, prefix))?.[1]

/** OpenSSH's PROTOCOL.key: the bytes inside the armour. */
export async function readOpenssh(bytes: Uint8Array, reading: Reading): Promise<Found> {
  const cursor = createByteCursor(bytes)
  if (!startsWith(bytes, OPENSSH_MAGIC)) return unsupported('openssh')
  cursor.take(OPENSSH_MAGIC.length)
  const [cipher, kdf, options] = [cursor.counted(), cursor.counted(), cursor.counted()]
  const count = cursor.uint32()
  const [publicBlob, sealed] = [cursor.counted(), cursor.counted()]
  if (!cipher || !kdf || !options || count === undefined || !publicBlob || !sealed)
    return truncated('openssh')
  const isPlain = isText(cipher, 'none') && isText(kdf, 'none')
  const kind = isPlain ? 'openssh' : LOCKED
  const outer = publicHalf(publicBlob, kind)
  if (!(outer instanceof Uint8Array)) return outer
  if (count !== 1) return unsupported(kind)
  if (isPlain) return cursor.rest().length === 0 ? readPrivate(sealed, outer, kind) : damaged(kind)
  const method = isText(kdf, 'bcrypt') ? CIPHERS.find(([name]) => isText(cipher, name))?.[1] : undefined
  if (method === undefined) return problem({ reason: 'other-cipher', kind: LOCKED })
  if (cursor.rest().length > 0) return damaged(kind)
  const plain = await unsealed(sealed, options, method, reading)
  return plain instanceof Uint8Array ? readPrivate(plain, outer, kind) : plain
}

/** The 32 bytes of an Ed25519 public key, or what else it is. */
function publicHalf(blob: Uint8Array, kind: 'openssh' | typeof LOCKED): Uint8Array | Found {
  const cursor = createByteCursor(blob)
  const name = cursor.counted()
  if (name === undefined) return damaged(kind)
  const key = cursor.counted()
  const isOurs = isText(name, 'ssh-ed25519') && key?.length === 32 && cursor.rest().length === 0
  if (isOurs) return key
  const other = foreignSshType(name)
  if (other !== undefined) return foreign(other)
  return isText(name, 'ssh-ed25519') ? damaged(kind) : unsupported(kind)
}

async function unsealed(
  sealed: Uint8Array,
  options: Uint8Array,
  { mode, keyBytes }: Cipher,
  { passphrase, scratch }: Reading,
): Promise<Uint8Array | Found> {
  if (sealed.length % 16 !== 0) return damaged(LOCKED)
  const cursor = createByteCursor(options)
  const [salt, rounds] = [cursor.counted(), cursor.uint32()]
  if (!salt || salt.length === 0 || !rounds || cursor.rest().length > 0) return damaged(LOCKED)
  if (rounds > ROUNDS_MAX) return problem({ reason: 'too-costly', kind: LOCKED })
  if (passphrase === undefined) return { found: 'locked', kind: LOCKED }
  // ssh-keygen itself takes no empty one: to it that means no protection.
  if (passphrase.length === 0) return problem({ reason: 'wrong-passphrase', kind: LOCKED })
  const derived = await bcryptPbkdf({ passphrase, salt, rounds, keyBytes: keyBytes + 16 }, scratch)
  return scratch.keep(mode(derived.subarray(0, keyBytes), derived.subarray(keyBytes)).decrypt(sealed))
}

function readPrivate(bytes: Uint8Array, outer: Uint8Array, kind: 'openssh' | typeof LOCKED): Found {
  const cursor = createByteCursor(bytes)
  const [check, again] = [cursor.uint32(), cursor.uint32()]
  if (again === undefined) return damaged(kind)
  // Two equal random numbers: with a wrong passphrase they differ.
  if (check !== again) return kind === LOCKED ? problem({ reason: 'wrong-passphrase', kind }) : damaged(kind)
  const [type, inner, both, comment] = fieldsOf(cursor)
  if (!type || !inner || !both || !comment) return damaged(kind)
  if (!isText(type, 'ssh-ed25519')) return unsupported(kind)
  const padding = cursor.rest()
  if (padding.length > 15 || padding.some((byte, at) => byte !== at + 1)) return damaged(kind)
  if (!sameBytes(inner, outer)) return problem({ reason: 'public-half-differs', kind })
  return pair(kind, both, outer)
}

const fieldsOf = (cursor: ByteCursor) => [
  cursor.counted(),
  cursor.counted(),
  cursor.counted(),
  cursor.counted(),
]
