import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '#base/time.ts'
import { tierFor } from '#charts/read-charts.ts'

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
    ['the ideal one if it reaches the start', HOUR_MS, 100, reach(100, 0, 0, 0), 'samples'],
    [
      'the ideal one although others reach further',
      HOUR_MS,
      5 * DAY_MS,
      reach(5 * DAY_MS, 0, 0, 0),
      'samples',
    ],
    ['the next one if it reaches more than a day further', HOUR_MS, 0, reach(DAY_MS + 1, 0, 0, 0), 'minute'],
    [
      'the ideal one if no other reaches more than a day further',
      HOUR_MS,
      0,
      reach(DAY_MS, 0, 0, 0),
      'samples',
    ],
    ['the first coarser one that reaches the start', HOUR_MS, 0, reach(3 * DAY_MS, NEVER, 2, -1), 'hour'],
    [
      'the one that reaches furthest if none reaches the start',
      HOUR_MS,
      0,
      reach(5 * DAY_MS, 3 * DAY_MS, 9, 9),
      'quarter',
    ],
    ['never finer than the ideal one', 30 * HOUR_MS, 0, reach(0, 3 * DAY_MS, NEVER, NEVER), 'minute'],
    ['the ideal one if nothing is stored', HOUR_MS, 0, reach(NEVER, NEVER, NEVER, NEVER), 'samples'],
  ] as const)('is %s', (_, rangeMs, fromMs, reached, tier) => {
    expect(tierFor(rangeMs, fromMs, 15_000, reached)).toBe(tier)
  })
})
