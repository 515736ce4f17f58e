import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Sums of polls that are `everyMs` apart from 0 on. */
function minutesOf(polls: readonly Partial<Sample>[], everyMs: number, stepMs = MINUTE) {
  const series = createSeries(METRICS)
  for (const [place, given] of polls.entries())
    appendSamples(series, [
      { node: 'n', atMs: place * everyMs, latencyMs: 5, everyMs, outcome: 'answered', ...given },
    ])
  return rollSeries(series, { fromMs: 0, toMs: polls.length * everyMs }, stepMs, false)
}

/** In the seven days up to `toMs`. */
function usualOf(minutes: Rollup, { toMs, barMs }: { toMs: number; barMs: number }): Usual {
  const within = stepsWithin(minutes, toMs - USUAL_MS, toMs)
  return { ...usualValues(within), ...usualBars(countersOf(within), barMs) }
}

const of = (count: number, give: (place: number) => Partial<Sample>) =>
  minutesOf(
    Array.from({ length: count }, (_, place) => give(place)),
    MINUTE,
  )

describe('what is usual', () => {
  it('is what 90 of 100 values lie between', () => {
    const polls = of(1_500, (place) => ({ participation: (place % 100) / 100, heartbeatAgeMs: 7 }))
    expect(usualOf(polls, { toMs: 1_500 * MINUTE, barMs: HOUR })).toEqual({
      participation: [0.04, 0.94],
      heartbeat: [7, 7],
      answerTime: [5, 5],
      threatResponses: [0, 0],
    })
  })

  it('is not known before a day is', () => {
    const polls = (count: number) =>
      usualOf(
        of(count, () => ({})),
        { toMs: count * MINUTE, barMs: HOUR },
      )
    expect(polls(USUAL_KNOWN_MS / MINUTE - 1)).toEqual({})
    expect(polls(USUAL_KNOWN_MS / MINUTE)).toEqual({ answerTime: [5, 5], threatResponses: [0, 0] })
  })

  it('counts only time that was watched and answered', () => {
    const failing = (place: number): Partial<Sample> => (place % 2 === 0 ? {} : { outcome: 'timeout' })
    expect(usualOf(of(2_800, failing), { toMs: 2_800 * MINUTE, barMs: HOUR })).toEqual({})
    expect(usualOf(of(2_900, failing), { toMs: 2_900 * MINUTE, barMs: HOUR })['answerTime']).toBeDefined()
  })

  it('of a value that came for less than a day is not known', () => {
    const polls = of(3_000, (place) => (place < 1_400 ? { participation: 0.5 } : {}))
    expect(usualOf(polls, { toMs: 3_000 * MINUTE, barMs: HOUR })['participation']).toBeUndefined()
  })

  it('looks back seven days and not into the future', () => {
    const days = (from: number, to: number) => (place: number) => {
      const atMs = place * 10 * MINUTE
      return atMs >= from * DAY && atMs < to * DAY ? { latencyMs: 20 } : { latencyMs: 900 }
    }
    const polls = minutesOf(
      Array.from({ length: 9 * 144 }, (_, place) => days(1, 8)(place)),
      10 * MINUTE,
    )
    expect(USUAL_MS).toBe(7 * DAY)
    expect(usualOf(polls, { toMs: 8 * DAY, barMs: HOUR })['answerTime']).toEqual([20, 20])
  })

  it('of threat responses is what came in a whole bar', () => {
    const polls = of(1_500, (place) => ({ threatResponsesIncrease: place % 60 === 0 ? place / 60 : 0 }))
    expect(usualOf(polls, { toMs: 1_500 * MINUTE, barMs: HOUR })['threatResponses']).toEqual([1, 23])
    expect(usualOf(polls, { toMs: 1_500 * MINUTE, barMs: 90_000 })['threatResponses']).toBeUndefined()
    expect(usualOf(polls, { toMs: 1_500 * MINUTE, barMs: 3 * HOUR })['threatResponses']).toBeUndefined()
  })

  it('takes a bar that was watched in part for none', () => {
    const polls = of(2_000, (place) =>
      place >= 1_440 && place % 60 > 50
        ? { outcome: 'timeout' }
        : { threatResponsesIncrease: place < 1_440 ? 1 : 9 },
    )
    expect(usualOf(polls, { toMs: 2_000 * MINUTE, barMs: HOUR })['threatResponses']).toEqual([60, 60])
  })

  it('lies within the values, and near those of the whole list', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20, maxLength: 60 }),
        (values) => {
          // Two polls in each step: both are known exactly.
          const polls = Array.from({ length: 1_450 }, (_, place) => values[place % values.length] ?? 0)
          const minutes = minutesOf(
            polls.map((participation) => ({ participation })),
            MINUTE,
            2 * MINUTE,
          )
          const sorted = polls.toSorted((a, b) => a - b)
          const at = (share: number) => sorted[Math.ceil(share * polls.length - 1e-9) - 1]
          expect(usualOf(minutes, { toMs: 2 * DAY, barMs: HOUR })['participation']).toEqual([
            at(0.05),
            at(0.95),
          ])
        },
      ),
      { numRuns: isAll() ? 100 : 15 },
    )
  })

  it('is read from what is kept and from what waits in memory', async () => {
    const kept = createKept(createMemoryStorage(), createFakeClock(TEST_START_MS))
    await kept.start()
    await kept.watch(['s!1'], 13 * 30, 4 * MINUTE, { participation: 0.25 })
    const query = () => ({ node: 's!1', toMs: kept.clock.wallMs(), barMs: HOUR })
    const usual = await kept.history.readUsual?.(query())
    expect(usual?.['participation']).toEqual([0.25, 0.25])
    expect(await kept.history.readUsual?.({ ...query(), node: 's!2' })).toEqual({})
  })
})

