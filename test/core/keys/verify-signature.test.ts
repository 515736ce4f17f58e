import { afterEach, describe, expect, it, vi } from 'vitest'
import { hexToBytes, type Bytes } from '#base/bytes.ts'
import { createVerifier } from '#keys/verify-signature.ts'
import { signatureProblem, pointProblem } from '#proof/proof-statement.ts'
import wycheproof from '#test/vectors/wycheproof-ed25519.json' with { type: 'json' }

const bytes = (hex: string): Bytes => hexToBytes(hex) ?? new Uint8Array()

const VECTORS = wycheproof.testGroups.flatMap(({ publicKey, tests }) =>
  tests.map(({ msg, sig, result }) => ({
    key: bytes(publicKey.pk),
    message: bytes(msg),
    signature: bytes(sig),
    isValid: result === 'valid',
  })),
)

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe.each(['WebCrypto', 'JavaScript'])('verifying with %s', (kind) => {
  const create = () => {
    if (kind === 'JavaScript')
      vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    return createVerifier()
  }

  it('agrees with all 151 Wycheproof signatures once unusual encodings are refused', async () => {
    const verify = create()
    const wrong: unknown[] = []
    for (const { key, message, signature, isValid } of VECTORS) {
      const isOdd = signatureProblem(signature) !== undefined || pointProblem(key) !== undefined
      const fits = !isOdd && (await verify(key, message, signature))
      if (fits !== isValid) wrong.push(signature)
    }
    expect(VECTORS.length).toBe(151)
    expect(wrong).toEqual([])
  })

  it('returns false for malformed keys and signatures instead of rejecting', async () => {
    const verify = create()
    const [first] = VECTORS
    if (first === undefined) throw new Error('no vectors')
    const notAPoint = bytes(`02${'00'.repeat(31)}`)
    for (const key of [new Uint8Array(), new Uint8Array(31), notAPoint])
      expect(await verify(key, first.message, first.signature)).toBe(false)
    for (const signature of [new Uint8Array(), new Uint8Array(63), new Uint8Array(65)])
      expect(await verify(first.key, first.message, signature)).toBe(false)
  })
})
