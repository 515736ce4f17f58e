import { pbkdf2Sync, scryptSync } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { bcryptPbkdf, pbkdf2Key, scryptKey } from '#keys/passphrase-key.ts'
import { createScratch } from '#keys/reading.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const PASSPHRASE = utf8('correct-horse')
const SALT = utf8('a salt')

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('PBKDF2', () => {
  const HASHES = [
    ['SHA-1', 'sha1'],
    ['SHA-256', 'sha256'],
    ['SHA-384', 'sha384'],
    ['SHA-512', 'sha512'],
  ] as const
  const derive = async (hash: (typeof HASHES)[number][0], rounds = 7) => {
    const scratch = createScratch()
    const input = { passphrase: PASSPHRASE, salt: SALT, rounds, hash, keyBytes: 24 }
    return { scratch, key: await pbkdf2Key(input, scratch) }
  }

  it.each(HASHES)('with %s matches node:crypto, with and without WebCrypto', async (hash, name) => {
    const expected = pbkdf2Sync(PASSPHRASE, SALT, 7, 24, name).toString('hex')
    const native = await derive(hash)
    vi.stubGlobal('crypto', {})
    const plain = await derive(hash)
    for (const { key } of [native, plain]) expect(key && bytesToHex(key)).toBe(expected)
  })

  it('has its key wiped with the scratch, and leaves the passphrase intact', async () => {
    const { key, scratch } = await derive('SHA-256')
    expect(PASSPHRASE).toEqual(utf8('correct-horse'))
    scratch.wipe()
    expect(key).toEqual(new Uint8Array(24))
  })

  it('uses WebCrypto if available, with a copy of the passphrase that is zeroed', async () => {
    const [importKey, deriveBits] = [
      vi.spyOn(crypto.subtle, 'importKey'),
      vi.spyOn(crypto.subtle, 'deriveBits'),
    ]
    const { scratch } = await derive('SHA-256')
    scratch.wipe()
    expect(deriveBits).toHaveBeenCalledTimes(1)
    expect(importKey.mock.calls.map(([, given]) => given)).toEqual([new Uint8Array(PASSPHRASE.length)])
  })

  it('allows at most 10,000,000 rounds', async () => {
    const deriveBits = vi.spyOn(crypto.subtle, 'deriveBits').mockResolvedValue(new ArrayBuffer(24))
    expect((await derive('SHA-256', 10_000_000)).key).toEqual(new Uint8Array(24))
    expect((await derive('SHA-256', 10_000_001)).key).toBeUndefined()
    expect(deriveBits).toHaveBeenCalledTimes(1)
  })
})

describe('scrypt', () => {
  const derive = async (cost: number, blocks: number, lanes: number) => {
    const scratch = createScratch()
    const input = { passphrase: PASSPHRASE, salt: SALT, cost, blocks, lanes, keyBytes: 24 }
    return { scratch, key: await scryptKey(input, scratch) }
  }

  it.each([
    [2, 1, 1],
    [16, 8, 1],
    [4, 2, 16],
  ])('with cost %i, blocks %i and lanes %i matches node:crypto', async (cost, blocks, lanes) => {
    const { key, scratch } = await derive(cost, blocks, lanes)
    const expected = scryptSync(PASSPHRASE, SALT, 24, { N: cost, r: blocks, p: lanes }).toString('hex')
    expect(key && bytesToHex(key)).toBe(expected)
    scratch.wipe()
    expect(key).toEqual(new Uint8Array(24))
  })

  it.each([
    ['a cost of 1', 1, 8, 1],
    ['a cost of 0', 0, 8, 1],
    ['a cost that is not a power of two', 12, 8, 1],
    ['0 blocks', 16, 0, 1],
    ['0 lanes', 16, 8, 0],
    ['17 lanes', 2, 1, 17],
    ['512 MiB of memory', 2 ** 19, 8, 1],
    ['slightly more than 256 MiB of memory', 2, 2 ** 20 + 1, 1],
    ['128 MiB of memory in each of 3 lanes', 2 ** 17, 8, 3],
  ])('refuses %s', async (_what, cost, blocks, lanes) => {
    expect((await derive(cost, blocks, lanes)).key).toBeUndefined()
  })
})

it.each([
  [24, 1, '8f51b9bde0a622ca307eff8167e1b130d9b8904cfa50fffe'],
  [48, 2, '284568c8cfa71bd828ffe7a7cbb3fd48a48d8a46ee1abf7fedccc14219e92354eef831805529edbf8ed3667cff572187'],
  [
    70,
    1,
    '8fee6d51831db9985dbd3821e0cc57a6707722192cca1bfe3098527ec7a8ff8662815d3667a06de19031b1d3dc308bebd90d86b8426c906c054c0bc9fad29e50001bffb9d9fe',
  ],
])(
  'bcrypt_pbkdf derives %i bytes in %i rounds as pyca/bcrypt 5.0.0 does',
  async (keyBytes, rounds, expected) => {
    const given = { passphrase: PASSPHRASE, salt: SALT, rounds, keyBytes }
    expect(bytesToHex(await bcryptPbkdf(given, createScratch()))).toBe(expected)
  },
)
