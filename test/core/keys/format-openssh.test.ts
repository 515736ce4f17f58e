import { describe, expect, it } from 'vitest'
import { bytesToBase64 } from '#base/bytes.ts'
import { publicKeyOf } from '#keys/signing-key.ts'
import { readKey } from '#keys/read-key.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const uint32 = (count: number): readonly number[] => [24, 16, 8, 0].map((shift) => (count >> shift) & 0xff)
const counted = (content: Iterable<number>): readonly number[] => {
  const bytes = Array.from(content)
  return [...uint32(bytes.length), ...bytes]
}
const word = (text: string): readonly number[] => counted(utf8(text))

const SEED = new Uint8Array(32).fill(0x33)
const PUBLIC = publicKeyOf(SEED)
const OTHER = PUBLIC.map((byte) => byte ^ 1)
const outer = (key: Uint8Array = PUBLIC, type = 'ssh-ed25519') => [...word(type), ...counted(key)]

const refused = (problem: object) => ({ outcome: 'refused', problem })

/** A field without content whose length reaches beyond the end of the file. */
const BEYOND = uint32(0xffffffff)

type Inner = {
  readonly shown?: Uint8Array
  readonly type?: string
  readonly padding?: number
  /** Index of the field to replace. */
  readonly at?: number
  readonly field?: readonly number[]
}

/** Check numbers, type, public half, both halves, comment, padding. */
function inner(over: Inner = {}): readonly number[] {
  const { shown = PUBLIC, type = 'ssh-ed25519', padding, at, field = BEYOND } = over
  const fields = [word(type), counted(shown), counted([...SEED, ...PUBLIC]), word('me')]
  const bytes = [...uint32(7), ...uint32(7), ...fields.flatMap((each, i) => (i === at ? field : each))]
  return [...bytes, ...Array.from({ length: padding ?? -bytes.length & 7 }, (_, i) => i + 1)]
}

type Parts = {
  readonly magic?: string
  readonly protection?: readonly [cipher: string, derivation: string]
  readonly options?: readonly number[]
  readonly outer?: readonly number[]
  readonly inner?: readonly number[]
  /** Index of the field to replace by one that reaches beyond the end. */
  readonly beyond?: number
}

const file = (parts: Parts): Uint8Array => {
  const [cipher, derivation] = parts.protection ?? ['none', 'none']
  const fields = [
    word(cipher),
    word(derivation),
    counted(parts.options ?? []),
    uint32(1),
    counted(parts.outer ?? outer()),
    counted(parts.inner ?? inner()),
  ]
  const bytes = Uint8Array.from([
    ...utf8(parts.magic ?? 'openssh-key-v1\0'),
    ...fields.flatMap((field, at) => (at === parts.beyond ? BEYOND : field)),
  ])
  const label = 'OPENSSH PRIVATE KEY'
  return utf8(`-----BEGIN ${label}-----\n${bytesToBase64(bytes)}\n-----END ${label}-----\n`)
}

describe('an unencrypted OpenSSH key', () => {
  it('is read when all its parts agree', async () => {
    expect(await readKey(file({}))).toMatchObject({ outcome: 'read', kind: 'openssh', publicKey: PUBLIC })
  })

  it.each<[string, Parts, object]>([
    ['a different public key inside', { inner: inner({ shown: OTHER }) }, { reason: 'public-half-differs' }],
    [
      'a wrong public key in both places',
      { outer: outer(OTHER), inner: inner({ shown: OTHER }) },
      { reason: 'public-half-differs' },
    ],
    ['a different type inside', { inner: inner({ type: 'ssh-ed25518' }) }, { reason: 'unsupported' }],
    ['an unknown type', { outer: outer(PUBLIC, 'ssh-new') }, { reason: 'unsupported' }],
    ['a public key that is too short', { outer: outer(PUBLIC.subarray(1)) }, { reason: 'damaged' }],
    ['an empty public key', { outer: [] }, { reason: 'damaged' }],
    ['a public key that is only its type', { outer: word('ssh-ed25519') }, { reason: 'damaged' }],
    ['a byte after its public key', { outer: [...outer(), 0] }, { reason: 'damaged' }],
    ['an unknown magic string', { magic: 'openssh-key-v2\0' }, { reason: 'unsupported' }],
    ['no check numbers', { inner: [] }, { reason: 'damaged' }],
    ['one check number', { inner: uint32(7) }, { reason: 'damaged' }],
    ['a secret of 32 bytes', { inner: inner({ at: 2, field: counted(SEED) }) }, { reason: 'damaged' }],
    ...[0, 1, 2, 4, 5].map((beyond): [string, Parts, object] => [
      `field ${beyond} reaching beyond the end`,
      { beyond },
      { reason: 'truncated' },
    ]),
    ...[0, 1, 2, 3].map((at): [string, Parts, object] => [
      `secret field ${at} reaching beyond the end`,
      { inner: inner({ at }) },
      { reason: 'damaged' },
    ]),
  ])('with %s is refused', async (_, parts, problem) => {
    expect(await readKey(file(parts))).toEqual(refused({ kind: 'openssh', ...problem }))
  })
})

describe('an OpenSSH key', () => {
  it.each([
    ['ssh-dss', 'dsa'],
    ['sk-ssh-ed25519@openssh.com', 'security-key'],
    ['ssh-rsa', 'rsa'],
    ['ecdsa-sha2-nistp256', 'ecdsa'],
  ])('of type %s is refused by name', async (type, found) => {
    const ofType = file({ outer: outer(PUBLIC, type) })
    expect(await readKey(ofType)).toEqual(refused({ reason: 'wrong-type', found }))
  })

  it('may have up to 15 bytes of padding', async () => {
    const padded = (padding: number) => file({ inner: inner({ padding }) })
    for (const count of [0, 1, 15]) expect(await readKey(padded(count))).toMatchObject({ outcome: 'read' })
    expect(await readKey(padded(16))).toMatchObject({ problem: { reason: 'damaged' } })
  })
})

describe('an encrypted OpenSSH key', () => {
  const SALT = counted([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
  const locked = (options: readonly number[]): Uint8Array =>
    file({ protection: ['aes256-ctr', 'bcrypt'], options, inner: Array.from({ length: 160 }, () => 0) })
  const problemOf = (reason: string) => refused({ reason, kind: 'encrypted-openssh' })

  it.each([16, 1_000])('asks for its passphrase with a salt and %d rounds', async (rounds) => {
    expect(await readKey(locked([...SALT, ...uint32(rounds)]))).toEqual({
      outcome: 'needs-passphrase',
      kind: 'encrypted-openssh',
    })
  })

  it.each<[string, readonly number[], string]>([
    ['no options', [], 'damaged'],
    ['an empty salt', [...counted([]), ...uint32(16)], 'damaged'],
    ['no rounds', SALT, 'damaged'],
    ['0 rounds', [...SALT, ...uint32(0)], 'damaged'],
    ['a byte after the rounds', [...SALT, ...uint32(16), 0], 'damaged'],
    ['1,001 rounds', [...SALT, ...uint32(1_001)], 'too-costly'],
  ])('is refused with %s', async (_, options, reason) => {
    expect(await readKey(locked(options))).toEqual(problemOf(reason))
  })

  it('is refused with an unsupported derivation or cipher', async () => {
    for (const protection of [
      ['aes256-ctr', 'argon2'],
      ['3des-cbc', 'bcrypt'],
      ['none', 'bcrypt'],
      ['aes256-ctr', 'none'],
    ] as const)
      expect(await readKey(file({ protection, options: [...SALT, ...uint32(16)] }))).toEqual(
        problemOf('other-cipher'),
      )
  })
})
