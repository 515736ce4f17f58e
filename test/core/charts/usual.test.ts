import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import type { Sample } from '#history/history.ts'
import { METRICS } from '#metrics/metrics.ts'
import { rollSeries } from '#history/roll-series.ts'
import { ANSWERED, appendSamples, createSeries } from '#history/series.ts'
import { addTo, createRollup, rolledMetric, stepsWithin, type Rollup } from '#history/rollup.ts'
import type { Usual } from '#charts/charts.ts'
import { countersOf, USUAL_KNOWN_MS, USUAL_MS, usualBars, usualValues } from '#charts/usual.ts'
import { isAll } from '#test/fuzz/random.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createKept } from '#test/core/history/store/kept-history.ts'

/** Rollups of polls every `everyMs` from 0 on. */
function minutesOf(polls: readonly Partial<Sample>[], everyMs: number, stepMs = MINUTE_MS) {
  const series = createSeries(METRICS)
  for (const [place, given] of polls.entries())
    appendSamples(series, [
      { node: 'n', atMs: place * everyMs, latencyMs: 5, everyMs, outcome: 'answered', ...given },
    ])
  return rollSeries(series, { fromMs: 0, toMs: polls.length * everyMs }, stepMs, false)
}

/** The usual ranges of the seven days up to `toMs`. */
function usualOf(minutes: Rollup, { toMs, barMs }: { toMs: number; barMs: number }): Usual {
  const within = stepsWithin(minutes, toMs - USUAL_MS, toMs)
  return { ...usualValues(within), ...usualBars(countersOf(within), barMs) }
}

const of = (count: number, give: (place: number) => Partial<Sample>) =>
  minutesOf(
    Array.from({ length: count }, (_, place) => give(place)),
    MINUTE_MS,
  )

describe('the usual range', () => {
  it('spans the middle 90 % of the values', () => {
    const polls = of(1_500, (place) => ({ participation: (place % 100) / 100, heartbeatAgeMs: 7 }))
    expect(usualOf(polls, { toMs: 1_500 * MINUTE_MS, barMs: HOUR_MS })).toEqual({
      participation: [0.04, 0.94],
      heartbeat: [7, 7],
      answerTime: [5, 5],
      threatResponses: [0, 0],
    })
  })

  it('is unknown before a full day of data', () => {
    const polls = (count: number) =>
      usualOf(
        of(count, () => ({})),
        { toMs: count * MINUTE_MS, barMs: HOUR_MS },
      )
    expect(polls(USUAL_KNOWN_MS / MINUTE_MS - 1)).toEqual({})
    expect(polls(USUAL_KNOWN_MS / MINUTE_MS)).toEqual({ answerTime: [5, 5], threatResponses: [0, 0] })
  })

  it('counts only answered time', () => {
    const failing = (place: number): Partial<Sample> => (place % 2 === 0 ? {} : { outcome: 'timeout' })
    expect(usualOf(of(2_800, failing), { toMs: 2_800 * MINUTE_MS, barMs: HOUR_MS })).toEqual({})
    expect(
      usualOf(of(2_900, failing), { toMs: 2_900 * MINUTE_MS, barMs: HOUR_MS })['answerTime'],
    ).toBeDefined()
  })

  it('of a value reported for less than a day is unknown', () => {
    const polls = of(3_000, (place) => (place < 1_400 ? { participation: 0.5 } : {}))
    expect(usualOf(polls, { toMs: 3_000 * MINUTE_MS, barMs: HOUR_MS })['participation']).toBeUndefined()
  })

  it('covers the last seven days, and no later ones', () => {
    const days = (from: number, to: number) => (place: number) => {
      const atMs = place * 10 * MINUTE_MS
      return atMs >= from * DAY_MS && atMs < to * DAY_MS ? { latencyMs: 20 } : { latencyMs: 900 }
    }
    const polls = minutesOf(
      Array.from({ length: 9 * 144 }, (_, place) => days(1, 8)(place)),
      10 * MINUTE_MS,
    )
    expect(usualOf(polls, { toMs: 8 * DAY_MS, barMs: HOUR_MS })['answerTime']).toEqual([20, 20])
  })

  it('of threat responses is that of whole bars, and unknown for too few or fractional ones', () => {
    const polls = of(1_500, (place) => ({ threatResponsesIncrease: place % 60 === 0 ? place / 60 : 0 }))
    expect(usualOf(polls, { toMs: 1_500 * MINUTE_MS, barMs: HOUR_MS })['threatResponses']).toEqual([1, 23])
    expect(usualOf(polls, { toMs: 1_500 * MINUTE_MS, barMs: 90_000 })['threatResponses']).toBeUndefined()
    expect(usualOf(polls, { toMs: 1_500 * MINUTE_MS, barMs: 3 * HOUR_MS })['threatResponses']).toBeUndefined()
  })

  it('ignores partly watched bars', () => {
    const polls = of(2_000, (place) =>
      place >= 1_440 && place % 60 > 50
        ? { outcome: 'timeout' }
        : { threatResponsesIncrease: place < 1_440 ? 1 : 9 },
    )
    expect(usualOf(polls, { toMs: 2_000 * MINUTE_MS, barMs: HOUR_MS })['threatResponses']).toEqual([60, 60])
  })

  it('runs from the 5th to the 95th percentile, whatever the values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20, maxLength: 60 }),
        (values) => {
          // With two polls per step, its minimum and maximum give both values exactly.
          const polls = Array.from({ length: 1_450 }, (_, place) => values[place % values.length] ?? 0)
          const minutes = minutesOf(
            polls.map((participation) => ({ participation })),
            MINUTE_MS,
            2 * MINUTE_MS,
          )
          const sorted = polls.toSorted((a, b) => a - b)
          const at = (share: number) => sorted[Math.ceil(share * polls.length - 1e-9) - 1]
          expect(usualOf(minutes, { toMs: 2 * DAY_MS, barMs: HOUR_MS })['participation']).toEqual([
            at(0.05),
            at(0.95),
          ])
        },
      ),
      { numRuns: isAll() ? 100 : 15 },
    )
  })

  it('is read from the stored history, and is empty for an unknown node', async () => {
    const kept = createKept(createMemoryStorage(), createFakeClock(TEST_START_MS))
    await kept.start()
    await kept.watch(['s!1'], 13 * 30, 4 * MINUTE_MS, { participation: 0.25 })
    const query = () => ({ node: 's!1', toMs: kept.clock.wallMs(), barMs: HOUR_MS })
    const usual = await kept.history.readUsual?.(query())
    expect(usual?.['participation']).toEqual([0.25, 0.25])
    expect(await kept.history.readUsual?.({ ...query(), node: 's!2' })).toEqual({})
  })
})

