import { describe, expect, it } from 'vitest'
import { bytesToHex } from '#base/bytes.ts'
import { bcryptPbkdf } from '#keys/passphrase-key.ts'
import { createScratch } from '#keys/reading.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('a key by bcrypt_pbkdf', () => {
  it.each([
    [24, 1, '8f51b9bde0a622ca307eff8167e1b130d9b8904cfa50fffe'],
    [
      48,
      2,
      '284568c8cfa71bd828ffe7a7cbb3fd48a48d8a46ee1abf7fedccc14219e92354eef831805529edbf8ed3667cff572187',
    ],
    [
      70,
      1,
      '8fee6d51831db9985dbd3821e0cc57a6707722192cca1bfe3098527ec7a8ff8662815d3667a06de19031b1d3dc308bebd90d86b8426c906c054c0bc9fad29e50001bffb9d9fe',
    ],
  ])('of %i bytes by %i rounds is as pyca/bcrypt 5.0.0 has it', async (keyBytes, rounds, expected) => {
    const given = { passphrase: utf8('correct-horse'), salt: utf8('a salt'), rounds, keyBytes }
    expect(bytesToHex(await bcryptPbkdf(given, createScratch()))).toBe(expected)
  })
})
