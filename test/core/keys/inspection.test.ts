import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import type { Bytes } from '#base/bytes.ts'
import { createInspection, INSPECTION_MS, type Inspected } from '#keys/inspection.ts'
import type { KeyRing } from '#keys/key-ring.ts'
import { readKey } from '#keys/read-key.ts'
import { serviceAt } from '#settings/schema.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { KEY_FILES, KEY_FILES_PASSPHRASE, keyFileBytes } from '#test/support/key-files.ts'
import { createMemoryKeyStore } from '#test/support/memory-key-store.ts'
import { holdsSecret, recordBuffers } from '#test/support/recorded-buffers.ts'
import { quickRing } from '#test/support/quick-derivation.ts'
import { isZero } from '#test/support/vault-secrets.ts'

const PLAIN = 'raw-seed.hex'
const CHAIN = 'solana-id.json'
const LOCKED = 'pbkdf2-SHA256-aes256.pem'

const publicKeyOf = (file: string): string => {
  const key = KEY_FILES.find((each) => each.file === file)?.publicKeyHex
  if (key === undefined) throw new Error(`no public key: ${file}`)
  return key
}
const passphrase = (text = KEY_FILES_PASSPHRASE): Bytes => new TextEncoder().encode(text)

function setUp() {
  const clock = createFakeClock()
  const ring = quickRing({ store: createMemoryKeyStore(), wallMs: clock.wallMs })
  const seeds: Uint8Array[] = []
  const keepSeed: KeyRing['keepSeed'] = (seed, ...rest) => {
    seeds.push(seed)
    return ring.keepSeed(seed, ...rest)
  }
  return { clock, ring, seeds, inspection: createInspection(clock.after, { keepSeed }) }
}

const keyOf = (inspected: Inspected) => {
  if (inspected.outcome !== 'key') throw new Error(JSON.stringify(inspected))
  return inspected.key
}

