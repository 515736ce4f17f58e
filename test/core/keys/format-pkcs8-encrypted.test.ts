import { createCipheriv, pbkdf2Sync, scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { derItems, readEncryptedPkcs8 } from '#keys/format-binary.ts'
import { createScratch } from '#keys/reading.ts'

const der = (tag: number, ...content: readonly (number | readonly number[])[]): readonly number[] => {
  const inside = content.flat()
  return inside.length < 128 ? [tag, inside.length, ...inside] : [tag, 0x81, inside.length, ...inside]
}
const RSADSI = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d]
const AES = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1]
const AES_256 = der(6, [...AES, 42])
const PBES2 = der(6, [...RSADSI, 1, 5, 13])
const PBKDF2 = der(6, [...RSADSI, 1, 5, 12])
const SCRYPT = der(6, [0x2b, 6, 1, 4, 1, 0xda, 0x47, 4, 11])
const SALT = [1, 2, 3, 4, 5, 6, 7, 8]
const IV = Array.from({ length: 16 }, (_, place) => place + 9)
const SEED = Array.from({ length: 32 }, (_, place) => place + 1)
const PASSPHRASE = new TextEncoder().encode('six words of a passphrase')
const KIND = 'encrypted-pkcs8'

const count = (value: number) => der(2, [value])
const aes = (id = 42, iv: readonly number[] = IV) => der(0x30, der(6, [...AES, id]), der(4, iv))
const hmac = (id: number) => der(0x30, der(6, [...RSADSI, 2, id]), der(5))
const derived = (id: readonly number[], ...numbers: readonly (readonly number[])[]) =>
  der(0x30, id, der(0x30, der(4, SALT), ...numbers))
const scheme = (...parts: readonly (readonly number[])[]) => der(0x30, PBES2, der(0x30, ...parts))
const inside = (seed: readonly number[] = SEED, id = 0x70) =>
  der(0x30, count(0), der(0x30, der(6, [0x2b, 0x65, id])), der(4, der(4, seed)))

/** Encrypts with node:crypto, independently of the code under test. */
function encrypted(
  key: Uint8Array,
  plain: readonly number[] = inside(),
  { padded = true } = {},
): readonly number[] {
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, Uint8Array.from(IV)).setAutoPadding(padded)
  return der(4, [...cipher.update(Uint8Array.from(plain)), ...cipher.final()])
}
const pbkdf2 = (hash: string, bytes = 32, rounds = 1) =>
  pbkdf2Sync(PASSPHRASE, Uint8Array.from(SALT), rounds, bytes, hash)

async function read(
  parts: readonly (readonly number[])[],
  passphrase: Uint8Array | undefined = PASSPHRASE,
  scratch = createScratch(),
) {
  const items = derItems(Uint8Array.from(parts.flat()))
  if (typeof items === 'string') throw new Error(items)
  return readEncryptedPkcs8(items, { scratch, passphrase })
}

const isKey = { outcome: 'secret', kind: KIND, seed: Uint8Array.from(SEED), claims: [] }
const refused = (reason: string) => ({ outcome: 'refused', problem: { reason, kind: KIND } })
const SIMPLE = scheme(derived(PBKDF2, count(1), hmac(9)), aes())

