import fc from 'fast-check'
import { expect, it } from 'vitest'
import { textFingerprint } from '#base/fingerprint.ts'
import { anyCharacter } from '#test/support/any-character.ts'

it('a fingerprint is 16 hex digits, the same for equal texts', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(textFingerprint(text)).toMatch(/^[\da-f]{16}$/)
      expect(textFingerprint(text)).toBe(textFingerprint(Array.from(text).join('')))
    }),
  )
  expect(textFingerprint('')).toBe('811c9dc59e3779b9')
})

it('similar texts have different fingerprints', () => {
  const texts = Array.from({ length: 20_000 }, (_, place) => `0x${place.toString(16).padStart(128, '0')}`)
  const both = [...texts, ...texts.map((text) => Array.from(text).toReversed().join(''))]
  expect(new Set(both.map(textFingerprint)).size).toBe(new Set(both).size)
})
