import { describe, expect, it } from 'vitest'
import { hexToBytes } from '#base/bytes.ts'
import { blowfishTables, createBlowfish } from '#keys/passphrase-key.ts'

const bytesOf = (hex: string): Uint8Array => hexToBytes(hex) ?? new Uint8Array()
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('Blowfish', () => {
  const encrypted = (key: Uint8Array, words: readonly number[], salt?: Uint8Array): readonly number[] => {
    const blowfish = createBlowfish(blowfishTables())
    blowfish.expand(key, salt)
    const block = Uint32Array.from(words)
    blowfish.encrypt(block, 0)
    return Array.from(block)
  }

  it('begins with the digits of pi, eighteen words and four times 256', () => {
    const { p, s } = blowfishTables()
    expect([p.length, s.length]).toEqual([18, 1_024])
    expect([p[0], p[17], s[0], s[1_023]]).toEqual([0x243f6a88, 0x8979fb1b, 0xd1310ba6, 0x3ac372e6])
  })

  // Eric Young's vectors, which Bruce Schneier published with the cipher.
  it.each([
    ['0000000000000000', [0, 0], [0x4ef99745, 0x6198dd78]],
    ['0123456789abcdef', [0x11111111, 0x11111111], [0x61f9c380, 0x2281b096]],
    ['fedcba9876543210', [0x01234567, 0x89abcdef], [0x0aceab0f, 0xc6a0a28d]],
    ['f0e1d2c3b4a5968778695a4b3c2d1e0f0011223344556677', [0xfedcba98, 0x76543210], [0x05044b62, 0xfa52d080]],
  ])('encrypts with the key %s as published', (key, plain, expected) => {
    expect(encrypted(bytesOf(key), plain)).toEqual(expected)
  })

  // By a separate implementation in Python, whose bcrypt_pbkdf gives what pyca/bcrypt 5.0.0 gives.
  it('mixes a salt into its tables, over and over again like the key', () => {
    expect(encrypted(utf8('a key of words'), [0, 1], utf8('a salt of six'))).toEqual([0x64edaa6a, 0x55fedb11])
  })
})
