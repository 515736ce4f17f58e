import { describe, expect, it } from 'vitest'
import { plain, rolledIn, VALUES } from '#test/core/history/samples.ts'
import type { StoredMetric } from '#history/series.ts'
import { BUCKETS, EMPTY_HISTOGRAM } from '#history/histogram.ts'
import { createWriter, writeByte, writeVarint, written } from '#history/codec/byte-stream.ts'
import { ROWS_MAX } from '#history/codec/column-codec.ts'
import { decodeRollup, encodeRollup } from '#history/codec/rollup-codec.ts'
import {
  addPollTime,
  addRollups,
  addRow,
  addTo,
  createRollup,
  cutRows,
  rolledMetric,
  rolledValues,
  takeRows,
  tidySum,
  type Rollup,
} from '#history/rollup.ts'

/** A roll-up of these steps, with one value of the stake in each. */
function rollupOf(stepMs: number, rows: readonly (readonly [number, number])[], withSpread = false): Rollup {
  const rollup = createRollup(stepMs, withSpread)
  for (const [startMs, value] of rows) {
    const row = addRow(rollup, startMs)
    const { min, max, first, last, sum, count } = rolledIn(rollup).values.stake
    min[row] = max[row] = first[row] = last[row] = sum[row] = value
    count[row] = 1
    const rolled = rolledIn(rollup)
    rolled.increase[row] = value
    rolled.restarts[row] = 1
    rolled.changes[row] = 2
    addTo(rollup.polls, 0, row, row + 1, 1)
    addPollTime(rollup, row, 5)
    const { answerTime } = rolled.spread
    if (answerTime !== undefined) answerTime[row] = { buckets: [row + 1], counts: [2] }
  }
  return rollup
}

describe('a sum', () => {
  it.each([
    [0.1 + 0.2, 0.3],
    [-0.1 - 0.2, -0.3],
    [1.234_567_8, 1.234_568],
    [-1e-9, 0],
    [999_999_999.123_456_7, 999_999_999.123_457],
    [1e9, 1e9],
    [1e9 + 2 ** -23, 1e9 + 2 ** -23],
    [-1e9 - 2 ** -23, -1e9 - 2 ** -23],
    [2 ** 53, 2 ** 53],
  ])('of %d is kept as %d', (sum, kept) => {
    expect(tidySum(sum)).toBe(kept)
  })
})