/** A day and two hours of one node, of which all but the last hours are in records. */
async function watched() {
  const kept = createKept(createMemoryStorage(), createFakeClock(TEST_START_MS))
  await kept.start()
  await kept.watch(['s!1'], 13 * 30, 4 * MINUTE, { participation: 0.25, threatResponsesIncrease: 1 })
  await kept.history.maintain()
  const read = (barMs = HOUR) => kept.history.readUsual?.({ node: 's!1', toMs: kept.clock.wallMs(), barMs })
  /** What another tab says, which reads all of it anew. */
  const anew = async (barMs = HOUR) => {
    await kept.history.saved()
    const other = createKept(kept.storage, kept.clock, 'two')
    await other.start()
    const usual = await other.history.readUsual?.({ node: 's!1', toMs: kept.clock.wallMs(), barMs })
    other.history.dispose()
    return usual
  }
  return { ...kept, read, anew }
}

describe('what is usual, read again', () => {
  it('of what comes each minute is as many in each hour, after half a day of them', async () => {
    const kept = await watched()
    for (let hour = 0; hour < 14; hour++) {
      await kept.watch(['s!1'], 60, MINUTE, { threatResponsesIncrease: 1 })
      await kept.history.maintain()
      await kept.read()
    }
    const read = await kept.read()
    expect(read?.['threatResponses']).toEqual([15, 60])
    expect(read).toEqual(await kept.anew())
  })

  it('is the same as read anew, over hours in which more comes', async () => {
    const kept = await watched()
    await kept.read()
    for (let round = 0; round < 6; round++) {
      await kept.watch(['s!1'], 20, 4 * MINUTE, {
        participation: 0.75 - round / 10,
        threatResponsesIncrease: round,
      })
      await kept.history.maintain()
      expect([await kept.read(), await kept.read(2 * HOUR)]).toEqual([
        await kept.anew(),
        await kept.anew(2 * HOUR),
      ])
    }
  })

  it('forgets what was deleted', async () => {
    const kept = await watched()
    await kept.read()
    await kept.history.transfer({ what: 'delete', node: 's!1' }, async () => true)
    expect(await kept.read()).toEqual({})
  })

  it('is not held on to where it could not be read', async () => {
    const kept = await watched()
    kept.storage.fault = (operation) => (operation === 'read' ? 'broken' : undefined)
    expect(await kept.read()).toEqual({})
    kept.storage.fault = () => undefined
    expect((await kept.read())?.['participation']).toEqual([0.25, 0.25])
  })
})

