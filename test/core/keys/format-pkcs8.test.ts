import { describe, expect, it } from 'vitest'
import { derItems, readDer, readPkcs8 } from '#keys/format-binary.ts'
import { createScratch } from '#keys/reading.ts'

const der = (tag: number, ...content: readonly (number | readonly number[])[]): number[] => {
  const inside = content.flat()
  const length = inside.length < 128 ? [inside.length] : [0x82, inside.length >> 8, inside.length & 255]
  return [tag, ...length, ...inside]
}
const SEED = Array.from({ length: 32 }, (_, place) => place + 1)
const PUBLIC = Array.from({ length: 32 }, (_, place) => 200 - place)
const ED25519 = der(0x30, der(6, [0x2b, 0x65, 0x70]))
const KEY = der(4, der(4, SEED))
const ATTRIBUTES = der(0xa0, der(0x30))
const bits = (unused: number, ...content: readonly number[]) => der(0x81, [unused, ...content])
const VERSION = der(2, [0])

const unsupported = { outcome: 'refused', problem: { reason: 'unsupported', kind: 'pkcs8' } }
const foreign = (name: string) => ({ outcome: 'refused', problem: { reason: 'wrong-type', found: name } })
const isKey = (...claims: readonly (readonly number[])[]) => ({
  outcome: 'secret',
  kind: 'pkcs8',
  seed: Uint8Array.from(SEED),
  claims: claims.map((claim) => Uint8Array.from(claim)),
})

/** Reads a PKCS#8 key made of these parts. */
function found(...parts: readonly (readonly number[])[]) {
  const items = derItems(Uint8Array.from(parts.flat()))
  if (typeof items === 'string') throw new Error(items)
  return readPkcs8(items)
}
/** Reads a DER file; undefined if it is not recognized. */
const ofFile = async (bytes: readonly number[]) =>
  readDer(Uint8Array.from(bytes), { scratch: createScratch(), passphrase: undefined })
const file = (...parts: readonly (readonly number[])[]) => ofFile(der(0x30, ...parts))

describe('PKCS#8', () => {
  it('yields its seed and, in version 2, the public key that it claims', () => {
    expect(found(VERSION, ED25519, KEY)).toEqual(isKey())
    expect(found(VERSION, ED25519, KEY, ATTRIBUTES)).toEqual(isKey())
    expect(found(VERSION, ED25519, KEY, bits(0, ...PUBLIC))).toEqual(isKey(PUBLIC))
    expect(found(VERSION, ED25519, KEY, ATTRIBUTES, bits(0, ...PUBLIC))).toEqual(isKey(PUBLIC))
    expect(found(VERSION, ED25519, KEY, der(0xa1, der(3, [0, ...PUBLIC])))).toEqual(isKey(PUBLIC))
  })

  it.each([
    ['nothing', []],
    ['no algorithm', [VERSION]],
    ['no key', [VERSION, ED25519]],
    ['an unknown algorithm', [VERSION, der(0x30, der(6, [0x2b, 0x65, 0x72])), KEY]],
    ['an algorithm that is not an object identifier', [VERSION, der(0x30, der(4, [0x2b, 0x65, 0x70])), KEY]],
    ['an empty algorithm', [VERSION, der(0x30), KEY]],
    ['a truncated algorithm', [VERSION, der(0x30, [6, 9, 1]), KEY]],
    ['a key that is not an octet string', [VERSION, ED25519, der(4, der(5, SEED))]],
    ['a truncated key', [VERSION, ED25519, der(4, [4, 32, 1])]],
    ['a seed of 31 bytes', [VERSION, ED25519, der(4, der(4, SEED.slice(1)))]],
    ['another element after the key', [VERSION, ED25519, KEY, der(4, [])]],
    ['another element before the attributes', [VERSION, ED25519, KEY, der(4, []), ATTRIBUTES]],
    ['a public key with an unused bit', [VERSION, ED25519, KEY, bits(1, ...PUBLIC)]],
    ['a public key tag without a bit string', [VERSION, ED25519, KEY, der(0xa1, der(4, [0, ...PUBLIC]))]],
    ['an empty public key', [VERSION, ED25519, KEY, der(0x81, [])]],
    ['a public key of 31 bytes', [VERSION, ED25519, KEY, bits(0, ...PUBLIC.slice(1))]],
  ])('with %s is unsupported', (_, parts) => {
    expect(found(...parts)).toEqual(unsupported)
  })

  const SECP256K1 = der(6, [0x2b, 0x81, 0x04, 0x00, 0x0a])
  it.each([
    ['ed448', [0x2b, 0x65, 0x71], []],
    ['x25519', [0x2b, 0x65, 0x6e], []],
    ['x448', [0x2b, 0x65, 0x6f], []],
    ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01], der(5)],
    ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a], der(5)],
    // The secp256k1 identifier has no meaning outside an EC algorithm.
    ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01], SECP256K1],
    ['dsa', [0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01], der(0x30)],
    ['ecdsa', [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01], []],
    ['ecdsa', [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01], der(6, [0x2b, 0x81, 0x04, 0x00, 0x0b])],
    ['secp256k1', [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01], SECP256K1],
  ])('of %s (%j) is refused by name', (name, id, parameters) => {
    expect(found(VERSION, der(0x30, der(6, id), parameters), KEY)).toEqual(foreign(name))
  })
})

