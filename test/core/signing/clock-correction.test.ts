import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CORRECTION_ALONE_MAX_MS,
  CORRECTION_ASKED_MAX_MS,
  CORRECTION_SLACK_MS,
  correctionOf,
  mayCorrect,
} from '#signing/status-request.ts'

const around = (ms: number, eitherWayMs = 500) => ({ lowMs: ms - eitherWayMs, highMs: ms + eitherWayMs })

describe('a correction', () => {
  it.each([
    ['clocks that agree', around(0), undefined],
    ['2 s', around(2_000), undefined],
    ['slightly more than 2 s', around(2_001), 2_001],
    ['a clock that is fast', around(-73_000), -73_000],
    ['fractions of a millisecond', { lowMs: 72_999.2, highMs: 74_000 }, 73_500],
    ['a difference that may be 0', around(3_000, 3_000), undefined],
    ['a difference that is certain', around(3_001, 3_000), 3_001],
  ])('for %s', (_what, offset, expected) => {
    expect(correctionOf(offset)).toBe(expected)
  })

  it('is replaced only if the one in use is off by more than 2 s', () => {
    expect(correctionOf(around(73_000), 71_000)).toBeUndefined()
    expect(correctionOf(around(73_000), 70_999)).toBe(73_000)
    expect(correctionOf(around(0), 73_000)).toBe(0)
  })
})

describe('the correction that a signer allows', () => {
  it.each([
    [0, undefined, true],
    [CORRECTION_ALONE_MAX_MS, undefined, true],
    [-CORRECTION_ALONE_MAX_MS, undefined, true],
    [CORRECTION_ALONE_MAX_MS + 1, undefined, false],
    [-CORRECTION_ALONE_MAX_MS - 1, undefined, false],
    [3_600_000, 3_600_000 + CORRECTION_SLACK_MS, true],
    [3_600_000, 3_600_000 - CORRECTION_SLACK_MS - 1, false],
    [-3_600_000, 3_600_000, false],
    [CORRECTION_ASKED_MAX_MS, CORRECTION_ASKED_MAX_MS, true],
    [CORRECTION_ASKED_MAX_MS + 1, CORRECTION_ASKED_MAX_MS, false],
    [0.5, undefined, false],
    [Number.NaN, Number.NaN, false],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, false],
  ])('%d ms with consent to %s: %s', (correctionMs, agreedMs, expected) => {
    expect(mayCorrect(correctionMs, agreedMs)).toBe(expected)
  })

  it('is never more than a day, whatever was agreed to', () => {
    fc.assert(
      fc.property(fc.double(), fc.option(fc.double(), { nil: undefined }), (ms, agreedMs) => {
        if (mayCorrect(ms, agreedMs)) expect(Math.abs(ms)).toBeLessThanOrEqual(CORRECTION_ASKED_MAX_MS)
      }),
    )
  })
})
