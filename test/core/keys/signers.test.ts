import { readFileSync } from 'node:fs'
import { createPrivateKey, createPublicKey, sign as signWithNode, verify } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bytesToHex, hexToBytes, type Bytes } from '#base/bytes.ts'
import {
  createPlainKey,
  newKey,
  publicKeyOf,
  type SigningKey,
  createWebCryptoKey,
  generateWebCryptoKey,
} from '#keys/signing-key.ts'
import { hasWebCrypto } from '#keys/web-crypto.ts'
import { holdsSecret, recordBuffers } from '#test/support/recorded-buffers.ts'

type Vector = { readonly priv: string; readonly pub: string; readonly msg: string; readonly sig: string }

const vectors = ['noble-rfc8032.json', 'rfc8032-extra.json'].flatMap((file): readonly Vector[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../vectors', file), 'utf8')),
)

const bytes = (hex: string): Bytes => {
  const read = hexToBytes(hex)
  if (read === undefined) throw new Error(`not hex: ${hex}`)
  return read
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const SEED = bytes('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60')

const signers: readonly [string, (seed: Bytes) => Promise<SigningKey>][] = [
  ['WebCrypto', createWebCryptoKey],
  ['plain JavaScript', async (seed) => createPlainKey(seed)],
]

describe.each(signers)('signing with %s', (_name, create) => {
  it.each(vectors)('matches RFC 8032: $pub', async ({ priv, pub, msg, sig }) => {
    const key = await create(bytes(priv))
    expect(bytesToHex(key.publicKey)).toBe(pub)
    expect(bytesToHex(await key.sign(bytes(msg)))).toBe(sig)
  })

  it('leaves the seed to its caller, which may zero it at once', async () => {
    const seed = SEED.slice()
    const key = await create(seed)
    expect(bytesToHex(seed)).toBe(bytesToHex(SEED))
    const before = await key.sign(bytes('72'))
    seed.fill(0)
    expect(bytesToHex(await key.sign(bytes('72')))).toBe(bytesToHex(before))
  })

  it.each([0, 31, 33, 64])('refuses a seed of %i bytes', async (length) => {
    await expect(create(new Uint8Array(length))).rejects.toThrow(/seed/)
  })

  it('stops once the key is forgotten', async () => {
    const key = await create(SEED)
    key.forget()
    await expect(key.sign(bytes('72'))).rejects.toThrow('forgotten')
  })

  it('agrees with node:crypto on any seed and any message', async () => {
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 })
    await fc.assert(
      fc.asyncProperty(seeds, fc.uint8Array({ maxLength: 300 }), async (seed, message) => {
        const key = await create(new Uint8Array(seed))
        const signature = await key.sign(new Uint8Array(message))
        expect(bytesToHex(signature)).toBe(signWithNode(null, message, nodeKey(seed)).toString('hex'))
      }),
      { numRuns: 25 },
    )
  })
})

/** The seed as a private key of node:crypto. */
const nodeKey = (seed: Uint8Array) =>
  createPrivateKey({
    format: 'der',
    type: 'pkcs8',
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
  })

it.each(signers)('signing with %s leaves the seed in no buffer', async (_name, create) => {
  const key = await create(SEED)
  const { buffers } = await recordBuffers(async () => key.sign(bytes('72')))
  expect(buffers.length).toBeGreaterThan(0)
  expect(buffers.filter((buffer) => holdsSecret(buffer, SEED))).toEqual([])
})

describe('WebCrypto keys', () => {
  it.each([
    ['has no subtle, as on plain http', {}],
    [
      'does not know the algorithm',
      { subtle: { generateKey: () => Promise.reject(new Error('NotSupported')) } },
    ],
  ])('are unavailable in a scope that %s', async (_what, scope) => {
    vi.stubGlobal('crypto', scope)
    expect(await hasWebCrypto()).toBe(false)
  })

  it('have the buffer that they were imported from zeroed', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey')
    await createWebCryptoKey(SEED)
    const handed: unknown = importKey.mock.calls[0]?.[1]
    if (!(handed instanceof Uint8Array)) throw new Error('nothing was imported')
    expect(handed).toHaveLength(48)
    expect(handed.every((byte) => byte === 0)).toBe(true)
  })

  it.each(['imported', 'made'])('are not extractable when %s', async (how) => {
    const { cryptoKey } = how === 'made' ? await generateWebCryptoKey() : await createWebCryptoKey(SEED)
    expect(cryptoKey.extractable).toBe(false)
    expect(cryptoKey.usages).toEqual(['sign'])
    for (const format of ['jwk', 'pkcs8'] as const)
      await expect(crypto.subtle.exportKey(format, cryptoKey)).rejects.toThrow(/extractable/)
  })

  it('are new each time, with the matching public key', async () => {
    const keys = [await generateWebCryptoKey(), await generateWebCryptoKey()]
    expect(new Set(keys.map(({ publicKey }) => bytesToHex(publicKey))).size).toBe(2)
    for (const key of keys) {
      const x = Buffer.from(key.publicKey).toString('base64url')
      const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
      expect(verify(null, bytes('72'), publicKey, await key.sign(bytes('72')))).toBe(true)
    }
  })
})

describe('a new key', () => {
  it('in plain JavaScript is made from random bytes that are then zeroed', async () => {
    const drawn: Bytes[] = []
    const key = await newKey('javascript', (length) => {
      const bytesDrawn = new Uint8Array(length).fill(0x31)
      drawn.push(bytesDrawn)
      return bytesDrawn
    })
    expect(bytesToHex(key.publicKey)).toBe(bytesToHex(publicKeyOf(new Uint8Array(32).fill(0x31))))
    expect(drawn).toEqual([new Uint8Array(32)])
  })

  it('in WebCrypto never exposes its seed to a script', async () => {
    const key = await newKey('webcrypto', () => {
      throw new Error('asked for a seed')
    })
    expect(key.cryptoKey?.extractable).toBe(false)
  })
})

describe('the public key of a seed', () => {
  it('is derived without copying the seed into a buffer that stays', async () => {
    const { buffers } = await recordBuffers(async () => publicKeyOf(SEED))
    expect(buffers.length).toBeGreaterThan(2)
    expect(buffers.filter((buffer) => buffer !== SEED.buffer && holdsSecret(buffer, SEED))).toEqual([])
  })

  it.each(vectors)('is $pub', ({ priv, pub }) => {
    expect(bytesToHex(publicKeyOf(bytes(priv)))).toBe(pub)
  })
})
