import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { rollSeries } from '#history/roll-series.ts'
import { ANSWERED, appendSample, createSeries } from '#history/series.ts'
import { addRollups, addTo, createRollup, rolledMetric, type Rollup } from '#history/rollup.ts'
import type { Usual } from '#history/history.ts'
import {
  partsFrom,
  USUAL_KNOWN_MS,
  USUAL_MS,
  usualBars,
  usualOf as usualOfParts,
  usualValues,
  withPart,
  type UsualPart,
} from '#history/usual.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createKept } from './store/kept-history.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Sums of polls that are `everyMs` apart from 0 on. */
function minutesOf(polls: readonly Partial<Sample>[], everyMs: number, stepMs = MINUTE) {
  const series = createSeries()
  for (const [place, given] of polls.entries())
    appendSample(
      series,
      { node: 'n', atMs: place * everyMs, latencyMs: 5, everyMs, outcome: 'answered', ...given },
      1e7,
    )
  return rollSeries(series, { fromMs: 0, toMs: polls.length * everyMs }, stepMs, false)
}

/** Of sums in one piece, and the same of them cut in two anywhere. */
function usualOf(minutes: Rollup, query: { toMs: number; barMs: number }): Usual {
  const whole = usualOfParts([{ minutes, fromMs: 0, toMs: query.toMs }], query)
  const cutMs = (minutes.startMs.at(-1) ?? 0) / 3
  const parts = [
    { minutes, fromMs: 0, toMs: cutMs },
    { minutes, fromMs: cutMs, toMs: query.toMs },
  ]
  expect(usualOfParts(parts, query)).toEqual(whole)
  return whole
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
  it('keeps of a part that reaches further back only what counts', () => {
    const minutes = of(3 * 60, (place) => ({ participation: place / 1_000 }))
    const parts = [
      { minutes, fromMs: 0, toMs: HOUR },
      { minutes, fromMs: HOUR, toMs: 3 * HOUR },
    ]
    const [part, ...others] = partsFrom(parts, 2 * HOUR)
    expect(others).toEqual([])
    expect([part?.fromMs, part?.toMs]).toEqual([2 * HOUR, 3 * HOUR])
    expect([part?.minutes.startMs.length, part?.minutes.startMs[0]]).toEqual([60, 2 * HOUR])
    expect(partsFrom(parts, 0)).toEqual(parts)
    expect(partsFrom(parts, 3 * HOUR)).toEqual([])
  })

  it('holds seven days and their parts, however many weeks it goes on', () => {
    let parts: readonly UsualPart[] = [{ minutes: of(0, () => ({})), fromMs: -7 * DAY, toMs: 0 }]
    for (let hour = 0; hour < 21 * 24; hour++) {
      const hours = { fromMs: hour * HOUR, toMs: (hour + 1) * HOUR }
      const series = createSeries()
      for (let place = 0; place < 60; place++)
        appendSample(
          series,
          {
            node: 'n',
            atMs: hours.fromMs + place * MINUTE,
            latencyMs: 5,
            everyMs: MINUTE,
            outcome: 'answered',
          },
          1e7,
        )
      parts = partsFrom(
        withPart(parts, { ...hours, minutes: rollSeries(series, hours, MINUTE, false) }),
        hours.toMs - 7 * DAY,
      )
    }
    expect(parts.length).toBeLessThanOrEqual(8)
    const starts = parts.flatMap(({ minutes }) => minutes.startMs)
    expect(starts).toEqual(Array.from({ length: 7 * 24 * 60 }, (_, place) => (14 * 24 * 60 + place) * MINUTE))
  })

  it('counts each minute once, however much was read beside an hour', () => {
    const minutes = of(3 * 60, () => ({ threatResponsesIncrease: 1 }))
    let parts: readonly UsualPart[] = []
    for (let hour = 0; hour < 3; hour++)
      parts = withPart(parts, { minutes, fromMs: hour * HOUR, toMs: (hour + 1) * HOUR })
    expect(parts.flatMap((part) => part.minutes.startMs)).toEqual(minutes.startMs)
    expect(parts.flatMap((part) => part.minutes.outcomeMs.get(ANSWERED) ?? [])).toEqual(
      minutes.startMs.map(() => MINUTE),
    )
  })

  it('of what comes each minute is as many in each hour, after a day and a half of them', async () => {
    const kept = await watched()
    for (let hour = 0; hour < 36; hour++) {
      await kept.watch(['s!1'], 60, MINUTE, { threatResponsesIncrease: 1 })
      await kept.history.maintain()
      await kept.read()
    }
    const read = await kept.read()
    expect(read?.['threatResponses']).toEqual([15, 60])
    expect(read).toEqual(await kept.anew())
  })

  it('holds no more of a node that fails in many ways and changes its status than of one that is well', () => {
    const held = (give: (place: number) => Partial<Sample>): number => {
      const hours = (from: number) => ({
        fromMs: from * HOUR,
        toMs: (from + 1) * HOUR,
        minutes: of(60, give),
      })
      return withPart(withPart([], hours(0)), hours(1))
        .flatMap(({ minutes }) => [minutes.polls, minutes.outcomeMs, ...minutes.metrics.map(columnsOf)])
        .reduce((columns, by) => columns + by.size, 0)
    }
    const columnsOf = (rolled: Rollup['metrics'][number]) =>
      rolled.metric.kind === 'state' ? rolled.columns : new Set(['one'])
    const failures = ['timeout', 'unreachable', 'cut-off', 'not-json', 'redirected'] as const
    expect(
      held((place) =>
        place % 2 === 0
          ? { status: `S${place}` }
          : { outcome: failures[place % failures.length] ?? 'timeout' },
      ),
    ).toBe(held(() => ({ status: 'ACTIVE' })))
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

  it('of another width of bars reads nothing', async () => {
    const kept = await watched()
    const { threatResponses: threats } = (await kept.read()) ?? {}
    const before = kept.storage.rowsRead
    const wider = (await kept.read(2 * HOUR)) ?? {}
    expect(kept.storage.rowsRead).toBe(before)
    expect([threats, wider['threatResponses']]).toEqual([
      [15, 15],
      [30, 30],
    ])
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
      addTo(rollup.polls, ANSWERED, row, count, value?.count ?? 1)
      addTo(rollup.outcomeMs, ANSWERED, row, count, knownMs)
      columnOf('c', 'increase')[row] = increase
      if (value === undefined) continue
      for (const name of ['min', 'max', 'sum', 'count'] as const) columnOf('v', name)[row] = value[name]
    }
    return rollup
  }
  const A_DAY = DAY / MINUTE
  const minutesAfter = (count: number) => Array.from({ length: count }, (_, row) => DAY + row * MINUTE)
  const valuesIn = (give: (row: number) => Minute, count = A_DAY, plain = false) =>
    usualValues(
      [{ minutes: minutesFrom(count, give, plain), fromMs: 0, toMs: count * MINUTE }],
      count * MINUTE,
    )
  const barsIn = (count: number, barMs: number, give: (row: number) => Minute) =>
    usualBars([{ minutes: minutesFrom(count, give), fromMs: 0, toMs: count * MINUTE }], count * MINUTE, barMs)

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

  it('of twenty is the lowest, and below the highest', () => {
    expect(valuesIn(() => ({ value: { min: 1, max: 90, sum: 1 + 90 + 18 * 7, count: 20 } }))).toEqual({
      v: [1, 7],
    })
  })

  it('is not of what comes later', () => {
    const later = { min: 90, max: 90, sum: 90 * 5_000, count: 5_000 }
    const minutes = minutesFrom(A_DAY + 1, (row) => ({
      value: row < A_DAY ? { min: 4, max: 4, sum: 4, count: 1 } : later,
      increase: 1,
    }))
    expect(usualValues([{ minutes, fromMs: 0, toMs: DAY }], DAY)).toEqual({ v: [4, 4] })
    const parts = [
      { minutes, fromMs: 0, toMs: DAY / 2 + HOUR },
      { minutes, fromMs: DAY / 2 + HOUR, toMs: DAY },
    ]
    expect(usualBars(parts, DAY, 2 * HOUR)).toEqual({ c: [120, 120] })
  })

  it('is told of parts of which some know nothing of it, or know it as another kind', () => {
    const minutes = minutesFrom(A_DAY, () => ({
      value: { min: 4, max: 4, sum: 4, count: 1 },
      increase: 1,
    }))
    const known = { minutes, fromMs: 0, toMs: DAY }
    for (const metrics of [
      [],
      [
        { id: 'c', kind: 'gauge' },
        { id: 'v', kind: 'counter' },
      ] as const,
    ]) {
      const other = createRollup(MINUTE, false, metrics, minutesAfter(60))
      const parts = [known, { minutes: other, fromMs: DAY, toMs: DAY + HOUR }]
      expect(usualValues(parts, DAY + HOUR)).toEqual({ v: [4, 4] })
      expect(usualBars(parts, DAY + HOUR, HOUR)['c']).toEqual([60, 60])
    }
  })

  it('of bars is 0 while a node was watched without the counter, whether parts are joined or not', () => {
    const minutes = minutesFrom(A_DAY, () => ({ increase: 1 }))
    for (const metrics of [[], [{ id: 'c', kind: 'gauge' }] as const]) {
      const other = createRollup(MINUTE, false, metrics, minutesAfter(120))
      for (let row = 0; row < 120; row++) addTo(other.outcomeMs, ANSWERED, row, 120, MINUTE)
      const toMs = DAY + 2 * HOUR
      const parts = [
        { minutes, fromMs: 0, toMs: DAY },
        { minutes: other, fromMs: DAY, toMs },
      ]
      const joined = [{ minutes: addRollups([minutes, other], MINUTE), fromMs: 0, toMs }]
      expect(usualBars(parts, toMs, 2 * HOUR)).toEqual({ c: [0, 120] })
      expect(usualBars(joined, toMs, 2 * HOUR)).toEqual({ c: [0, 120] })
    }
  })

  it('has no middle of one or two', () => {
    const odd = { min: 4, max: 6, sum: 999, count: 2 }
    expect(valuesIn(() => ({ value: odd }))).toEqual({ v: [4, 6] })
    expect(valuesIn(() => ({ value: { ...odd, count: 1 } }))).toEqual({ v: [4, 4] })
  })

  it('lies within them, also where their sum was rounded', () => {
    expect(valuesIn(() => ({ value: { min: 2, max: 3, sum: 40, count: 5 } }))).toEqual({ v: [2, 3] })
    expect(valuesIn(() => ({ value: { min: 2, max: 2, sum: 201, count: 100 } }))).toEqual({ v: [2, 2] })
    expect(valuesIn(() => ({ value: { min: 2, max: 2, sum: 199, count: 100 } }))).toEqual({ v: [2, 2] })
  })

  it('is told of what has a distribution alone, and of nothing that never came', () => {
    const value = { min: 4, max: 6, sum: 10, count: 2 }
    expect(valuesIn(() => ({ value }), A_DAY, true)).toEqual({})
    expect(valuesIn(() => ({}))).toStrictEqual({})
    expect(valuesIn(() => ({ value: { ...value, count: 0 } }))).toEqual({})
    expect(usualValues([], DAY)).toEqual({})
  })

  it('is told from a day on of time in which the value came', () => {
    const value = { min: 4, max: 4, sum: 4, count: 1 }
    expect(valuesIn((row) => (row < A_DAY ? { value } : {}), 2 * A_DAY)).toEqual({ v: [4, 4] })
    expect(valuesIn((row) => (row < A_DAY - 1 ? { value } : {}), 2 * A_DAY)).toEqual({})
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

  it('of bars on multiples of their width since 1970 adds up over parts', () => {
    const minutes = minutesFrom(A_DAY + 30, (row) => ({ increase: row < 30 ? 0 : 1 }))
    const parts = [
      { minutes, fromMs: 30 * MINUTE, toMs: 90 * MINUTE },
      { minutes, fromMs: 90 * MINUTE, toMs: DAY + 30 * MINUTE },
    ]
    // The first half hour is watched by no part, so that the first bar is no whole one.
    expect(usualBars(parts, DAY + 30 * MINUTE, HOUR)).toEqual({ c: [60, 60] })
    expect(usualBars(parts, DAY + 29 * MINUTE, HOUR)).toEqual({})
  })

  it('has parts that are as they were where they begin in time', () => {
    const part = { minutes: minutesFrom(120, () => ({})), fromMs: HOUR, toMs: 2 * HOUR }
    expect(partsFrom([part], HOUR)[0]).toBe(part)
    expect(partsFrom([part], 2 * HOUR)).toEqual([])
    const [cut] = partsFrom([part], 2 * HOUR - 1)
    expect([cut?.fromMs, cut?.minutes.startMs]).toEqual([2 * HOUR - 1, []])
    const [last] = partsFrom([part], 2 * HOUR - MINUTE)
    expect(last?.minutes.startMs).toEqual([2 * HOUR - MINUTE])
  })

  it('joins what follows up to a day, and begins anew then', () => {
    const part = (fromMs: number, toMs: number): UsualPart => ({
      minutes: minutesFrom(toMs / MINUTE, () => ({})),
      fromMs,
      toMs,
    })
    const spans = (parts: readonly UsualPart[]) => parts.map(({ fromMs, toMs }) => [fromMs, toMs])
    const first = withPart([], part(0, HOUR))
    expect(spans(first)).toEqual([[0, HOUR]])
    expect(spans(withPart(first, part(HOUR, DAY)))).toEqual([[0, DAY]])
    const two = withPart(first, part(HOUR, DAY + MINUTE))
    expect(spans(two)).toEqual([
      [0, HOUR],
      [HOUR, DAY + MINUTE],
    ])
    expect(two.map(({ minutes }) => minutes.startMs.length)).toEqual([60, A_DAY + 1 - 60])
    expect(spans(withPart(two, part(DAY + MINUTE, DAY + HOUR)))).toEqual([
      [0, HOUR],
      [HOUR, DAY + HOUR],
    ])
  })

  it('holds of a part only answers, counters and what has a distribution', () => {
    const minutes = of(5, (place) => ({
      outcome: place === 2 ? 'timeout' : 'answered',
      stake: 1,
      status: 'ACTIVE',
    }))
    const [part] = withPart([], { minutes, fromMs: 0, toMs: 5 * MINUTE })
    expect(part?.minutes.metrics.map(({ metric }) => metric.id)).toEqual([
      'participation',
      'threatResponses',
      'heartbeat',
      'answerTime',
    ])
    expect(
      part && [Array.from(part.minutes.polls.keys()), Array.from(part.minutes.outcomeMs.keys())],
    ).toEqual([[ANSWERED], [ANSWERED]])
  })
})
