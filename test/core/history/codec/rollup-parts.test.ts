import { describe, expect, it } from 'vitest'
import { plain, rolledIn, VALUES } from '#test/core/history/samples.ts'
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

describe('the times of polls in a step', () => {
  it('are the first and the last, in whatever order they come', () => {
    const rollup = createRollup(100, false)
    addRow(rollup, 0)
    addPollTime(rollup, 0, Number.NaN)
    expect([rollup.firstPollMs, rollup.lastPollMs]).toEqual([[Number.NaN], [Number.NaN]])
    for (const atMs of [50, 20, Number.NaN, 80]) addPollTime(rollup, 0, atMs)
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
      writeByte(writer, 1)
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