/** 26 hours of one node; all but the last ones are in records. */
async function watched() {
  const kept = createKept(createMemoryStorage(), createFakeClock(TEST_START_MS))
  await kept.start()
  await kept.watch(['s!1'], 13 * 30, 4 * MINUTE_MS, { participation: 0.25, threatResponsesIncrease: 1 })
  await kept.history.maintain()
  const read = (barMs = HOUR_MS) =>
    kept.history.readUsual?.({ node: 's!1', toMs: kept.clock.wallMs(), barMs })
  /** The range as another tab reads it, without a cache. */
  const anew = async (barMs = HOUR_MS) => {
    await kept.history.saved()
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    const usual = await other.history.readUsual?.({ node: 's!1', toMs: kept.clock.wallMs(), barMs })
    other.history.dispose()
    return usual
  }
  return { ...kept, read, anew }
}

describe('the usual range, read again', () => {
  it('includes the increase of new hours, like an uncached read', async () => {
    const kept = await watched()
    for (let hour = 0; hour < 14; hour++) {
      await kept.watch(['s!1'], 60, MINUTE_MS, { threatResponsesIncrease: 1 })
      await kept.history.maintain()
      await kept.read()
    }
    const read = await kept.read()
    expect(read?.['threatResponses']).toEqual([15, 60])
    expect(read).toEqual(await kept.anew())
  })

  it('equals an uncached read while samples arrive', async () => {
    const kept = await watched()
    await kept.read()
    for (let round = 0; round < 6; round++) {
      await kept.watch(['s!1'], 20, 4 * MINUTE_MS, {
        participation: 0.75 - round / 10,
        threatResponsesIncrease: round,
      })
      await kept.history.maintain()
      expect([await kept.read(), await kept.read(2 * HOUR_MS)]).toEqual([
        await kept.anew(),
        await kept.anew(2 * HOUR_MS),
      ])
    }
  })

  it('is empty once its node is deleted', async () => {
    const kept = await watched()
    await kept.read()
    await kept.history.transfer({ what: 'delete', node: 's!1' }, async () => true)
    expect(await kept.read()).toEqual({})
  })

  it('is not cached after a failed read', async () => {
    const kept = await watched()
    kept.storage.fault = (operation) => (operation === 'read' ? 'broken' : undefined)
    expect(await kept.read()).toEqual({})
    kept.storage.fault = () => undefined
    expect((await kept.read())?.['participation']).toEqual([0.25, 0.25])
  })
})

