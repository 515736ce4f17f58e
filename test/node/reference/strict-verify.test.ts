import { describe, expect, it } from 'vitest'
import { hexToBytes } from '#base/bytes.ts'
import {
  createNonceCache,
  readPublicKey,
  readQuery,
  sortedQuery,
  verifyStrictly,
} from '#reference/strict-verify.ts'
import wycheproof from '#test/vectors/wycheproof-ed25519.json' with { type: 'json' }
import zip215 from '#test/vectors/noble-zip215.json' with { type: 'json' }
import speccheck from '#test/vectors/speccheck.json' with { type: 'json' }
import rfc8032 from '#test/vectors/noble-rfc8032.json' with { type: 'json' }

const bytes = (hex: string): Uint8Array => hexToBytes(hex) ?? new Uint8Array()

const pair = (name: string, value: string) => ({ name, value })

function verifies(keyHex: string, messageHex: string, signatureHex: string): boolean {
  const key = readPublicKey(bytes(keyHex))
  return key.ok && verifyStrictly(key.value, bytes(messageHex), bytes(signatureHex))
}

describe('strict verification', () => {
  it('agrees with all 151 test signatures of Wycheproof', () => {
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

  it('accepts only the fourth of the 12 speccheck cases, as libsodium does', () => {
    const verdicts = speccheck.map((test) =>
      verifies(test.pub_key, test.message, test.signature) ? 'V' : 'X',
    )
    expect(verdicts.join('')).toBe('XXXVXXXXXXXX')
  })

  it('accepts the signatures of RFC 8032 and rejects each with one bit changed', () => {
    for (const { pub, msg, sig } of rfc8032) {
      const [signature, key] = [bytes(sig), bytes(pub)]
      expect(verifies(pub, msg, sig)).toBe(true)
      signature[40] = (signature[40] ?? 0) ^ 1
      expect(verifies(Buffer.from(key).toString('hex'), msg, Buffer.from(signature).toString('hex'))).toBe(
        false,
      )
    }
  })
})

describe('a query', () => {
  it.each<readonly [string, ReturnType<typeof readQuery>]>([
    ['', []],
    ['&&', []],
    ['a=1&b=2', [pair('a', '1'), pair('b', '2')]],
    ['b=2&a=1&a=0', [pair('b', '2'), pair('a', '1'), pair('a', '0')]],
    ['flag', [pair('flag', '')]],
    ['=x', [pair('', 'x')]],
    ['a=x=y=', [pair('a', 'x=y=')]],
    ['%61=%C3%A9+', [pair('a', 'é+')]],
    ['a=%', undefined],
    ['%zz=1', undefined],
    ['a=%ff', undefined],
  ])('is split into decoded pairs in the order sent: %s', (query, pairs) => {
    expect(readQuery(query)).toEqual(pairs)
  })

  it('is signed sorted by escaped pair, with all but unreserved characters escaped', () => {
    expect(sortedQuery([pair('b', "!'()*"), pair('a b', 'é/'), pair('a', '~-._0Z')])).toBe(
      'a%20b=%C3%A9%2F&a=~-._0Z&b=%21%27%28%29%2A',
    )
    expect(sortedQuery([])).toBe('')
  })
})

describe('the nonce cache', () => {
  const T = 1_780_315_200
  function memory(entriesMax?: number) {
    let now = T
    const nonces = createNonceCache(() => now, entriesMax)
    return {
      at: (atS: number, nonce: string, signedS = atS) => {
        now = atS
        return nonces.use('key', nonce, signedS)
      },
      size: nonces.size,
    }
  }

  it('rejects signing times in the range of the nonces that it has evicted', () => {
    const { at, size } = memory()
    for (const [nonce, signedS] of [
      ['b', T + 10],
      ['a', T - 10],
      ['c', T],
    ] as const)
      expect(at(T, nonce, signedS)).toBe('fresh')
    expect([at(T + 2_000, 'z'), size()]).toEqual(['fresh', 1])
    expect([T - 11, T - 10, T + 5, T + 10, T + 11].map((signedS) => at(T, `n${signedS}`, signedS))).toEqual([
      'fresh',
      'forgotten',
      'forgotten',
      'forgotten',
      'fresh',
    ])
  })

  it('evicts only expired nonces when it is full', () => {
    const { at, size } = memory(2)
    expect([at(T, 'a'), at(T + 1, 'b')]).toEqual(['fresh', 'fresh'])
    expect([at(T + 60, 'c'), size()]).toEqual(['full', 2])
    expect([at(T + 61, 'c'), size()]).toEqual(['fresh', 2])
    expect(at(T + 61, 'b', T + 1)).toBe('used')
    expect(at(T + 61, 'd')).toBe('full')
    expect(at(T + 61, 'a', T)).toBe('forgotten')
  })
})
