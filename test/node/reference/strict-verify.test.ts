import { describe, expect, it } from 'vitest'
import { hexToBytes } from '#base/bytes.ts'
import { signatureProblem } from '#proof/proof-statement.ts'
import { readKeyToRegister, readPublicKey, verifyStrictly } from '#reference/strict-verify.ts'
import wycheproof from '#test/vectors/wycheproof-ed25519.json' with { type: 'json' }
import zip215 from '#test/vectors/noble-zip215.json' with { type: 'json' }
import speccheck from '#test/vectors/speccheck.json' with { type: 'json' }
import rfc8032 from '#test/vectors/noble-rfc8032.json' with { type: 'json' }

const bytes = (hex: string): Uint8Array => hexToBytes(hex) ?? new Uint8Array()

function verifies(keyHex: string, messageHex: string, signatureHex: string): boolean {
  const key = readPublicKey(bytes(keyHex))
  return key.ok && verifyStrictly(key.value, bytes(messageHex), bytes(signatureHex))
}

describe('strict verification', () => {
  it("is right about each of Wycheproof's 151 signatures", () => {
    const wrong = wycheproof.testGroups.flatMap(({ publicKey, tests }) =>
      tests.filter((test) => verifies(publicKey.pk, test.msg, test.sig) !== (test.result === 'valid')),
    )
    expect(wycheproof.testGroups.flatMap(({ tests }) => tests)).toHaveLength(151)
    expect(wrong).toEqual([])
  })

  it('accepts none of the 196 combinations of points of small order', () => {
    const message = Buffer.from('Zcash').toString('hex')
    expect(zip215).toHaveLength(196)
    expect(zip215.filter(({ vk_bytes, sig_bytes }) => verifies(vk_bytes, message, sig_bytes))).toEqual([])
  })

  it('answers the twelve special cases as libsodium does: only the fourth is good', () => {
    const verdicts = speccheck.map((test) =>
      verifies(test.pub_key, test.message, test.signature) ? 'V' : 'X',
    )
    expect(verdicts.join('')).toBe('XXXVXXXXXXXX')
  })

  it('accepts the signatures of RFC 8032, and none of them with a bit changed', () => {
    for (const { pub, msg, sig } of rfc8032) {
      const [signature, key] = [bytes(sig), bytes(pub)]
      expect(verifies(pub, msg, sig)).toBe(true)
      signature[40] = (signature[40] ?? 0) ^ 1
      expect(verifies(Buffer.from(key).toString('hex'), msg, Buffer.from(signature).toString('hex'))).toBe(
        false,
      )
    }
  })

  const R = rfc8032[0]?.sig.slice(0, 64) ?? ''
  const ORDER = 'edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010'
  it.each([
    ['63 bytes', `${R}${'00'.repeat(31)}`, 'wrong-length'],
    ['65 bytes', `${R}${'00'.repeat(33)}`, 'wrong-length'],
    ['none', '', 'wrong-length'],
    ['the largest S', `${R}${ORDER.replace('ed', 'ec')}`, undefined],
    ['S as large as the order', `${R}${ORDER}`, 's-not-canonical'],
    ['an S beyond it', `${R}${'ff'.repeat(32)}`, 's-not-canonical'],
    ['a second encoding of R', `ee${'ff'.repeat(30)}7f${'00'.repeat(32)}`, 'not-canonical'],
    ['an R of small order', `01${'00'.repeat(63)}`, 'small-order'],
  ])('tells a signature of %s without asking OpenSSL', (_, signature, problem) => {
    expect(signatureProblem(bytes(signature))).toBe(problem)
  })
})

const P_MINUS_1 = `ec${'ff'.repeat(30)}7f`
const SMALL_ORDER = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `01${'00'.repeat(30)}80`,
  P_MINUS_1,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
]

describe('keys to register', () => {
  it.each(SMALL_ORDER)('refuses the point of small order %s', (hex) => {
    expect(readKeyToRegister(bytes(hex))).toEqual({ ok: false, error: 'small-order' })
  })

  it.each([
    ['p', `ed${'ff'.repeat(30)}7f`],
    ['p + 1', `ee${'ff'.repeat(30)}7f`],
    ['2^255 - 1', `${'ff'.repeat(31)}7f`],
  ])('refuses y = %s, a second encoding of another point', (_, hex) => {
    expect(readKeyToRegister(bytes(hex))).toEqual({ ok: false, error: 'not-canonical' })
  })

  it('refuses 32 bytes that are no point, which OpenSSL takes as a key', () => {
    const noPoint = bytes(`02${'00'.repeat(31)}`)
    expect(readPublicKey(noPoint).ok).toBe(true)
    expect(readKeyToRegister(noPoint)).toEqual({ ok: false, error: 'not-on-curve' })
  })

  it.each([0, 31, 33])('refuses %d bytes', (length) => {
    expect(readKeyToRegister(new Uint8Array(length))).toEqual({ ok: false, error: 'wrong-length' })
  })

  it('takes real keys', () => {
    expect(rfc8032.every(({ pub }) => readKeyToRegister(bytes(pub)).ok)).toBe(true)
  })
})
