import { expect, it } from 'vitest'
import { textFingerprint } from '#base/fingerprint.ts'

it('similar texts have different fingerprints of 16 hex digits', () => {
  expect(textFingerprint('')).toBe('811c9dc59e3779b9')
  const texts = Array.from({ length: 20_000 }, (_, place) => `0x${place.toString(16).padStart(128, '0')}`)
  const both = [...texts, ...texts.map((text) => Array.from(text).toReversed().join(''))]
  expect(new Set(both.map(textFingerprint)).size).toBe(new Set(both).size)
})