describe('roll-ups together', () => {
  it('are in order of time, and where two hold a step the earlier roll-up comes first', () => {
    const whole = addRollups(
      [
        rollupOf(10, [
          [10, 1],
          [30, 2],
        ]),
        rollupOf(10, [
          [0, 4],
          [20, 8],
          [30, 16],
        ]),
      ],
      10,
    )
    expect(whole.startMs).toEqual([0, 10, 20, 30])
    expect(rolledIn(whole).values.stake).toEqual({
      min: [4, 1, 8, 2],
      max: [4, 1, 8, 16],
      first: [4, 1, 8, 2],
      last: [4, 1, 8, 16],
      sum: [4, 1, 8, 18],
      count: [1, 1, 1, 2],
    })
    expect(rolledIn(whole).increase).toEqual([4, 1, 8, 18])
    expect(rolledIn(whole).restarts).toEqual([1, 1, 1, 2])
    expect(rolledIn(whole).changes).toEqual([2, 2, 2, 4])
    expect(whole.polls).toEqual(new Map([[0, [1, 1, 1, 2]]]))
  })

  it('at a longer step hold sums, extremes and the times of polls of all their steps', () => {
    const rows = [
      [10, 5],
      [20, 3],
      [30, 9],
    ] as const
    const whole = addRollups([rollupOf(10, rows)], 40)
    expect(whole.startMs).toEqual([0])
    expect(rolledIn(whole).values.stake).toEqual({
      min: [3],
      max: [9],
      first: [5],
      last: [9],
      sum: [17],
      count: [3],
    })
    expect([whole.firstPollMs, whole.lastPollMs]).toEqual([[15], [35]])
  })

  it('are of nothing where there are none, and hold no distribution then', () => {
    expect(addRollups([], 10)).toEqual(createRollup(10, false))
  })

  it('hold a distribution only where every one does', () => {
    const [withOne, without] = [rollupOf(10, [[0, 1]], true), rollupOf(10, [[0, 1]])]
    expect(addRollups([withOne, without], 10).withSpread).toBe(false)
    expect(rolledIn(addRollups([withOne, without], 10)).spread.answerTime).toBeUndefined()
    expect(addRollups([without, withOne], 10).withSpread).toBe(false)
    expect(rolledIn(addRollups([without, withOne], 10)).spread.answerTime).toBeUndefined()
    expect(rolledIn(addRollups([withOne, withOne], 10)).spread.answerTime).toEqual([
      { buckets: [1], counts: [4] },
    ])
  })

  it('of other values know nothing of a value that no part has', () => {
    const whole = addRollups([rollupOf(10, [[0, 1]]), rollupOf(10, [[0, 2]])], 10)
    for (const name of VALUES.filter((one) => one !== 'stake'))
      expect(rolledIn(whole).values[name]).toEqual({
        min: [Number.NaN],
        max: [Number.NaN],
        first: [Number.NaN],
        last: [Number.NaN],
        sum: [0],
        count: [0],
      })
  })

  it('have no column for what did not occur in the rows that are taken', () => {
    const part = rollupOf(
      10,
      [
        [0, 1],
        [10, 2],
        [20, 4],
      ],
      true,
    )
    addTo(rolledIn(part).statusMs, 'ACTIVE', 0, 3, 7)
    addTo(rolledIn(part).statusMs, 'IDLE', 2, 3, 9)
    const taken = takeRows(part, 1, 3)
    expect(taken.startMs).toEqual([10, 20])
    expect(rolledIn(taken).values.stake.sum).toEqual([2, 4])
    expect(rolledIn(taken).statusMs).toEqual(new Map([['IDLE', [0, 9]]]))
    expect([taken.firstPollMs, taken.lastPollMs]).toEqual([
      [5, 5],
      [5, 5],
    ])
    expect(rolledIn(taken).spread.answerTime).toEqual([
      { buckets: [2], counts: [2] },
      { buckets: [3], counts: [2] },
    ])
    expect(rolledIn(taken).spread.participation).toEqual([EMPTY_HISTOGRAM, EMPTY_HISTOGRAM])
    expect(takeRows(rollupOf(10, [[0, 1]]), 0, 1).withSpread).toBe(false)
  })
})

/** Metrics of every kind. */
const ALL: readonly StoredMetric[] = [
  { id: 'g', kind: 'gauge', distribution: 'values' },
  { id: 't', kind: 'timestamp' },
  { id: 'c', kind: 'counter' },
  { id: 's', kind: 'state' },
  { id: 'f', kind: 'fingerprint' },
]

/** A roll-up of these metrics in which each step says something of all of them, and of its own outcome. */
function saying(metrics: readonly StoredMetric[], starts: readonly number[]): Rollup {
  const rollup = createRollup(10, true, metrics)
  for (const startMs of starts) {
    const row = addRow(rollup, startMs)
    addTo(rollup.polls, startMs, row, row + 1, 2)
    addTo(rollup.outcomeMs, startMs, row, row + 1, 7)
    addPollTime(rollup, row, 3)
    addPollTime(rollup, row, 8)
    for (const rolled of rollup.metrics)
      switch (rolled.kind) {
        case 'gauge':
        case 'timestamp': {
          const { min, max, first, last, sum, count } = rolled.values
          ;[min[row], max[row], first[row], last[row]] = [startMs, startMs + 4, startMs + 1, startMs + 2]
          sum[row] = 2 * startMs + 3
          count[row] = 2
          if (rolled.spread !== undefined) rolled.spread[row] = { buckets: [startMs + 1], counts: [2] }
          break
        }
        case 'counter':
          rolled.increase[row] = startMs + 5
          rolled.restarts[row] = 1
          break
        case 'state':
          addTo(rolled.heldMs, `S${startMs}`, row, row + 1, 6)
          break
        case 'fingerprint':
          rolled.changes[row] = startMs + 6
      }
  }
  return rollup
}

