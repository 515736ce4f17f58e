import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToBase58, bytesToHex } from '#base/bytes.ts'
import { crc16, decodeBase32, decodeBase58, decodeBase64, decodeBech32 } from '#keys/secret-text.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const hexOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : bytesToHex(bytes)
describe('base58', () => {
  it.each([
    // The first three are the examples of draft-msporny-base58.
    ['2NEpo7TZRRrLZSi2U', '48656c6c6f20576f726c6421'],
    [
      'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
      bytesToHex(utf8('The quick brown fox jumps over the lazy dog.')),
    ],
    ['11233QC4', '0000287fb4cd'],
    ['1', '00'],
    ['111', '000000'],
    ['2', '01'],
    ['z', '39'],
    ['21', '3a'],
    ['5Q', 'ff'],
    ['5R', '0100'],
    ['', undefined],
    ['0', undefined],
    ['O', undefined],
    ['I', undefined],
    ['l', undefined],
    ['2 2', undefined],
    ['é', undefined],
  ])('%j is %s', (text, hex) => {
    expect(hexOf(decodeBase58(utf8(text)))).toBe(hex)
  })

  it('is whatever was written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
        expect(hexOf(decodeBase58(utf8(bytesToBase58(bytes))))).toBe(hexOf(bytes))
      }),
    )
  })
})

describe('base32', () => {
  it.each([
    // RFC 4648, section 10, without its padding.
    ['', ''],
    ['MY', '66'],
    ['MZXQ', '666f'],
    ['MZXW6', '666f6f'],
    ['MZXW6YQ', '666f6f62'],
    ['MZXW6YTB', '666f6f6261'],
    ['MZXW6YTBOI', '666f6f626172'],
    ['77777777', 'ffffffffff'],
    // A bit that is left over and set, a digit that no byte needs, and digits that are none.
    ['MZ', undefined],
    ['MZXR', undefined],
    ['A', undefined],
    ['AAA', undefined],
    ['mzxq', undefined],
    ['MZX1', undefined],
    ['MZX8', undefined],
    ['MY======', undefined],
  ])('%j is %s', (text, hex) => {
    expect(hexOf(decodeBase32(utf8(text)))).toBe(hex)
  })
})

describe('bech32', () => {
  /** A public example of a Sui key. */
  const WHOLE = 'suiprivkey1qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae'

  it('is the bytes behind a prefix, with a sum that fits', () => {
    const bytes = decodeBech32(utf8(WHOLE), 'suiprivkey')
    expect(bytes).toHaveLength(33)
    expect(bytes?.[0]).toBe(0)
    // Two of BIP 173's own examples.
    expect(hexOf(decodeBech32(utf8('a12uel5l'), 'a'))).toBe('')
    expect(hexOf(decodeBech32(utf8('abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw'), 'abcdef'))).toBe(
      '00443214c74254b635cf84653a56d7c675be77df',
    )
  })

  it.each([
    ['a digit that is another', `${WHOLE.slice(0, 20)}q${WHOLE.slice(21)}`, 'suiprivkey'],
    ['a digit less', WHOLE.slice(0, -1), 'suiprivkey'],
    ['a digit that is none', WHOLE.replace('w', 'b'), 'suiprivkey'],
    ['capitals among it', WHOLE.replace('w', 'W'), 'suiprivkey'],
    ['another prefix', WHOLE, 'suiprivkex'],
    ['a prefix of another length', 'a12uel5l', 'ab'],
    ['no room for its sum', 'a12uel5', 'a'],
    ['a sum that fits and is a digit short', 's1vcsyn', 's'],
    ['a digit in a sum that would fit, which is none', 'k1b2thx0', 'k'],
    ['nothing', '', 'a'],
  ])('with %s is refused', (_what, text, prefix) => {
    expect(decodeBech32(utf8(text), prefix)).toBeUndefined()
  })
})

describe('a CRC-16/XMODEM', () => {
  it.each([
    // The catalogue's check value.
    ['123456789', 0x31c3],
    ['', 0],
    ['\0', 0],
    ['A', 0x58e5],
  ])('of %j is right', (text, sum) => {
    expect(crc16(utf8(text))).toBe(sum)
  })
})

describe('base64', () => {
  it.each([
    // RFC 4648, section 10.
    ['Zg==', '66'],
    ['Zm8=', '666f'],
    ['Zm9v', '666f6f'],
    ['Zm9vYg==', '666f6f62'],
    ['Zg', '66'],
    ['Zm8', '666f'],
    ['Zm9vYg', '666f6f62'],
    ['+/+/', 'fbffbf'],
    ['-_-_', 'fbffbf'],
    ['AZaz', '0196b3'],
    ['0189', 'd35f3d'],
    ['', undefined],
    ['=', undefined],
    ['==', undefined],
    ['====', undefined],
    ['Z', undefined],
    ['Z===', undefined],
    ['Zm9vY', undefined],
    ['Zg=', undefined],
    ['Zm8==', undefined],
    ['Zm9v=', undefined],
    ['Zm9v==', undefined],
    ['Zm9v====', undefined],
    ['Z=g=', undefined],
    ['Zh==', undefined],
    ['Zm9=', undefined],
    ['Zm8 ', undefined],
    ['@m9v', undefined],
    ['[m9v', undefined],
    ['`m9v', undefined],
    ['{m9v', undefined],
    ['.m9v', undefined],
    [':m9v', undefined],
    ['*m9v', undefined],
    [',m9v', undefined],
  ])('%j is %s', (text, hex) => {
    expect(hexOf(decodeBase64(utf8(text)))).toBe(hex)
  })

  it('is whatever was written, padded or not, for addresses or not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
        const padded = Buffer.from(bytes).toString('base64')
        for (const text of [padded, padded.replace(/=+$/, ''), Buffer.from(bytes).toString('base64url')])
          expect(hexOf(decodeBase64(utf8(text)))).toBe(hexOf(bytes))
      }),
    )
  })
})
