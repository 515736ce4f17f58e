import { describe, expect, it } from 'vitest'
import { isPassphrase, placeProblem } from '#keys/key-store.ts'

const inVault = (length: number) => ({ custody: 'vault', passphrase: new Uint8Array(length) }) as const

describe('a place for a key', () => {
  it.each([
    [{ custody: 'session' }, 'plain', 'webcrypto', undefined],
    [{ custody: 'session' }, 'chain', 'javascript', undefined],
    [{ custody: 'device' }, 'plain', 'webcrypto', undefined],
    [{ custody: 'device' }, 'chain', 'webcrypto', 'chain-key'],
    [{ custody: 'device' }, 'plain', 'javascript', 'not-secure'],
    [inVault(12), 'plain', 'webcrypto', undefined],
    [inVault(12), 'chain', 'webcrypto', undefined],
    [inVault(11), 'plain', 'webcrypto', 'passphrase-short'],
    [inVault(12), 'plain', 'javascript', 'not-secure'],
  ] as const)('%j of a %s key with %s: %s', (place, family, cryptography, problem) => {
    expect(placeProblem(place, family, cryptography)).toBe(problem)
  })
})

it.each([
  [0, false],
  [11, false],
  [12, true],
  [1_024, true],
  [1_025, false],
])('a passphrase of %i bytes is one: %s', (length, is) => {
  expect(isPassphrase(new Uint8Array(length))).toBe(is)
})