describe('roll-ups that follow each other', () => {
  it('are the same in pieces as in one, row by row and column by column', () => {
    const whole = saying(ALL, [0, 10, 30, 40])
    for (const cut of [0, 1, 3, 4]) {
      const [taken, left] = [takeRows(whole, 0, cut), takeRows(whole, cut, 4)]
      expect(plain(addRollups([taken, left], 10))).toEqual(plain(whole))
      expect(plain(addRollups([left, taken], 10))).toEqual(plain(whole))
      const [columns, others] = [cutRows(whole, 0, cut), cutRows(whole, cut, 4)]
      expect(plain(addRollups([columns, others], 10))).toEqual(plain(whole))
    }
  })

  it('add up where the second begins in the last step of the first', () => {
    const whole = addRollups([saying(ALL, [0, 10]), saying(ALL, [10, 20])], 10)
    expect(whole.startMs).toEqual([0, 10, 20])
    expect(whole.polls).toEqual(
      new Map([
        [0, [2, 0, 0]],
        [10, [0, 4, 0]],
        [20, [0, 0, 2]],
      ]),
    )
    expect(rolledValues(whole, 'g')?.values.count).toEqual([2, 4, 2])
    expect(rolledValues(whole, 'g')?.spread?.[1]).toEqual({ buckets: [11], counts: [4] })
  })

  it.each<[string, readonly number[]]>([
    ['behind', [20, 30]],
    ['in between', [5, 30]],
  ])('know nothing of what only one of them has, with the other one %s', (_, starts) => {
    const whole = addRollups([saying(ALL, [0, 10]), saying([], starts)], 10)
    const rows = whole.startMs.map((startMs) => !starts.includes(startMs))
    for (const id of ['g', 't']) {
      const values = rolledValues(whole, id)?.values
      expect(values?.count).toEqual(rows.map((has) => (has ? 2 : 0)))
      expect(values?.sum).toEqual(whole.startMs.map((at, row) => (rows[row] === true ? 2 * at + 3 : 0)))
      expect(values?.min).toEqual(whole.startMs.map((at, row) => (rows[row] === true ? at : Number.NaN)))
    }
    expect(rolledValues(whole, 'g')?.spread).toHaveLength(rows.length)
    expect(rolledMetric(whole, 'c')).toMatchObject({
      increase: whole.startMs.map((at, row) => (rows[row] === true ? at + 5 : 0)),
      restarts: rows.map((has) => (has ? 1 : 0)),
    })
    expect(rolledMetric(whole, 'f')).toMatchObject({
      changes: whole.startMs.map((at, row) => (rows[row] === true ? at + 6 : 0)),
    })
    expect(rolledMetric(whole, 's')).toMatchObject({
      heldMs: new Map([0, 10].map((at) => [`S${at}`, whole.startMs.map((start) => (start === at ? 6 : 0))])),
    })
  })

  it.each([
    ['behind', [20]],
    ['in between', [5, 30]],
  ])('know nothing of what the other one has as another kind, with that one %s', (_, starts) => {
    const kinds = ['gauge', 'counter', 'state', 'fingerprint'] as const
    for (const kind of kinds)
      for (const other of kinds) {
        if (kind === other) continue
        const whole = addRollups(
          [saying([{ id: 'x', kind }], [0, 10]), saying([{ id: 'x', kind: other }], starts)],
          10,
        )
        const nothing = addRollups([saying([{ id: 'x', kind }], [0, 10]), saying([], starts)], 10)
        expect(plain(whole)).toEqual(plain(nothing))
      }
  })

  it('add up where the second begins in the last of many steps of the first', () => {
    const whole = addRollups([saying(ALL, [0, 10, 20, 30]), saying(ALL, [30])], 10)
    expect(whole.startMs).toEqual([0, 10, 20, 30])
    expect(rolledValues(whole, 'g')?.values.count).toEqual([2, 2, 2, 4])
    const beside = addRollups([saying(ALL, [0, 10, 20]), saying(ALL, []), saying(ALL, [20])], 10)
    expect(beside.startMs).toEqual([0, 10, 20])
  })

  it('have no distribution where one of them has none', () => {
    const without = createRollup(10, false, ALL)
    addRow(without, 20)
    const whole = addRollups([saying(ALL, [0, 10]), without], 10)
    expect([whole.startMs, whole.withSpread, rolledValues(whole, 'g')?.spread]).toEqual([
      [0, 10, 20],
      false,
      undefined,
    ])
  })

  it('are longer where only some of them are as long as is wanted', () => {
    const longer = addRollups([saying(ALL, [0, 10])], 20)
    expect(addRollups([longer, saying(ALL, [20, 30])], 20).startMs).toEqual([0, 20])
    expect(addRollups([saying(ALL, [0, 10]), addRollups([saying(ALL, [20, 30])], 20)], 20).startMs).toEqual([
      0, 20,
    ])
  })

  it('are longer by themselves where a longer step is wanted, also a single one', () => {
    const whole = addRollups([saying(ALL, [0, 10, 30])], 20)
    expect([whole.stepMs, whole.startMs]).toEqual([20, [0, 20]])
    expect([whole.firstPollMs, whole.lastPollMs]).toEqual([
      [3, 13],
      [18, 18],
    ])
  })
})

