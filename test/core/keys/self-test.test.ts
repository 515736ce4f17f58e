import { afterEach, describe, expect, it, vi } from 'vitest'
import { signsRight } from '#keys/create-signer.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a test of signing', () => {
  it.each(['webcrypto', 'javascript'] as const)('passes by %s, as published', async (cryptography) => {
    expect(await signsRight(cryptography)).toBe(true)
  })

  it('signs the message that is published, and compares the whole signature', async () => {
    const sign = vi.spyOn(crypto.subtle, 'sign')
    expect(await signsRight('webcrypto')).toBe(true)
    expect(sign.mock.calls.map(([, , message]) => message)).toEqual([Uint8Array.of(0xaf, 0x82)])
    const right = new Uint8Array(await (sign.mock.results[0]?.value ?? Promise.reject(new Error('no call'))))
    for (const place of [0, 31, 32, 63]) {
      const wrong = right.with(place, (right[place] ?? 0) ^ 1)
      sign.mockResolvedValueOnce(wrong.buffer)
      expect(await signsRight('webcrypto')).toBe(false)
    }
  })

  it('fails where the browser refuses the key', async () => {
    vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('no', 'NotSupportedError'))
    expect(await signsRight('webcrypto')).toBe(false)
  })
})
