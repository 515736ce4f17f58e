import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { signsRight } from '#keys/create-signer.ts'
import { fitsSignature } from '#keys/signing-key.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the signing self-test', () => {
  it.each(['webcrypto', 'javascript'] as const)('passes with %s', async (cryptography) => {
    expect(await signsRight(cryptography)).toBe(true)
  })

  it('fails when the browser refuses the key', async () => {
    vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('no', 'NotSupportedError'))
    expect(await signsRight('webcrypto')).toBe(false)
  })

  it('fails when a valid signature is not the published one, as with random nonces', async () => {
    const other = otherSignature()
    expect(fitsSignature(PUBLISHED_KEY, MESSAGE, other)).toBe(true)
    vi.spyOn(crypto.subtle, 'sign').mockResolvedValue(other.buffer)
    expect(await signsRight('webcrypto')).toBe(false)
  })
})

const MESSAGE = Uint8Array.of(0xaf, 0x82)
/** RFC 8032, 7.1, TEST 3. */
const SEED = Buffer.from('c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7', 'hex')
const PUBLISHED_KEY = Uint8Array.from(
  Buffer.from('fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025', 'hex'),
)
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

const sha512 = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha512').update(Buffer.concat(parts)).digest()
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`)
/** The secret scalar of a seed. */
const scalarOf = (seed: Uint8Array): bigint => {
  const half = sha512(seed).subarray(0, 32)
  return (numberOf(half) & ~(7n | (1n << 255n))) | (1n << 254n)
}

/** A valid signature by the published seed. Its nonce is the scalar of another seed, not that of RFC 8032. */
function otherSignature(): Uint8Array<ArrayBuffer> {
  const nonceSeed = Buffer.alloc(32, 9)
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const key = createPrivateKey({ key: Buffer.concat([prefix, nonceSeed]), format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const point = spki.subarray(-32)
  const challenge = numberOf(sha512(point, PUBLISHED_KEY, MESSAGE)) % ORDER
  const answer = (scalarOf(nonceSeed) + challenge * scalarOf(SEED)) % ORDER
  const half = Buffer.from(answer.toString(16).padStart(64, '0'), 'hex').toReversed()
  return Uint8Array.from(Buffer.concat([point, half]))
}