describe('rows that are cut out', () => {
  it('are those columns alone', () => {
    const rollup = saying(ALL, [0, 10, 20])
    expect(plain(cutRows(rollup, 0, 3))).toEqual(plain(rollup))
    const cut = cutRows(rollup, 1, 2)
    // With a column also for what did not occur in them.
    expect([cut.startMs, cut.polls]).toEqual([
      [10],
      new Map([
        [0, [0]],
        [10, [2]],
        [20, [0]],
      ]),
    ])
    expect(cut.outcomeMs.get(10)).toEqual([7])
    expect(rolledValues(cut, 'g')).toMatchObject({
      values: { min: [10], max: [14], first: [11], last: [12], sum: [23], count: [2] },
      spread: [{ buckets: [11], counts: [2] }],
    })
    expect(rolledMetric(cut, 'c')).toMatchObject({ increase: [15], restarts: [1] })
    expect(rolledMetric(cut, 'f')).toMatchObject({ changes: [16] })
    expect(rolledMetric(cut, 's')).toMatchObject({
      heldMs: new Map([
        ['S0', [0]],
        ['S10', [6]],
        ['S20', [0]],
      ]),
    })
    expect([cut.firstPollMs, cut.lastPollMs]).toEqual([[3], [8]])
  })

  it('are none where the end lies before the start', () => {
    const none = cutRows(saying(ALL, [0, 10, 20]), 2, 1)
    expect([none.startMs, none.firstPollMs, rolledValues(none, 't')?.values.sum]).toEqual([[], [], []])
  })
})

