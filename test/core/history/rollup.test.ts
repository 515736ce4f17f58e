import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import {
  addHistograms,
  bucketOf,
  createTally,
  EMPTY_HISTOGRAM,
  middleOf,
  quantile,
} from '#history/histogram.ts'
import { quantileOf, rollSeries } from '#history/roll-series.ts'
import { coarsen, joinRollups, tidySum, type Rollup } from '#history/rollup.ts'
import {
  columnsOf,
  holdsMs,
  maxGapMsOf,
  NOT_WATCHED,
  RESTARTED,
  UNWATCHED,
  type MetricColumns,
  type Series,
} from '#history/series.ts'
import { rolledIn, samplesOf, seriesOf, SPREADS, VALUES } from './samples.ts'

const keyed = (by: ReadonlyMap<unknown, readonly number[]>, row: number) =>
  Object.fromEntries(
    Array.from(by, ([key, column]) => [String(key), column[row] ?? 0]).filter(([, amount]) => amount !== 0),
  )

/** A rollup's rows as plain objects. */
const rowsOf = (rollup: Rollup) => {
  const rolled = rolledIn(rollup)
  return rollup.startMs.map((startMs, row) => ({
    startMs,
    ...Object.fromEntries(
      VALUES.map((name) => {
        const { min, max, first, last, sum, count } = rolled.values[name]
        return [
          name,
          [min[row], max[row], first[row], last[row], count[row] === 0 ? 0 : sum[row], count[row]],
        ]
      }),
    ),
    polls: keyed(rollup.polls, row),
    outcomeMs: keyed(rollup.outcomeMs, row),
    statusMs: keyed(rolled.statusMs, row),
    increase: rolled.increase[row],
    unwatched: rolled.unwatched[row],
    restarts: rolled.restarts[row],
    changes: rolled.changes[row],
    spread: rollup.withSpread ? SPREADS.map((name) => rolled.spread[name]?.[row]) : undefined,
  }))
}

function columnsIn(series: Series, id: string): MetricColumns {
  const columns = columnsOf(series, id)
  if (columns === undefined) throw new Error(id)
  return columns
}

/** The outcome and status at a moment, found by a search from the last row back. */
function holdingAt(series: Series, atMs: number) {
  const { columns, length } = series
  for (let place = length - 1; place >= 0; place--) {
    const fromMs = columns.atMs[place] ?? 0
    if (fromMs > atMs) continue
    const outcome = columns.outcome[place] ?? 0
    if (outcome === NOT_WATCHED || atMs >= fromMs + holdsMs(outcome, maxGapMsOf(columns.everyMs[place] ?? 0)))
      return undefined
    const status = columnsIn(series, 'status').text[place]
    return { outcome, status: outcome === 0 ? status : undefined }
  }
  return undefined
}

const counted = ({ increase, flags }: MetricColumns, places: readonly number[]) => {
  const sumOf = (isMeant: (flag: number) => boolean) =>
    places.reduce((sum, n) => sum + (isMeant(flags[n] ?? 0) ? (increase[n] ?? 0) : 0), 0)
  return {
    increase: sumOf((flag) => (flag & UNWATCHED) === 0),
    unwatched: sumOf((flag) => (flag & UNWATCHED) !== 0),
    restarts: places.filter((n) => ((flags[n] ?? 0) & RESTARTED) !== 0).length,
  }
}

