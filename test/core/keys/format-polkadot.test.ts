import { scryptSync } from 'node:crypto'
import nacl from 'tweetnacl'
import { describe, expect, it } from 'vitest'
import { bytesToBase64 } from '#base/bytes.ts'
import { publicKeyOf } from '#keys/signing-key.ts'
import { readKey } from '#keys/read-key.ts'
import { holdsSecret, recordBuffers } from '#test/support/recorded-buffers.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const PASSPHRASE = utf8('correct-horse')
const SEED = new Uint8Array(32).fill(0x44)
const HEADER = [48, 83, 2, 1, 1, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]
const DIVIDER = [161, 35, 3, 33, 0]

const plainBytes = (): Uint8Array => {
  const shown = publicKeyOf(SEED)
  return Uint8Array.of(...HEADER, ...SEED, ...shown, ...DIVIDER, ...shown)
}

const littleEndian = (count: number): readonly number[] =>
  [0, 8, 16, 24].map((shift) => (count >> shift) & 0xff)

/** Encrypted as polkadot-js does it, with independent code and at a low cost. */
function sealedBytes(): Uint8Array {
  const salt = new Uint8Array(32).fill(0x55)
  const nonce = new Uint8Array(24).fill(0x66)
  const [cost, lanes, blocks] = [16, 2, 4]
  const key = scryptSync(PASSPHRASE, salt, 64, { N: cost, p: lanes, r: blocks }).subarray(0, 32)
  const numbers = [cost, lanes, blocks].flatMap(littleEndian)
  return Uint8Array.of(...salt, ...numbers, ...nonce, ...nacl.secretbox(plainBytes(), nonce, key))
}

type Parts = {
  readonly encoded?: Uint8Array
  readonly type?: readonly string[]
  readonly version?: string
  readonly address?: string
}

const file = ({
  encoded,
  type = ['scrypt', 'xsalsa20-poly1305'],
  version = '3',
  address,
}: Parts): Uint8Array =>
  utf8(
    JSON.stringify({
      encoded: bytesToBase64(encoded ?? sealedBytes()),
      encoding: { content: ['pkcs8', 'ed25519'], type, version },
      address,
    }),
  )

const refused = (reason: string) => ({ outcome: 'refused', problem: { reason, kind: 'polkadot' } })

it('an unencrypted Polkadot file leaves no copy of its seed once the caller zeroes the seed', async () => {
  const given = file({ encoded: plainBytes(), type: ['none'] })
  const { buffers } = await recordBuffers(async () => {
    const read = await readKey(given)
    if (read.outcome === 'read') read.seed.fill(0)
  })
  expect(buffers.length).toBeGreaterThan(0)
  expect(buffers.filter((buffer) => holdsSecret(buffer, SEED))).toEqual([])
})

describe('an encrypted Polkadot file', () => {
  it('is read with its passphrase and its own scrypt parameters', async () => {
    expect(await readKey(file({}), PASSPHRASE)).toEqual({
      outcome: 'read',
      kind: 'polkadot',
      family: 'chain',
      seed: SEED,
      publicKey: publicKeyOf(SEED),
    })
  })

  it('asks for its passphrase and detects a wrong one', async () => {
    expect(await readKey(file({}))).toEqual({ outcome: 'needs-passphrase', kind: 'polkadot' })
    expect(await readKey(file({}), utf8('wrong-horse'))).toEqual(refused('wrong-passphrase'))
  })

  it.each([0, 31, 32, 43, 44, 67])('of %i bytes is damaged and asks for no passphrase', async (length) => {
    expect(await readKey(file({ encoded: sealedBytes().subarray(0, length) }))).toEqual(refused('damaged'))
  })

  it.each<[string, Parts, string]>([
    ['an unknown version', { version: '4' }, 'other-cipher'],
    ['an unknown derivation', { type: ['argon2', 'xsalsa20-poly1305'] }, 'other-cipher'],
    ['an unknown cipher', { type: ['scrypt', 'aes'] }, 'other-cipher'],
    ['invalid scrypt parameters', { encoded: sealedBytes().fill(0, 32, 44) }, 'too-costly'],
  ])('is refused with %s', async (_, parts, reason) => {
    expect(await readKey(file(parts), PASSPHRASE)).toEqual(refused(reason))
  })
})

const plain = (encoded: Uint8Array): Uint8Array => file({ encoded, type: ['none'] })

it('an unencrypted Polkadot file is refused if any byte of its header or divider is wrong', async () => {
  expect(await readKey(plain(plainBytes()))).toMatchObject({ outcome: 'read', seed: SEED })
  const frame = [...HEADER.keys(), ...DIVIDER.map((_, at) => HEADER.length + 64 + at)]
  for (const at of frame) {
    const changed = plainBytes().map((byte, index) => (index === at ? byte ^ 1 : byte))
    expect(await readKey(plain(changed)), String(at)).toEqual(refused('unsupported'))
  }
})