it('what was rolled up of a metric is found by its id, and values only of what has them', () => {
  const rollup = createRollup(10, false, ALL)
  expect(rollup.metrics.map(({ kind }) => kind)).toEqual(ALL.map(({ kind }) => kind))
  expect(['g', 't', 'c', 's', 'f', 'x'].map((id) => rolledValues(rollup, id)?.kind)).toEqual([
    'gauge',
    'timestamp',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(rolledMetric(rollup, 'c')?.kind).toBe('counter')
  expect([rolledValues(rollup, 'g')?.spread, rolledValues(createRollup(10, true, ALL), 'g')?.spread]).toEqual(
    [undefined, []],
  )
  expect(rolledValues(createRollup(10, true, ALL), 't')?.spread).toBeUndefined()
})

describe('the times of polls in a step', () => {
  it('are the first and the last, in whatever order they come', () => {
    const rollup = createRollup(100, false)
    addRow(rollup, 0)
    addPollTime(rollup, 0, Number.NaN)
    expect([rollup.firstPollMs, rollup.lastPollMs]).toEqual([[Number.NaN], [Number.NaN]])
    for (const atMs of [50, 80, 20, Number.NaN, 30]) addPollTime(rollup, 0, atMs)
    expect([rollup.firstPollMs, rollup.lastPollMs]).toEqual([[20], [80]])
  })
})

const back = (rollup: Rollup) => {
  const decoded = decodeRollup(encodeRollup(rollup))
  return decoded && plain(decoded)
}

describe('the bytes of a roll-up', () => {
  it('give back what was empty as well', () => {
    for (const withSpread of [false, true])
      expect(back(createRollup(60_000, withSpread))).toEqual(plain(createRollup(60_000, withSpread)))
    const none = cutRows(rollupOf(10, [[0, 1]]), 0, 0)
    expect(none.polls).toEqual(new Map([[0, []]]))
    expect(back(none)).toEqual(plain(none))
  })

  it('are few where the sum is what the other values promise', () => {
    const sized = (off: (row: number) => number): number => {
      const rollup = rollupOf(
        10,
        Array.from({ length: 100 }, (_, row) => [row * 10, row * 7] as const),
      )
      const { stake } = rolledIn(rollup).values
      stake.count.fill(5)
      for (let row = 0; row < 100; row++) {
        stake.min[row] = row * 7 - 10
        stake.max[row] = row * 7 + 20
        // First and last, lowest and highest, and one in the middle of these.
        stake.sum[row] = row * 35 + 15 + off(row)
      }
      expect(back(rollup)).toEqual(plain(rollup))
      return encodeRollup(rollup).length
    }
    const asPromised = sized(() => 0)
    expect(sized((row) => row + 1) - asPromised).toBeGreaterThan(95)
    // Once is said what is said of all.
    expect(sized(() => 3) - asPromised).toBe(100 - 3)
  })

  it('are refused where they name a key twice, or an unknown kind of distribution', () => {
    const rollup = rollupOf(10, [[0, 1]])
    expect(back(rollup)).toEqual(plain(rollup))
    const bytes = encodeRollup(rollup)
    // Behind layout, length of a step and rows: whether there are distributions.
    expect(bytes[3]).toBe(0)
    expect(decodeRollup(bytes.with(3, 1))).toBeUndefined()
    expect(decodeRollup(bytes.with(3, 2))).toBeUndefined()
    addTo(rolledIn(rollup).statusMs, 'A', 0, 1, 7)
    addTo(rolledIn(rollup).statusMs, 'B', 0, 1, 7)
    const two = encodeRollup(rollup)
    expect(back(rollup)).toEqual(plain(rollup))
    const twice = two.with(two.lastIndexOf(66), 65)
    expect(decodeRollup(twice)).toBeUndefined()
  })

  it('are refused with more rows than a record may hold', () => {
    const sized = (rows: number) => {
      const writer = createWriter()
      writeByte(writer, 2)
      writeVarint(writer, 60_000)
      writeVarint(writer, rows)
      // No distribution, no metric; starts that do not move, no poll and no outcome.
      for (const number of [0, 0, 4, 0, 0, 0, rows - 2, 0, 0, 0, 0]) writeVarint(writer, number)
      return decodeRollup(written(writer))?.startMs.length
    }
    expect(sized(5)).toBe(5)
    expect(sized(ROWS_MAX + 1)).toBeUndefined()
  })

  it.each([
    [BUCKETS - 1, true],
    [BUCKETS, false],
  ])('with bucket %d are read: %s', (bucket, isRead) => {
    const rollup = rollupOf(10, [[0, 1]], true)
    rolledIn(rollup).spread.answerTime?.splice(0, 1, { buckets: [1, bucket], counts: [1, 1] })
    const decoded = decodeRollup(encodeRollup(rollup))
    if (isRead) expect(decoded && plain(decoded)).toEqual(plain(rollup))
    else expect(decoded).toBeUndefined()
  })

  it('are read with the distributions that are wanted only, and those that are not are looked at for damage', () => {
    const rollup = rollupOf(
      10,
      [
        [0, 1],
        [10, 2],
      ],
      true,
    )
    const many = { buckets: [3, 500], counts: [300, 1] }
    for (const name of ['heartbeat', 'participation'] as const)
      rolledIn(rollup).spread[name]?.splice(0, 2, many, many)
    const bytes = encodeRollup(rollup)
    const none = [EMPTY_HISTOGRAM, EMPTY_HISTOGRAM]
    const spreadOf = (wanted: readonly string[]) => {
      const decoded = decodeRollup(bytes, wanted)
      return decoded && rolledIn(decoded).spread
    }
    const { answerTime } = rolledIn(rollup).spread
    expect(spreadOf(['answerTime'])).toEqual({ heartbeat: none, participation: none, answerTime })
    expect(spreadOf(['participation'])).toEqual({
      heartbeat: none,
      participation: [many, many],
      answerTime: none,
    })
    expect(decodeRollup(bytes.slice(0, -1), [])).toBeUndefined()
  })

  it('give every empty distribution as the same one', () => {
    const decoded = decodeRollup(encodeRollup(rollupOf(10, [[0, 1]], true)))
    expect(decoded && rolledIn(decoded).spread.participation?.[0]).toBe(EMPTY_HISTOGRAM)
  })
})
