import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToBase64, bytesToBase64Url, bytesToHex } from '#base/bytes.ts'
import type { Result } from '#base/result.ts'
import { publicKeyOf } from '#keys/nacl-signer.ts'
import { SEED_INPUT_BYTES_MAX, spendSeed, type SeedProblem } from '#keys/seed.ts'

const SEED = Uint8Array.from({ length: 32 }, (_, i) => (i * 37 + 201) & 0xff)
const PUBLIC = publicKeyOf(SEED)
const SECRET = Uint8Array.from([...SEED, ...PUBLIC])
const OTHER_HALF = Uint8Array.from(SECRET, (byte, i) => (i === 63 ? byte ^ 1 : byte))

const text = (content: string): Uint8Array => new TextEncoder().encode(content)
const read = (input: Uint8Array): Promise<Result<string, SeedProblem>> =>
  spendSeed(input, async (seed) => bytesToHex(seed))

const forms: readonly [string, (bytes: Uint8Array) => Uint8Array][] = [
  ['raw bytes', (bytes) => Uint8Array.from(bytes)],
  ['hex', (bytes) => text(bytesToHex(bytes))],
  ['upper-case hex', (bytes) => text(bytesToHex(bytes).toUpperCase())],
  ['hex with 0x', (bytes) => text(`0x${bytesToHex(bytes)}`)],
  ['hex with 0X', (bytes) => text(`0X${bytesToHex(bytes)}`)],
  ['base64', (bytes) => text(bytesToBase64(bytes))],
  ['base64 without padding', (bytes) => text(bytesToBase64(bytes).replace(/=+$/, ''))],
  ['base64url', (bytes) => text(bytesToBase64Url(bytes))],
  ['hex with white space around', (bytes) => text(` \t\r\n${bytesToHex(bytes)} \r\n`)],
  ['base64 and a newline', (bytes) => text(`${bytesToBase64(bytes)}\n`)],
]

describe('a seed', () => {
  it.each(forms)('is read from %s', async (_form, encode) => {
    expect(await read(encode(SEED))).toEqual({ ok: true, value: bytesToHex(SEED) })
  })

  it.each(forms)('is read from %s of seed and public key', async (_form, encode) => {
    expect(await read(encode(SECRET))).toEqual({ ok: true, value: bytesToHex(SEED) })
  })

  it.each(forms)('is refused as %s with a public half that is not its own', async (_form, encode) => {
    expect(await read(encode(OTHER_HALF))).toEqual({ ok: false, error: 'public-half-differs' })
  })

  it.each<[string, SeedProblem, Uint8Array]>([
    ['nothing', 'empty', text('')],
    ['white space', 'empty', text(' \n\t\r ')],
    ['31 raw bytes', 'not-a-seed', SEED.slice(0, 31)],
    ['33 raw bytes', 'not-a-seed', SECRET.slice(0, 33)],
    ['32 letters', 'wrong-length', text('abcdefghijklmnopqrstuvwxyzabcdef')],
    ['62 hex digits', 'wrong-length', text('ab'.repeat(31))],
    ['66 hex digits', 'wrong-length', text('ab'.repeat(33))],
    ['63 hex digits', 'wrong-length', text('a'.repeat(63))],
    ['65 hex digits', 'wrong-length', text('a'.repeat(65))],
    ['129 hex digits', 'wrong-length', text('a'.repeat(129))],
    ['hex with a dot', 'not-a-seed', text(`${'ab'.repeat(31)}a.`)],
    ['hex behind 1x', 'not-a-seed', text(`1x${'ab'.repeat(32)}`)],
    ['base64 with a tilde', 'not-a-seed', text(`~${'A'.repeat(42)}`)],
    ['base64 of one letter too many', 'not-a-seed', text('QUJDR')],
    ['padding alone', 'not-a-seed', text('==')],
    ['hex with a wrong digit', 'wrong-length', text(`${'ab'.repeat(31)}ag`)],
    ['0x alone', 'not-a-seed', text('0x')],
    ['a sentence', 'not-a-seed', text('this is not a key')],
    ['a PEM file', 'not-a-seed', text('-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n-----END PRIVATE KEY-----')],
    [
      'padding in the middle',
      'not-a-seed',
      text(`${bytesToBase64(SEED).slice(0, 20)}=${bytesToBase64(SEED).slice(21)}`),
    ],
    ['too much padding', 'not-a-seed', text(`${bytesToBase64(SEED)}=`)],
    [
      'base64 whose unused bits are set',
      'not-a-seed',
      text(`${bytesToBase64(new Uint8Array(32)).slice(0, 42)}B=`),
    ],
    ['a file that is too long', 'not-a-seed', new Uint8Array(SEED_INPUT_BYTES_MAX + 1)],
    ['white space of that length', 'not-a-seed', new Uint8Array(SEED_INPUT_BYTES_MAX + 1).fill(0x20)],
  ])('is not found in %s', async (_what, error, input) => {
    expect(await read(input)).toEqual({ ok: false, error })
  })

  it('may end with the byte of a newline when it is raw', async () => {
    const raw = Uint8Array.from(SEED, (byte, i) => (i === 31 ? 0x0a : byte))
    expect(await read(raw.slice())).toEqual({ ok: true, value: bytesToHex(raw) })
  })

  it('may be made of control characters when it is raw', async () => {
    const raw = Uint8Array.from({ length: 32 }, (_, i) => i)
    expect(await read(raw.slice())).toEqual({ ok: true, value: bytesToHex(raw) })
  })

  it('is read up to the longest input that is looked at', async () => {
    const padded = text(bytesToHex(SEED).padEnd(SEED_INPUT_BYTES_MAX, '\n'))
    expect(await read(padded)).toEqual({ ok: true, value: bytesToHex(SEED) })
  })

  it('is read back from every form, whatever it is', async () => {
    const seeds = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .filter((seed) => seed.some((byte) => byte > 0x7e))
    await fc.assert(
      fc.asyncProperty(seeds, fc.constantFrom(...forms), async (seed, [, encode]) => {
        expect(await read(encode(seed))).toEqual({ ok: true, value: bytesToHex(seed) })
      }),
    )
  })

  it('never throws, whatever the input', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 140 }), fc.string().map(text)), async (input) => {
        const outcome = await read(Uint8Array.from(input))
        if (!outcome.ok)
          expect(['empty', 'not-a-seed', 'wrong-length', 'public-half-differs']).toContain(outcome.error)
      }),
    )
  })
})