describe('the usual range of 1-minute rollups', () => {
  type Minute = {
    readonly value?: {
      readonly min: number
      readonly max: number
      readonly sum: number
      readonly count: number
    }
    readonly increase?: number
    readonly knownMs?: number
  }
  /** Minutes from 0 on, each with one answer or as many as it has values. */
  function minutesFrom(count: number, give: (row: number) => Minute, plain = false): Rollup {
    const rollup = createRollup(
      MINUTE_MS,
      false,
      [
        { id: 'v', kind: 'gauge', distribution: plain ? undefined : 'values' },
        { id: 'c', kind: 'counter' },
      ],
      Array.from({ length: count }, (_, row) => row * MINUTE_MS),
    )
    const columnOf = (id: string, name: string) => rolledMetric(rollup, id)?.columns.get(name) ?? []
    for (let row = 0; row < count; row++) {
      const { value, increase = 0, knownMs = MINUTE_MS } = give(row)
      addTo(rollup.polls, ANSWERED, row, value?.count ?? 1)
      addTo(rollup.outcomeMs, ANSWERED, row, knownMs)
      columnOf('c', 'increase')[row] = increase
      if (value === undefined) continue
      for (const name of ['min', 'max', 'sum', 'count'] as const) columnOf('v', name)[row] = value[name]
    }
    return rollup
  }
  const A_DAY = DAY_MS / MINUTE_MS
  const valuesIn = (give: (row: number) => Minute, count = A_DAY, plain = false) =>
    usualValues(minutesFrom(count, give, plain))
  const barsIn = (count: number, barMs: number, give: (row: number) => Minute) =>
    usualBars(minutesFrom(count, give), barMs)

  it('weighs the lowest and highest value of a minute by their share of its values', () => {
    expect(valuesIn(() => ({ value: { min: 1, max: 90, sum: 1 + 90 + 98 * 7, count: 100 } }))).toEqual({
      v: [7, 7],
    })
    // Of three values, one is the lowest and one the highest; the third lies between them.
    expect(valuesIn(() => ({ value: { min: 1, max: 90, sum: 96, count: 3 } }))).toEqual({ v: [1, 90] })
    expect(
      valuesIn((row) => ({
        value: row < 10 ? { min: 1, max: 90, sum: 96, count: 3 } : { min: 5, max: 5, sum: 15, count: 3 },
      })),
    ).toEqual({ v: [5, 5] })
  })

  it('ignores minutes before and after the week', () => {
    const far = { min: 90, max: 90, sum: 90 * 5_000, count: 5_000 }
    const minutes = minutesFrom(A_DAY + 2, (row) => ({
      value: row > 0 && row <= A_DAY ? { min: 4, max: 4, sum: 4, count: 1 } : far,
      increase: row > 0 && row <= A_DAY ? 1 : 7,
    }))
    const within = stepsWithin(minutes, MINUTE_MS, DAY_MS + MINUTE_MS)
    expect(usualValues(within)).toEqual({ v: [4, 4] })
    expect(usualBars(countersOf(within), 2 * MINUTE_MS)).toEqual({ c: [2, 2] })
  })

  it('exists only for a metric with a distribution and with values', () => {
    const value = { min: 4, max: 6, sum: 10, count: 2 }
    expect(valuesIn(() => ({ value }), A_DAY, true)).toEqual({})
    expect(valuesIn(() => ({}))).toStrictEqual({})
    expect(valuesIn(() => ({ value: { ...value, count: 0 } }))).toEqual({})
    expect(usualValues(minutesFrom(0, () => ({})))).toEqual({})
  })

  it('of bars needs 10 bars, each watched for at least 90 %', () => {
    const hours = (whole: number, knownMs: number) =>
      barsIn(30 * 60, HOUR_MS, (row) => ({
        increase: 2,
        knownMs: row < whole * 60 ? knownMs : 0.85 * MINUTE_MS,
      }))
    expect(hours(10, MINUTE_MS)).toEqual({ c: [120, 120] })
    expect(hours(9, MINUTE_MS)).toStrictEqual({})
    expect(hours(10, 0.9 * MINUTE_MS)).toEqual({ c: [120, 120] })
    expect(hours(10, 0.89 * MINUTE_MS)).toEqual({})
  })

  it('of bars needs a full day, and bars of whole minutes', () => {
    expect(barsIn(A_DAY, HOUR_MS, () => ({ increase: 1 }))).toEqual({ c: [60, 60] })
    expect(barsIn(A_DAY - 1, HOUR_MS, () => ({ increase: 1 }))).toEqual({})
    expect(barsIn(A_DAY, MINUTE_MS, () => ({ increase: 1 }))).toEqual({ c: [1, 1] })
    expect(barsIn(A_DAY, 1.5 * MINUTE_MS, () => ({ increase: 1 }))).toEqual({})
  })

  it('of bars counts those at multiples of their width since 1970', () => {
    const minutes = minutesFrom(A_DAY + 30, (row) => ({ increase: row < 30 ? 0 : 1 }))
    // Without the first half hour, the first bar is incomplete.
    expect(usualBars(stepsWithin(minutes, 30 * MINUTE_MS, DAY_MS + 30 * MINUTE_MS), HOUR_MS)).toEqual({
      c: [60, 60],
    })
    expect(usualBars(stepsWithin(minutes, 30 * MINUTE_MS, DAY_MS + 29 * MINUTE_MS), HOUR_MS)).toEqual({})
  })
})
