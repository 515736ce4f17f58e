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

const unsupported = { found: 'problem', problem: { reason: 'unsupported', kind: 'pkcs8' } }
const foreign = (name: string) => ({ found: 'problem', problem: { reason: 'wrong-type', found: name } })
const isKey = (...claims: readonly (readonly number[])[]) => ({
  found: 'secret',
  kind: 'pkcs8',
  seed: Uint8Array.from(SEED),
  claims: claims.map((claim) => Uint8Array.from(claim)),
})

/** What a key file with these parts is. */
function found(...parts: readonly (readonly number[])[]) {
  const items = derItems(Uint8Array.from(parts.flat()))
  if (typeof items === 'string') throw new Error(items)
  return readPkcs8(items)
}
/** The same from its bytes; undefined where it is no such file. */
const ofFile = async (bytes: readonly number[]) =>
  readDer(Uint8Array.from(bytes), { scratch: createScratch(), passphrase: undefined })
const file = (...parts: readonly (readonly number[])[]) => ofFile(der(0x30, ...parts))

describe('PKCS#8', () => {
  it('holds a seed, and in version 2 a public key that is claimed', () => {
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
    ['an algorithm that nobody knows', [VERSION, der(0x30, der(6, [0x2b, 0x65, 0x72])), KEY]],
    ['an algorithm that is no object identifier', [VERSION, der(0x30, der(4, [0x2b, 0x65, 0x70])), KEY]],
    ['an algorithm that is empty', [VERSION, der(0x30), KEY]],
    ['an algorithm that is cut', [VERSION, der(0x30, [6, 9, 1]), KEY]],
    ['a key that is no octet string', [VERSION, ED25519, der(4, der(5, SEED))]],
    ['a key that is cut', [VERSION, ED25519, der(4, [4, 32, 1])]],
    ['a seed of 31 bytes', [VERSION, ED25519, der(4, der(4, SEED.slice(1)))]],
    ['something else behind the key', [VERSION, ED25519, KEY, der(4, [])]],
    ['something else among the rest', [VERSION, ED25519, KEY, der(4, []), ATTRIBUTES]],
    ['a public key that is no whole bytes', [VERSION, ED25519, KEY, bits(1, ...PUBLIC)]],
    ['no bit string in a tag around it', [VERSION, ED25519, KEY, der(0xa1, der(4, [0, ...PUBLIC]))]],
    ['an empty public key', [VERSION, ED25519, KEY, der(0x81, [])]],
    ['a public key of 31 bytes', [VERSION, ED25519, KEY, bits(0, ...PUBLIC.slice(1))]],
  ])('with %s is not read', (_, parts) => {
    expect(found(...parts)).toEqual(unsupported)
  })

  const SECP256K1 = der(6, [0x2b, 0x81, 0x04, 0x00, 0x0a])
  it.each([
    ['ed448', [0x2b, 0x65, 0x71], []],
    ['x25519', [0x2b, 0x65, 0x6e], []],
    ['x448', [0x2b, 0x65, 0x6f], []],
    ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01], der(5)],
    ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a], der(5)],
    // What is Bitcoin's in an elliptic curve is nothing in another algorithm.
    ['rsa', [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01], SECP256K1],
    ['dsa', [0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01], der(0x30)],
    ['ecdsa', [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01], []],
    ['ecdsa', [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01], der(6, [0x2b, 0x81, 0x04, 0x00, 0x0b])],
    ['secp256k1', [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01], SECP256K1],
  ])('of %s (%j) is named', (name, id, parameters) => {
    expect(found(VERSION, der(0x30, der(6, id), parameters), KEY)).toEqual(foreign(name))
  })
})

describe('a file in DER', () => {
  it('is told by the types that stand in it', async () => {
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

  it('of an elliptic curve says whether that is Bitcoin’s', async () => {
    const curve = (id: readonly number[]) => der(0xa0, der(6, id))
    expect(await file(VERSION, der(4, SEED))).toEqual(foreign('ecdsa'))
    expect(await file(VERSION, der(4, SEED), curve([0x2b, 0x81, 0x04, 0, 0x0b]))).toEqual(foreign('ecdsa'))
    expect(await file(VERSION, der(4, SEED), der(0xa1, der(3, [0])))).toEqual(foreign('ecdsa'))
    expect(await file(VERSION, der(4, SEED), curve([0x2b, 0x81, 0x04, 0, 0x0a]), der(0xa1))).toEqual(
      foreign('secp256k1'),
    )
  })

  it.each([
    ['of a shape that nobody knows', der(0x30, der(4, [1]))],
    ['that is no sequence', der(4, SEED)],
    ['with something behind its end', [...der(0x30, ED25519, der(4, [1])), 0]],
    ['that is nothing but a beginning', [0x30, 0x20, 1, 1, 0, 0x30]],
    ['of another type, that begins as a key', [0x31, 0x20, 2, 1, 0, 0x30]],
    ['of a number and a sequence with long lengths', [0x30, 0x82, 9, 9, 2, 0x82, 9, 9]],
    ['with a version of two bytes', [0x30, 0x20, 2, 2, 0, 0x30]],
    ['with no sequence behind the version', [0x30, 0x20, 2, 1, 0, 4]],
    ['of version 2', [0x30, 0x20, 2, 1, 2, 0x30]],
    ['of two sequences, of which the second is short', [0x30, 0x82, 9, 9, 0x30, 0x20]],
    ['of two sequences, of which the first is short', [0x30, 0x20, 0x30, 0x82, 9]],
    ['empty', []],
  ])('%s is none', async (_, bytes) => {
    expect(await ofFile(bytes)).toBeUndefined()
  })
})