describe('a DER file', () => {
  it('is identified by the types of its elements', async () => {
    expect(await file(VERSION, ED25519, KEY)).toEqual(isKey())
    expect(await file(VERSION, ED25519, KEY, bits(0, ...PUBLIC))).toEqual(isKey(PUBLIC))
    expect(await file(ED25519, der(4, [1]))).toMatchObject({ problem: { kind: 'encrypted-pkcs8' } })
    expect(await file(ED25519, der(3, [0]))).toEqual(foreign('public-key'))
    expect(await file(VERSION, VERSION)).toEqual(foreign('public-key'))
    expect(await file(der(0x30), der(0x30), der(3))).toEqual(foreign('certificate'))
    expect(await file(der(2, [3]), der(0x30))).toEqual(foreign('pkcs12'))
    expect(await file(der(2, [3]), der(0x30), der(0x30))).toEqual(foreign('pkcs12'))
    expect(await file(...Array.from({ length: 9 }, () => VERSION))).toEqual(foreign('rsa'))
    expect(await file(...Array.from({ length: 9 }, () => VERSION), der(0x30))).toEqual(foreign('rsa'))
    expect(await file(...Array.from({ length: 6 }, () => VERSION))).toEqual(foreign('dsa'))
  })

  it('of an EC key is identified as secp256k1 by its curve', async () => {
    const curve = (id: readonly number[]) => der(0xa0, der(6, id))
    expect(await file(VERSION, der(4, SEED))).toEqual(foreign('ecdsa'))
    expect(await file(VERSION, der(4, SEED), curve([0x2b, 0x81, 0x04, 0, 0x0b]))).toEqual(foreign('ecdsa'))
    expect(await file(VERSION, der(4, SEED), der(0xa1, der(3, [0])))).toEqual(foreign('ecdsa'))
    expect(await file(VERSION, der(4, SEED), curve([0x2b, 0x81, 0x04, 0, 0x0a]), der(0xa1))).toEqual(
      foreign('secp256k1'),
    )
  })

  it.each([
    ['of an unknown shape', der(0x30, der(4, [1]))],
    ['that is not a sequence', der(4, SEED)],
    ['with a byte after its end', [...der(0x30, ED25519, der(4, [1])), 0]],
    ['truncated, with a version that is not an integer', [0x30, 0x20, 1, 1, 0, 0x30]],
    ['truncated, in a set', [0x31, 0x20, 2, 1, 0, 0x30]],
    ['truncated, with an integer and long lengths', [0x30, 0x82, 9, 9, 2, 0x82, 9, 9]],
    ['truncated, with a version of two bytes', [0x30, 0x20, 2, 2, 0, 0x30]],
    ['truncated, with no sequence after the version', [0x30, 0x20, 2, 1, 0, 4]],
    ['truncated, of version 2', [0x30, 0x20, 2, 1, 2, 0x30]],
    ['truncated, with a short second sequence', [0x30, 0x82, 9, 9, 0x30, 0x20]],
    ['truncated, with a short first sequence', [0x30, 0x20, 0x30, 0x82, 9]],
    ['empty', []],
  ])('%s is not recognized', async (_, bytes) => {
    expect(await ofFile(bytes)).toBeUndefined()
  })
})