describe('after use', () => {
  it.each(forms)('nothing is left of %s', async (_form, encode) => {
    const input = encode(SECRET)
    let lent: Uint8Array | undefined
    await spendSeed(input, async (seed) => {
      lent = seed
      expect(bytesToHex(seed)).toBe(bytesToHex(SEED))
    })
    expect(lent?.buffer.byteLength).toBe(64)
    expect(new Uint8Array(lent?.buffer ?? SEED.buffer).every((byte) => byte === 0)).toBe(true)
    expect(input.every((byte) => byte === 0)).toBe(true)
  })

  it.each([
    ['a refused public half', text(bytesToHex(OTHER_HALF))],
    ['a wrong length', text('ab'.repeat(31))],
    ['text that is no seed', text('correct horse battery staple')],
    ['a file that is too long', new Uint8Array(SEED_INPUT_BYTES_MAX + 1).fill(7)],
  ])('nothing is left of %s', async (_what, input) => {
    expect((await read(input)).ok).toBe(false)
    expect(input.every((byte) => byte === 0)).toBe(true)
  })

  it('nothing is left when the use of it fails', async () => {
    const input = text(bytesToHex(SEED))
    let lent: Uint8Array | undefined
    const use = spendSeed(input, async (seed) => {
      lent = seed
      throw new Error('import failed')
    })
    await expect(use).rejects.toThrow('import failed')
    expect(lent?.every((byte) => byte === 0)).toBe(true)
    expect(input.every((byte) => byte === 0)).toBe(true)
  })
})

describe('key files of other tools', () => {
  const files: {
    readonly manifest: {
      readonly keys: readonly {
        readonly file: string
        readonly publicKeyHex?: string
        readonly expect?: string
      }[]
    }
    readonly files: Readonly<Record<string, string>>
  } = JSON.parse(readFileSync(join(import.meta.dirname, '../../vectors/keyfiles.json'), 'utf8'))

  const readable = new Set([
    'raw-seed.hex',
    'raw-seed-0x.hex',
    'raw-seed.b64',
    'raw-seed.b64url',
    'nacl-secretkey-64.hex',
    // Can't be told from a seed, which is why its public key is shown.
    'ethereum-like.hex',
  ])

  it.each(files.manifest.keys)('$file is read right or refused', async ({ file, publicKeyHex }) => {
    const input = Uint8Array.from(Buffer.from(files.files[file] ?? '', 'hex'))
    expect(input.length).toBeGreaterThan(0)
    const outcome = await spendSeed(input, async (seed) => bytesToHex(publicKeyOf(seed)))
    expect(outcome.ok).toBe(readable.has(file))
    if (outcome.ok && publicKeyHex !== undefined) expect(outcome.value).toBe(publicKeyHex)
  })
})