describe('an encrypted PKCS#8 key', () => {
  it.each([
    ['sha1', 7],
    ['sha256', 9],
    ['sha384', 10],
    ['sha512', 11],
  ])('opens with PBKDF2 and %s', async (hash, id) => {
    const algorithm = scheme(derived(PBKDF2, count(1), hmac(id)), aes())
    expect(await read([algorithm, encrypted(pbkdf2(hash))])).toEqual(isKey)
  })

  it('uses SHA-1 when it names no hash', async () => {
    const algorithm = scheme(derived(PBKDF2, count(3)), aes())
    expect(await read([algorithm, encrypted(pbkdf2('sha1', 32, 3))])).toEqual(isKey)
  })

  it.each([
    [16, 2],
    [24, 22],
    [32, 42],
  ])('opens with an AES key of %d bytes, with or without a stated key length', async (bytes, id) => {
    const data = encrypted(pbkdf2('sha256', bytes))
    for (const length of [[], [count(bytes)]]) {
      const algorithm = scheme(derived(PBKDF2, count(1), ...length, hmac(9)), aes(id))
      expect(await read([algorithm, data])).toEqual(isKey)
    }
    const other = scheme(derived(PBKDF2, count(1), count(bytes + 1), hmac(9)), aes(id))
    expect(await read([other, data])).toEqual(refused('unsupported'))
  })

  it('opens with scrypt', async () => {
    const key = scryptSync(PASSPHRASE, Uint8Array.from(SALT), 32, { N: 4, r: 2, p: 3 })
    const numbers = [count(4), count(2), count(3)]
    expect(await read([scheme(derived(SCRYPT, ...numbers), aes()), encrypted(key)])).toEqual(isKey)
    const long = scheme(derived(SCRYPT, ...numbers, count(32)), aes())
    expect(await read([long, encrypted(key)])).toEqual(isKey)
  })

  it('is locked without a passphrase', async () => {
    const data = encrypted(pbkdf2('sha256'))
    const locked = { outcome: 'needs-passphrase', kind: KIND }
    const parts = derItems(Uint8Array.from([...SIMPLE, ...data]))
    if (typeof parts === 'string') throw new Error(parts)
    expect(await readEncryptedPkcs8(parts, { scratch: createScratch(), passphrase: undefined })).toEqual(
      locked,
    )
  })

  const data = encrypted(pbkdf2('sha256'))
  it.each([
    ['nothing', []],
    ['no data', [SIMPLE]],
    ['empty data', [SIMPLE, der(4)]],
    ['data that is not whole blocks', [SIMPLE, der(4, SEED, 1)]],
  ])('with %s is damaged', async (_, parts) => {
    expect(await read(parts)).toEqual(refused('damaged'))
  })

  const numbers = derived(PBKDF2, count(1), hmac(9))
  const by = (...parts: readonly (readonly number[])[]) => scheme(der(0x30, ...parts), aes())
  const byPbkdf2 = (...given: readonly (readonly number[])[]) => scheme(derived(PBKDF2, ...given), aes())
  const byScrypt = (...given: readonly number[]) => scheme(derived(SCRYPT, ...given.map(count)), aes())
  const bigScrypt = derived(SCRYPT, der(2, [8, 0, 0]), count(8), count(1))
  it.each([
    ['a truncated algorithm', 'unsupported', der(0x30, [6, 9, 1])],
    ['an empty algorithm', 'unsupported', der(0x30)],
    ['an algorithm without parameters', 'unsupported', der(0x30, PBES2)],
    ['an algorithm that is not an identifier', 'unsupported', der(0x30, der(4), der(0x30))],
    ['a scheme other than PBES2', 'other-cipher', der(0x30, der(6, [...RSADSI, 1, 5, 3]), der(0x30))],
    ['a scheme without a cipher', 'unsupported', scheme(numbers)],
    ['a scheme with a wrong part', 'unsupported', scheme(numbers, der(4))],
    ['a truncated cipher', 'unsupported', scheme(numbers, der(0x30, [6, 9, 1]))],
    ['an empty cipher', 'unsupported', scheme(numbers, der(0x30))],
    ['an unsupported cipher', 'other-cipher', scheme(numbers, aes(1))],
    ['a short IV', 'unsupported', scheme(numbers, aes(42, IV.slice(1)))],
    ['a long IV', 'unsupported', scheme(numbers, aes(42, [...IV, 1]))],
    ['no IV', 'unsupported', scheme(numbers, der(0x30, AES_256))],
    ['an IV of another type', 'unsupported', scheme(numbers, der(0x30, AES_256, der(3, IV)))],
    ['a derivation without parameters', 'unsupported', by(PBKDF2)],
    ['a derivation of another type', 'unsupported', by(der(4), der(0x30))],
    ['truncated parameters', 'unsupported', by(PBKDF2, der(0x30, [4, 9, 1]))],
    ['no salt', 'unsupported', by(PBKDF2, der(0x30))],
    ['a salt of another type', 'unsupported', by(PBKDF2, der(0x30, count(1)))],
    ['an unsupported derivation', 'other-cipher', scheme(derived(der(6, [1, 2, 3]), count(1)), aes())],
    ['an unsupported hash', 'other-cipher', byPbkdf2(count(1), hmac(8))],
    ['a truncated hash', 'other-cipher', byPbkdf2(count(1), der(0x30, [6, 9]))],
    ['an empty hash', 'other-cipher', byPbkdf2(count(1), der(0x30))],
    ['no rounds', 'unsupported', byPbkdf2(hmac(9))],
    ['nothing after the salt', 'unsupported', byPbkdf2()],
    ['0 rounds', 'unsupported', byPbkdf2(count(0), hmac(9))],
    ['negative rounds', 'unsupported', byPbkdf2(count(0x85), hmac(9))],
    ['rounds with a leading zero', 'unsupported', byPbkdf2(der(2, [0, 5]), hmac(9))],
    ['rounds of 6 bytes', 'unsupported', byPbkdf2(der(2, [1, 0, 0, 0, 0, 0]), hmac(9))],
    ['10,000,001 rounds', 'too-costly', byPbkdf2(der(2, [0, 0x98, 0x96, 0x81]), hmac(9))],
    ['a key length of 0', 'unsupported', byPbkdf2(count(1), count(0), hmac(9))],
    ['scrypt without blocks', 'unsupported', byScrypt(4)],
    ['scrypt without lanes', 'unsupported', byScrypt(4, 1)],
    ['scrypt without a cost', 'unsupported', byScrypt()],
    ['scrypt with a key length of 31', 'unsupported', byScrypt(4, 1, 1, 31)],
    ['scrypt with a cost that is not a power of two', 'too-costly', byScrypt(3, 1, 1)],
    ['scrypt with a cost of 1', 'too-costly', byScrypt(1, 8, 1)],
    ['scrypt with 512 MiB', 'too-costly', scheme(bigScrypt, aes())],
    ['scrypt with 17 lanes', 'too-costly', byScrypt(16, 8, 17)],
  ] as const)('with %s is refused: %s', async (_, reason, algorithm) => {
    expect(await read([algorithm, data])).toEqual(refused(reason))
  })

  it('reports a wrong passphrase for bad padding and for nonsense with good padding', async () => {
    const other = new TextEncoder().encode('another passphrase')
    expect(await read([SIMPLE, data], other)).toEqual(refused('wrong-passphrase'))
    for (const nonsense of [[1, 2, 3], der(4, SEED), der(0x30, [4, 9]), der(0x30, count(0), der(0x30))])
      expect(await read([SIMPLE, encrypted(pbkdf2('sha256'), nonsense)])).toEqual(refused('wrong-passphrase'))
  })

  it('reports a decrypted key that is damaged or of another type', async () => {
    const short = encrypted(pbkdf2('sha256'), inside(SEED.slice(1)))
    expect(await read([SIMPLE, short])).toEqual(refused('unsupported'))
    const x25519 = encrypted(pbkdf2('sha256'), inside(SEED, 0x6e))
    expect(await read([SIMPLE, x25519])).toEqual({
      outcome: 'refused',
      problem: { reason: 'wrong-type', found: 'x25519' },
    })
  })
})