describe('what is usual of minutes', () => {
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
  /** Minutes from 0 on, each with an answer, or as many as it has values. */
  function minutesFrom(count: number, give: (row: number) => Minute, plain = false): Rollup {
    const rollup = createRollup(
      MINUTE,
      false,
      [
        { id: 'v', kind: 'gauge', distribution: plain ? undefined : 'values' },
        { id: 'c', kind: 'counter' },
      ],
      Array.from({ length: count }, (_, row) => row * MINUTE),
    )
    const columnOf = (id: string, name: string) => rolledMetric(rollup, id)?.columns.get(name) ?? []
    for (let row = 0; row < count; row++) {
      const { value, increase = 0, knownMs = MINUTE } = give(row)
      addTo(rollup.polls, ANSWERED, row, value?.count ?? 1)
      addTo(rollup.outcomeMs, ANSWERED, row, knownMs)
      columnOf('c', 'increase')[row] = increase
      if (value === undefined) continue
      for (const name of ['min', 'max', 'sum', 'count'] as const) columnOf('v', name)[row] = value[name]
    }
    return rollup
  }
  const A_DAY = DAY / MINUTE
  const valuesIn = (give: (row: number) => Minute, count = A_DAY, plain = false) =>
    usualValues(minutesFrom(count, give, plain))
  const barsIn = (count: number, barMs: number, give: (row: number) => Minute) =>
    usualBars(minutesFrom(count, give), barMs)

  it('is the middle of what each holds, where the lowest and the highest are few of it', () => {
    expect(valuesIn(() => ({ value: { min: 1, max: 90, sum: 1 + 90 + 98 * 7, count: 100 } }))).toEqual({
      v: [7, 7],
    })
    // Three of which one is the lowest and one is the highest: the one between them.
    expect(valuesIn(() => ({ value: { min: 1, max: 90, sum: 96, count: 3 } }))).toEqual({ v: [1, 90] })
    expect(
      valuesIn((row) => ({
        value: row < 10 ? { min: 1, max: 90, sum: 96, count: 3 } : { min: 5, max: 5, sum: 15, count: 3 },
      })),
    ).toEqual({ v: [5, 5] })
  })

  it('is not of what comes later, or came before', () => {
    const far = { min: 90, max: 90, sum: 90 * 5_000, count: 5_000 }
    const minutes = minutesFrom(A_DAY + 2, (row) => ({
      value: row > 0 && row <= A_DAY ? { min: 4, max: 4, sum: 4, count: 1 } : far,
      increase: row > 0 && row <= A_DAY ? 1 : 7,
    }))
    const within = stepsWithin(minutes, MINUTE, DAY + MINUTE)
    expect(usualValues(within)).toEqual({ v: [4, 4] })
    expect(usualBars(countersOf(within), 2 * MINUTE)).toEqual({ c: [2, 2] })
  })

  it('is told of what has a distribution alone, and of nothing that never came', () => {
    const value = { min: 4, max: 6, sum: 10, count: 2 }
    expect(valuesIn(() => ({ value }), A_DAY, true)).toEqual({})
    expect(valuesIn(() => ({}))).toStrictEqual({})
    expect(valuesIn(() => ({ value: { ...value, count: 0 } }))).toEqual({})
    expect(usualValues(minutesFrom(0, () => ({})))).toEqual({})
  })

  it('of bars needs ten whole ones, of which nine tenths were watched', () => {
    const hours = (whole: number, knownMs: number) =>
      barsIn(30 * 60, HOUR, (row) => ({ increase: 2, knownMs: row < whole * 60 ? knownMs : 0.85 * MINUTE }))
    expect(hours(10, MINUTE)).toEqual({ c: [120, 120] })
    expect(hours(9, MINUTE)).toStrictEqual({})
    expect(hours(10, 0.9 * MINUTE)).toEqual({ c: [120, 120] })
    expect(hours(10, 0.89 * MINUTE)).toEqual({})
  })

  it('of bars needs a day that was watched, and whole minutes', () => {
    expect(barsIn(A_DAY, HOUR, () => ({ increase: 1 }))).toEqual({ c: [60, 60] })
    expect(barsIn(A_DAY - 1, HOUR, () => ({ increase: 1 }))).toEqual({})
    expect(barsIn(A_DAY, MINUTE, () => ({ increase: 1 }))).toEqual({ c: [1, 1] })
    expect(barsIn(A_DAY, 1.5 * MINUTE, () => ({ increase: 1 }))).toEqual({})
  })

  it('of bars is of those on multiples of their width since 1970', () => {
    const minutes = minutesFrom(A_DAY + 30, (row) => ({ increase: row < 30 ? 0 : 1 }))
    // The first half hour is left out, so that the first bar is no whole one.
    expect(usualBars(stepsWithin(minutes, 30 * MINUTE, DAY + 30 * MINUTE), HOUR)).toEqual({ c: [60, 60] })
    expect(usualBars(stepsWithin(minutes, 30 * MINUTE, DAY + 29 * MINUTE), HOUR)).toEqual({})
  })
})
