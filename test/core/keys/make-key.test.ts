import { describe, expect, it } from 'vitest'
import { bytesToHex, type Bytes } from '#base/bytes.ts'
import { newKey, publicKeyOf } from '#keys/signing-key.ts'

const SEED = new Uint8Array(32).fill(0x31)

describe('a new key', () => {
  it('in plain JavaScript comes from this machine’s randomness, whose bytes are zeroed', async () => {
    const drawn: Bytes[] = []
    const key = await newKey('javascript', (length) => {
      const bytes = new Uint8Array(length).fill(0x31)
      drawn.push(bytes)
      return bytes
    })
    expect(bytesToHex(key.publicKey)).toBe(bytesToHex(publicKeyOf(SEED)))
    expect(drawn.map((bytes) => Array.from(bytes))).toEqual([Array(32).fill(0)])
  })

  it('of WebCrypto never has its seed in a script', async () => {
    const key = await newKey('webcrypto', () => {
      throw new Error('asked for a seed')
    })
    expect(key.cryptoKey?.extractable).toBe(false)
  })
})
