import { expect, it } from 'vitest'
import { METRICS } from '#metrics/metrics.ts'
import type { LongTermSeries } from '#prometheus/long-term-series.ts'
import { longTermSummary } from '#prometheus/long-term-summary.ts'

const STEP = 600_000
const SCRAPE = 60_000

/** Six steps: good, half down, all down, unscraped, half scraped, good. */
const SERIES: LongTermSeries = {
  fromMs: 0,
  stepMs: STEP,
  count: 6,
  up: [1, 0.5, 0, null, 1, 1],
  upMin: [1, 0, 0, null, 1, 1],
  scrapes: [10, 9, 10, null, 4, 10],
  failures: [null, 'timeout', 'unreachable', null, null, null],
  metrics: [
    {
      id: 'participation',
      kind: 'line',
      min: [0.9, 0.4, null, null, 0.8, 0.9],
      max: [1, 1, null, null, 1, 1],
      last: [1, 0.5, null, null, 0.9, 1],
    },
    {
      id: 'stake',
      kind: 'line',
      min: [10, 10, null, null, 30, 30],
      max: [10, 10, null, null, 30, 30],
      last: [10, 10, null, null, 30, 30],
    },
    {
      id: 'threatResponses',
      kind: 'bars',
      increase: [1, 2, null, null, 4, 8],
      unwatched: [null, null, null, null, 16, null],
      restarts: [0, 0, null, null, 0, 0],
    },
  ],
}
const summaryOf = (...ranges: readonly (readonly [number, number])[]) =>
  longTermSummary(
    SERIES,
    ranges.map(([from, to]) => ({ fromMs: from * STEP, toMs: to * STEP })),
    SCRAPE,
    METRICS,
    new Map([['stake', 10]]),
  )

it('counts up, down and unscraped time of whole steps, in the units of history', () => {
  expect(summaryOf([0, 6])).toEqual({
    answeredMs: 3 * STEP,
    noAnswerMs: 1.5 * STEP,
    notWatchedMs: 1.5 * STEP,
    figures: {
      participation: { mean: 0.85, min: 0.4 },
      stake: { first: 1, last: 3 },
      threatResponses: { increase: 31 },
    },
    outages: [{ fromMs: STEP, toMs: 2.5 * STEP, failure: 'timeout', isCut: false }],
    outageCount: 1,
  })
})

it('counts a step cut by maintenance in proportion, and a covered one not at all', () => {
  const { answeredMs, noAnswerMs, notWatchedMs, outages } = summaryOf([0, 1.5], [3, 6])
  expect([answeredMs, noAnswerMs, notWatchedMs]).toEqual([2.75 * STEP, 0.25 * STEP, 1.5 * STEP])
  expect(outages).toEqual([{ fromMs: STEP, toMs: 1.25 * STEP, failure: 'timeout', isCut: false }])
})
