import { describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { bcryptPbkdf } from '#keys/passphrase-key.ts'
import { createScratch } from '#keys/reading.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('a key by bcrypt_pbkdf', () => {
  const derive = async (keyBytes: number, rounds: number, mixings?: number) => {
    const scratch = createScratch()
    const given = { passphrase: utf8('correct-horse'), salt: utf8('a salt'), rounds, keyBytes }
    return { scratch, key: await bcryptPbkdf({ ...given, ...(mixings && { mixings }) }, scratch) }
  }

  it.each([
    [24, 1, '8f51b9bde0a622ca307eff8167e1b130d9b8904cfa50fffe'],
    [
      48,
      2,
      '284568c8cfa71bd828ffe7a7cbb3fd48a48d8a46ee1abf7fedccc14219e92354eef831805529edbf8ed3667cff572187',
    ],
  ])('of %i bytes by %i rounds is as pyca/bcrypt 5.0.0 has it', async (keyBytes, rounds, expected) => {
    expect(bytesToHex((await derive(keyBytes, rounds)).key)).toBe(expected)
  })

  // By a separate implementation in Python, which with 64 mixings gives what pyca/bcrypt gives.
  it.each([
    [24, 1, 1, '7f76bdc2d5e1b5abcc5256f8543ac6bf7b56e7f95abcce4b'],
    [24, 1, 2, 'a1cb9752fb3d7f4b94f7b93f10c147382822dc0c083c220b'],
    [
      48,
      2,
      1,
      '18f45ce929b2a1c9a5e5abd8c73b0cc9e43ac4eb28afa6e7a3ea5e255fd03f00bc7ec2d479edb35e7dcd1c57de606972',
    ],
    [
      70,
      1,
      1,
      '7fd904764e49bd39b9c2e759d5bf5ae139aeb56262ab4c67cc506152197056f10cf86dc45408eb3a5931c67fa1bfa27d7b4c5b56a511e79178f918fa5a314ebc36f9ce551a4b',
    ],
  ])(
    'of %i bytes by %i rounds and %i mixings is as worked out apart',
    async (keyBytes, rounds, mixings, expected) => {
      expect(bytesToHex((await derive(keyBytes, rounds, mixings)).key)).toBe(expected)
    },
  )
})
