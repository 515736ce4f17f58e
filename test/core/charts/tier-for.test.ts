import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '#base/time.ts'
import { tierFor } from '#charts/tier-for.ts'

const EVER = Number.NEGATIVE_INFINITY
const NEVER = Number.POSITIVE_INFINITY

describe('the resolution of a range', () => {
  const everything = { samples: EVER, minute: EVER, quarter: EVER, hour: EVER }

  it.each([
    [HOUR_MS, 'samples'],
    [25 * HOUR_MS, 'samples'],
    [25 * HOUR_MS + 1, 'minute'],
    [50 * HOUR_MS, 'minute'],
    [50 * HOUR_MS + 1, 'quarter'],
    [14 * DAY_MS, 'quarter'],
    [14 * DAY_MS + 1, 'hour'],
  ] as const)('of %d ms is %s', (rangeMs, tier) => {
    expect(tierFor(rangeMs, 0, 15_000, everything)).toBe(tier)
  })

  it.each([
    [25_000_000, 1_000, 'samples'],
    [25_000_001, 1_000, 'minute'],
    [25_000, 0, 'samples'],
    [25_001, 0, 'minute'],
  ] as const)('of %d ms with a sample each %d ms is %s', (rangeMs, everyMs, tier) => {
    expect(tierFor(rangeMs, 0, everyMs, everything)).toBe(tier)
  })

  const reach = (samples: number, minute: number, quarter: number, hour: number) => ({
    samples,
    minute,
    quarter,
    hour,
  })

  it.each([
    ['the best, where it goes far enough', HOUR_MS, 100, reach(100, 0, 0, 0), 'samples'],
    ['the best, though others go further', HOUR_MS, 5 * DAY_MS, reach(5 * DAY_MS, 0, 0, 0), 'samples'],
    [
      'the next that does, where the best begins a day later',
      HOUR_MS,
      0,
      reach(DAY_MS + 1, 0, 0, 0),
      'minute',
    ],
    [
      'the best still, where no other goes a whole day further',
      HOUR_MS,
      0,
      reach(DAY_MS, 0, 0, 0),
      'samples',
    ],
    ['a coarser one, where the finer ones end', HOUR_MS, 0, reach(3 * DAY_MS, NEVER, 2, -1), 'hour'],
    [
      'the one that goes furthest, where none goes far enough',
      HOUR_MS,
      0,
      reach(5 * DAY_MS, 3 * DAY_MS, 9, 9),
      'quarter',
    ],
    ['never one that is finer than the best', 30 * HOUR_MS, 0, reach(0, 3 * DAY_MS, NEVER, NEVER), 'minute'],
    ['the best, where nothing is kept at all', HOUR_MS, 0, reach(NEVER, NEVER, NEVER, NEVER), 'samples'],
  ] as const)('is %s', (_, rangeMs, fromMs, reached, tier) => {
    expect(tierFor(rangeMs, fromMs, 15_000, reached)).toBe(tier)
  })
})