/** The same rollup, computed naively. */
function naive(series: Series, fromMs: number, toMs: number, stepMs: number) {
  const { columns } = series
  const [counter, proof] = [columnsIn(series, 'threatResponses'), columnsIn(series, 'proof')]
  const rows = []
  for (let startMs = Math.floor(fromMs / stepMs) * stepMs; startMs < toMs; startMs += stepMs) {
    const places = Array.from({ length: series.length }, (_, n) => n).filter((n) => {
      const at = columns.atMs[n] ?? 0
      return (
        at >= Math.max(fromMs, startMs) &&
        at < Math.min(toMs, startMs + stepMs) &&
        columns.outcome[n] !== NOT_WATCHED
      )
    })
    const outcomeMs: Record<string, number> = {}
    const statusMs: Record<string, number> = {}
    for (let at = Math.max(fromMs, startMs); at < Math.min(toMs, startMs + stepMs); at++) {
      const held = holdingAt(series, at)
      if (held === undefined) continue
      outcomeMs[held.outcome] = (outcomeMs[held.outcome] ?? 0) + 1
      if (held.status !== undefined) statusMs[held.status] = (statusMs[held.status] ?? 0) + 1
    }
    if (places.length === 0 && Object.keys(outcomeMs).length === 0) continue
    const polls: Record<string, number> = {}
    for (const n of places) polls[columns.outcome[n] ?? 0] = (polls[columns.outcome[n] ?? 0] ?? 0) + 1
    const valuesOf = (name: (typeof VALUES)[number]) =>
      places.map((n) => columnsIn(series, name).value[n] ?? 0).filter((v) => !Number.isNaN(v))
    rows.push({
      startMs,
      ...Object.fromEntries(
        VALUES.map((name) => {
          const values = valuesOf(name)
          const sum = values.length === 0 ? 0 : tidySum(values.reduce((a, b) => a + b))
          return [
            name,
            values.length === 0
              ? [Number.NaN, Number.NaN, Number.NaN, Number.NaN, 0, 0]
              : [Math.min(...values), Math.max(...values), values[0], values.at(-1), sum, values.length],
          ]
        }),
      ),
      polls,
      outcomeMs,
      statusMs,
      ...counted(counter, places),
      changes: places.filter((n) => ((proof.flags[n] ?? 0) & 1) !== 0).length,
      spread: SPREADS.map((name) => {
        const tally = createTally()
        for (const value of valuesOf(name)) tally.add(name === 'participation' ? (1 - value) * 1e6 : value)
        return tally.take()
      }),
    })
  }
  return rows
}

const short = samplesOf(40, 30).map((samples) => samples.map((sample) => ({ ...sample, everyMs: 6 })))
const marked = fc.uniqueArray(fc.nat({ max: 29 }), { maxLength: 4 }).map((places) => new Set(places))

describe('a rollup', () => {
  it('equals a naive sum over every moment and value', () => {
    fc.assert(
      fc.property(
        short,
        marked,
        fc.nat({ max: 200 }),
        fc.integer({ min: 1, max: 400 }),
        (samples, marks, fromMs, lengthMs) => {
          const series = seriesOf(samples, marks)
          const window = { fromMs, toMs: fromMs + lengthMs }
          expect(rowsOf(rollSeries(series, window, 50, true))).toEqual(
            naive(series, fromMs, fromMs + lengthMs, 50),
          )
        },
      ),
    )
  })

  it('of consecutive windows joins to that of the whole window', () => {
    fc.assert(
      fc.property(short, marked, fc.nat({ max: 12 }), (samples, marks, steps) => {
        const cutMs = steps * 50
        const series = seriesOf(samples, marks)
        const roll = (fromMs: number, toMs: number) => rollSeries(series, { fromMs, toMs }, 50, true)
        const parts = joinRollups([roll(0, cutMs), roll(cutMs, 2_000)], 50, true)
        const loose = (rollup: Rollup) => rowsOf(rollup).map((row) => ({ ...row, ...sumsTo(rollup) }))
        expect(loose(parts)).toEqual(loose(roll(0, 2_000)))
      }),
    )
  })

  it('coarsened to a longer step equals that of the samples at that step', () => {
    fc.assert(
      fc.property(short, marked, (samples, marks) => {
        const series = seriesOf(samples, marks)
        const fine = rollSeries(series, { fromMs: 0, toMs: 2_000 }, 50, true)
        const coarse = coarsen(fine, 200)
        const direct = rollSeries(series, { fromMs: 0, toMs: 2_000 }, 200, true)
        const loose = (rollup: Rollup) => rowsOf(rollup).map((row) => ({ ...row, ...sumsTo(rollup) }))
        expect(loose(coarse)).toEqual(loose(direct))
      }),
    )
  })
})