describe('an inspected key', () => {
  it('is shown before it is kept, and listed only afterwards', async () => {
    const { ring, inspection } = setUp()
    const input = keyFileBytes(PLAIN)
    const key = keyOf(await inspection.inspect(input))
    expect(key).toEqual({
      kind: 'seed',
      family: 'plain',
      publicKey: publicKeyOf(PLAIN),
      fingerprint: 'a41c ce30 aea1 2433',
    })
    expect(isZero(input)).toBe(true)
    expect(await ring.list()).toEqual([])
    const kept = await inspection.keep(key.publicKey, 'mine', undefined)
    expect(kept).toMatchObject(ok({ publicKey: key.publicKey, label: 'mine', custody: 'device' }))
    expect(await ring.list()).toHaveLength(1)
  })

  it('can be kept once, after which its seed is zeroed', async () => {
    const { seeds, inspection } = setUp()
    await inspection.inspect(keyFileBytes(PLAIN))
    await inspection.keep(publicKeyOf(PLAIN), 'mine', undefined)
    expect(seeds.map(isZero)).toEqual([true])
    expect(await inspection.keep(publicKeyOf(PLAIN), 'mine', undefined)).toEqual(err('dropped'))
  })

  it('cannot be kept after another key was inspected', async () => {
    const { seeds, inspection } = setUp()
    await inspection.inspect(keyFileBytes(PLAIN))
    await inspection.inspect(keyFileBytes(CHAIN))
    const place = { custody: 'vault', passphrase: passphrase() } as const
    expect(await inspection.keep(publicKeyOf(PLAIN), 'x', place)).toEqual(err('dropped'))
    expect(isZero(place.passphrase)).toBe(true)
    expect(seeds).toEqual([])
    expect((await inspection.keep(publicKeyOf(CHAIN), 'x', { custody: 'session' })).ok).toBe(true)
  })

  it('can be kept for 5 minutes', async () => {
    const { clock, inspection } = setUp()
    await inspection.inspect(keyFileBytes(PLAIN))
    await clock.advance(INSPECTION_MS - 1)
    await inspection.inspect(keyFileBytes(PLAIN)) // A new inspection has its own five minutes.
    await clock.advance(INSPECTION_MS - 1)
    expect((await inspection.keep(publicKeyOf(PLAIN), 'x', { custody: 'session' })).ok).toBe(true)
    await inspection.inspect(keyFileBytes(PLAIN))
    await clock.advance(INSPECTION_MS)
    expect(await inspection.keep(publicKeyOf(PLAIN), 'x', undefined)).toEqual(err('dropped'))
  })

  it('cannot be kept after it was dropped', async () => {
    const { inspection } = setUp()
    await inspection.inspect(keyFileBytes(PLAIN))
    inspection.drop()
    expect(await inspection.keep(publicKeyOf(PLAIN), 'x', undefined)).toEqual(err('dropped'))
  })

  it('is dropped when another one arrives while it is being read', async () => {
    const { inspection } = setUp()
    const [first, second] = [keyFileBytes(PLAIN), keyFileBytes(CHAIN)]
    const outcomes = await Promise.all([inspection.inspect(first), inspection.inspect(second)])
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['dropped', 'key'])
    expect([first, second].map(isZero)).toEqual([true, true])
    expect((await inspection.keep(publicKeyOf(CHAIN), 'x', { custody: 'session' })).ok).toBe(true)
  })

  it('leaves no copy of its seed when it is replaced, or dropped while being opened', async () => {
    const seedOf = async (file: string): Promise<Uint8Array> => {
      const read = await readKey(keyFileBytes(file), passphrase())
      if (read.outcome !== 'read') throw new Error(read.outcome)
      return read.seed
    }
    const [plain, locked] = [await seedOf(PLAIN), await seedOf(LOCKED)]
    const { inspection } = setUp()
    const { result, buffers } = await recordBuffers(async () => {
      const both = await Promise.all([
        inspection.inspect(keyFileBytes(PLAIN)),
        inspection.inspect(keyFileBytes(LOCKED)),
      ])
      const opening = inspection.open(passphrase())
      inspection.drop()
      return [...both, await opening].map(({ outcome }) => outcome)
    })
    expect(result).toEqual(['dropped', 'needs-passphrase', 'dropped'])
    expect(buffers.length).toBeGreaterThan(2)
    for (const seed of [plain, locked])
      expect(buffers.filter((buffer) => holdsSecret(buffer, seed))).toEqual([])
  })

  it('is granted the services named when it is kept, or none', async () => {
    const service = serviceAt('https://a.example', 'proxy')
    const { inspection } = setUp()
    await inspection.inspect(keyFileBytes(PLAIN))
    const kept = await inspection.keep(publicKeyOf(PLAIN), 'x', undefined, [service])
    expect(kept).toMatchObject(ok({ grants: [{ profiles: [] }] }))
    await inspection.inspect(keyFileBytes(CHAIN))
    const other = await inspection.keep(publicKeyOf(CHAIN), 'y', { custody: 'session' })
    expect(other.ok && 'grants' in other.value).toBe(false)
  })

  it('is zeroed and dropped when it is refused', async () => {
    const { inspection } = setUp()
    const input = keyFileBytes('openssh-ssh_rsa')
    expect(await inspection.inspect(input)).toEqual({
      outcome: 'refused',
      problem: { reason: 'wrong-type', found: 'rsa' },
    })
    expect(isZero(input)).toBe(true)
    expect(await inspection.open(passphrase())).toEqual({ outcome: 'dropped' })
  })
})

describe('an encrypted file', () => {
  it.each([
    [LOCKED, 'encrypted-pkcs8'],
    ['ssh-aes256-ctr', 'encrypted-openssh'],
  ])('%s waits through a wrong passphrase and is zeroed once it opens', async (file, kind) => {
    const { inspection } = setUp()
    const input = keyFileBytes(file)
    expect(await inspection.inspect(input)).toEqual({ outcome: 'needs-passphrase', kind })
    const wrong = passphrase('wrong')
    expect(await inspection.open(wrong)).toMatchObject({ problem: { reason: 'wrong-passphrase' } })
    expect([isZero(wrong), isZero(input)]).toEqual([true, false])
    const right = passphrase()
    const key = keyOf(await inspection.open(right))
    expect(key.kind).toBe(kind)
    expect([isZero(right), isZero(input)]).toEqual([true, true])
    expect((await inspection.keep(key.publicKey, 'x', { custody: 'session' })).ok).toBe(true)
  })

  it('is zeroed after 5 minutes', async () => {
    const { clock, inspection } = setUp()
    const input = keyFileBytes(LOCKED)
    await inspection.inspect(input)
    await clock.advance(INSPECTION_MS)
    expect(isZero(input)).toBe(true)
    const late = passphrase()
    expect(await inspection.open(late)).toEqual({ outcome: 'dropped' })
    expect(isZero(late)).toBe(true)
  })
})
