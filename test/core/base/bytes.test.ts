import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  base64ToBytes,
  bytesToBase58,
  bytesToBase64,
  bytesToBase64Url,
  bytesToHex,
  copySecret,
  hexToBytes,
} from '#base/bytes.ts'

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values)
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
const anyBytes = fc.uint8Array({ maxLength: 200 })
const buffer = (value: Uint8Array): Buffer => Buffer.from(value)

describe('hex', () => {
  it('matches the encoding of Node for any bytes', () => {
    fc.assert(
      fc.property(anyBytes, (value) => {
        expect(bytesToHex(value)).toBe(buffer(value).toString('hex'))
      }),
    )
  })

  it('decodes to the same bytes, in either case', () => {
    fc.assert(
      fc.property(anyBytes, (value) => {
        expect(hexToBytes(bytesToHex(value))).toEqual(value)
        expect(hexToBytes(bytesToHex(value).toUpperCase())).toEqual(value)
      }),
    )
  })

  it.each(['0', 'abc', 'zz', '0x00', ' 00', '00 ', '00\n', '0g', 'g0', '٠٠', '00:11'])(
    'refuses %j',
    (text) => {
      expect(hexToBytes(text)).toBeUndefined()
    },
  )
})

describe('base64', () => {
  // RFC 4648 section 10.
  it.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ])('writes %j as %j and reads it back', (text, encoded) => {
    expect(bytesToBase64(ascii(text))).toBe(encoded)
    expect(base64ToBytes(encoded)).toEqual(ascii(text))
    expect(base64ToBytes(encoded.replaceAll('=', ''))).toEqual(ascii(text))
  })

  it('matches the encoding of Node for any bytes, in both alphabets', () => {
    fc.assert(
      fc.property(anyBytes, (value) => {
        expect(bytesToBase64(value)).toBe(buffer(value).toString('base64'))
        expect(bytesToBase64Url(value)).toBe(buffer(value).toString('base64url'))
      }),
    )
  })

  it('decodes to the same bytes from both alphabets', () => {
    fc.assert(
      fc.property(anyBytes, (value) => {
        expect(base64ToBytes(bytesToBase64(value))).toEqual(value)
        expect(base64ToBytes(bytesToBase64Url(value))).toEqual(value)
      }),
    )
  })

  it.each([
    ['one digit is less than a byte', 'A'],
    ['one digit is left over', 'AAAAA'],
    ['padding that does not fill up to four', 'AA='],
    ['padding after a full group', 'AAAA='],
    ['padding after a full group, twice', 'AAAA=='],
    ['three signs of padding', 'A==='],
    ['padding alone', '='],
    ['padding alone, twice', '=='],
    ['padding in the middle', 'AA==AA=='],
    ['bits left over after one byte', 'AB'],
    ['bits left over after one byte, padded', 'AP=='],
    ['bits left over after two bytes', 'AAB'],
    ['a space in front', ' AAAA'],
    ['a line break at the end', 'AAAA\n'],
    ['a character of neither alphabet', 'AA*A'],
    ['a full stop', 'AA.A'],
  ])('refuses %s: %j', (_why, text) => {
    expect(base64ToBytes(text)).toBeUndefined()
  })

  it('has one text for the same bytes, apart from alphabet and padding', () => {
    const digits = fc.string({ unit: fc.constantFrom(...Array.from('ABCDwxyz0189+/')), maxLength: 12 })
    fc.assert(
      fc.property(digits, (text) => {
        const read = base64ToBytes(text)
        fc.pre(read !== undefined)
        expect(bytesToBase64(read ?? bytes()).replaceAll('=', '')).toBe(text)
      }),
    )
  })
})

describe('base58', () => {
  // draft-msporny-base58-03 section 5, and the vectors of Bitcoin Core's base58_encode_decode.json.
  it.each([
    ['', ''],
    ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
    ['0000287fb4cd', '11233QC4'],
    ['61', '2g'],
    ['626262', 'a3gV'],
    ['636363', 'aPEr'],
    ['73696d706c792061206c6f6e6720737472696e67', '2cFupjhnEsSn59qHXstmK2ffpLv2'],
    ['00eb15231dfceb60925886b67d065299925915aeb172c06647', '1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L'],
    ['516b6fcd0f', 'ABnLTmg'],
    ['bf4f89001e670274dd', '3SEo3LWLoPntC'],
    ['572e4794', '3EFU7m'],
    ['ecac89cad93923c02321', 'EJDM8drfXA6uyA'],
    ['10c8511e', 'Rt5zm'],
    ['00000000000000000000', '1111111111'],
  ])('writes %s as %s', (hex, text) => {
    expect(bytesToBase58(hexToBytes(hex) ?? bytes())).toBe(text)
  })

  it('encodes the number of the bytes, with a "1" for each leading zero byte', () => {
    const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (value) => {
        const text = bytesToBase58(value)
        let number = 0n
        for (const char of text) number = number * 58n + BigInt(alphabet.indexOf(char))
        expect(number).toBe(BigInt(`0x0${bytesToHex(value)}`))
        const zeros = value.findIndex((byte) => byte !== 0)
        expect(/^1*/.exec(text)?.[0].length).toBe(zeros === -1 ? value.length : zeros)
      }),
    )
  })
})

it('the copy of a secret has the same bytes in a buffer of its own', () => {
  const secret = new Uint8Array([1, 2, 3, 4]).subarray(1)
  const copy = copySecret(secret)
  expect([...copy]).toEqual([2, 3, 4])
  expect(copy.buffer.byteLength).toBe(3)
  secret.fill(0)
  expect([...copy]).toEqual([2, 3, 4])
})