it('polls count in the step that starts with them, even after steps without a poll', () => {
  const polls = (everyMs: number, times: readonly number[]) => {
    const samples = times.map((atMs): Sample => ({
      node: 'n',
      atMs,
      everyMs,
      latencyMs: 1,
      outcome: 'answered',
    }))
    const { startMs, polls: made } = rollSeries(seriesOf(samples), { fromMs: 0, toMs: 150 }, 50, false)
    return [startMs, made.get(0)]
  }
  expect(polls(60, [10, 100])).toEqual([
    [0, 50, 100],
    [1, 0, 1],
  ])
  // A poll that covers no time has its step too.
  expect(polls(0, [0, 100])).toEqual([
    [0, 100],
    [1, 1],
  ])
})

/** The values without their sums, whose last digits depend on the order of addition. */
const sumsTo = (rollup: Rollup) =>
  Object.fromEntries(
    VALUES.map((name) => {
      const { min, max, first, last, count } = rolledIn(rollup).values[name]
      return [name, [min, max, first, last, count]]
    }),
  )

describe('a histogram', () => {
  it.each([
    [0, 0],
    [-5, 0],
    [Number.NaN, 0],
    [2 ** -10, 0],
    [2 ** -10 * 1.001, 1],
    [1, 161],
    [2, 177],
    [2 ** 53, 1_008],
    [1e300, 1_008],
  ])('keeps %d in bucket %d', (value, bucket) => {
    expect(bucketOf(value)).toBe(bucket)
  })

  it('is accurate to 2.2 % of each value', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.002, max: 1e12, noNaN: true }), (value) => {
        expect(Math.abs(middleOf(bucketOf(value)) / value - 1)).toBeLessThan(0.0222)
      }),
    )
    expect(middleOf(0)).toBe(0)
  })

  it('gives quantiles by rank, as a sorted list does', () => {
    const values = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1 })
    fc.assert(
      fc.property(values, fc.constantFrom(0, 0.05, 0.5, 0.95, 1), (list, share) => {
        const tally = createTally()
        list.forEach(tally.add)
        const sorted = list.toSorted((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil(share * list.length)) - 1] ?? 0
        expect(quantile(tally.take(), share)).toBe(middleOf(bucketOf(exact)))
      }),
    )
    expect(quantile(EMPTY_HISTOGRAM, 0.5)).toBeNaN()
  })

  it('of values close to 1 stores their complement, and still gives the value', () => {
    const tally = createTally()
    for (let percent = 1; percent <= 100; percent++) tally.add((percent / 10_000) * 1e6)
    const histogram = tally.take()
    const metric = { id: 'share', kind: 'gauge', distribution: 'complement' } as const
    // 0.9999 down to 0.99: half of them lie above 0.995, and one in 20 below 0.9905.
    expect(quantileOf(metric, histogram, 0.5)).toBeCloseTo(0.995, 3)
    expect(quantileOf(metric, histogram, 0.05)).toBeCloseTo(0.9905, 3)
    expect(quantileOf({ ...metric, distribution: 'values' }, histogram, 0.5)).toBe(quantile(histogram, 0.5))
  })

  it('adds up in any order, and is empty after it is taken', () => {
    const list = fc.array(fc.nat({ max: 500 }))
    fc.assert(
      fc.property(list, list, (one, other) => {
        const tally = createTally()
        const of = (values: readonly number[]) => {
          values.forEach(tally.add)
          return tally.take()
        }
        const whole = of([...one, ...other])
        expect(addHistograms(of(one), of(other))).toEqual(whole)
        expect(addHistograms(of(other), of(one))).toEqual(whole)
      }),
    )
  })
})
