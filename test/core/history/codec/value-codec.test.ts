import { describe, expect, it } from 'vitest'
import { createReader, createWriter, written } from '#history/codec/byte-stream.ts'
import { readValues, writeValues } from '#history/codec/value-codec.ts'
import {
  addPollTime,
  addRow,
  addTo,
  createRollup,
  rolledValues,
  type RolledValues,
  type Rollup,
  type ValueColumns,
} from '#history/rollup.ts'
import { ANSWERED } from '#history/series.ts'

type Kind = 'gauge' | 'timestamp'
type Row = Readonly<Record<keyof ValueColumns, number>>
const COLUMNS = ['min', 'max', 'first', 'last', 'sum', 'count'] as const

const STEP_MS = 60_000
const ROWS = 100
const FIRST_MS = 7_000
const LAST_MS = 47_000

function valuesOf(rollup: Rollup): RolledValues {
  const rolled = rolledValues(rollup, 'v')
  if (rolled === undefined) throw new Error('no values')
  return rolled
}

/** In each step the polls began at the same times; every answer had a value, unless `answers` says else. */
function rollupOf(
  kind: Kind,
  rowOf: (row: number) => Row,
  answers: (row: number) => number,
  rows = ROWS,
): Rollup {
  const rollup = createRollup(STEP_MS, false, [{ id: 'v', kind }])
  const { values } = valuesOf(rollup)
  for (let row = 0; row < rows; row++) {
    addRow(rollup, row * STEP_MS)
    const given = rowOf(row)
    for (const name of COLUMNS) values[name][row] = given[name]
    addPollTime(rollup, row, FIRST_MS)
    addPollTime(rollup, row, LAST_MS)
    addTo(rollup.polls, ANSWERED, row, row + 1, answers(row))
  }
  return rollup
}

/** Bytes that the values take; they come back as they were. */
function sizeOf(
  kind: Kind,
  rowOf: (row: number) => Row,
  answers: (row: number) => number = (row) => rowOf(row).count,
): number {
  const rollup = rollupOf(kind, rowOf, answers)
  const writer = createWriter()
  writeValues(writer, rollup, valuesOf(rollup))
  const reader = createReader(written(writer))
  const read = rollupOf(kind, () => ({ min: 0, max: 0, first: 0, last: 0, sum: 0, count: 0 }), answers)
  readValues(reader, read, valuesOf(read))
  expect(valuesOf(read).values).toEqual(valuesOf(rollup).values)
  expect(reader.at).toBe(writer.at)
  return writer.at
}

/** Off by another amount in each row, so that it takes a byte of each. */
const odd = (row: number): number => 1 + (row % 3)

/** What a column takes where it is not what the others let expect. */
const takesMore = (kind: Kind, rowOf: (row: number) => Row, name: keyof ValueColumns): number =>
  sizeOf(kind, (row) => ({ ...rowOf(row), [name]: rowOf(row)[name] + odd(row) })) - sizeOf(kind, rowOf)

const gauge = (row: number, given: Partial<Row> = {}): Row => {
  const last = row * 10
  const first = Math.max(0, last - 10)
  return { first, last, min: first, max: last, count: 2, sum: first + last, ...given }
}

describe('the values of a gauge take next to nothing', () => {
  it('where each step begins with what the one before ended with', () => {
    // What a step ends with, and what the others are then: two bytes a row at most.
    expect(sizeOf('gauge', gauge)).toBeLessThan(150)
    expect(
      takesMore('gauge', (row) => ({ ...gauge(row), min: -5, max: 5_000, sum: 7 }), 'first'),
    ).toBeGreaterThan(80)
  })

  it('where steps without a value lie between', () => {
    const none = { first: Number.NaN, last: Number.NaN, min: Number.NaN, max: Number.NaN, count: 0, sum: 0 }
    const level = { first: 500, last: 500, min: 500, max: 500, count: 1, sum: 500 }
    const rowOf = (row: number): Row => (row % 2 === 0 ? level : none)
    const holes = sizeOf('gauge', rowOf)
    expect(takesMore('gauge', rowOf, 'first')).toBeGreaterThan(40)
    // Which steps are without is said of four columns, a byte or two a row.
    expect(holes).toBeLessThan(4 * 110 + 130)
  })

  it('where every answer has a value', () => {
    const level = (row: number): Row => ({ ...gauge(0), count: 2 + (row % 3), sum: 0 })
    const [same, other] = [sizeOf('gauge', level), sizeOf('gauge', level, () => 9)]
    expect(other - same).toBeGreaterThan(90)
  })

  it('where the lowest and the highest are the first and the last', () => {
    const falling = (row: number): Row => ({ ...gauge(row), min: gauge(row).first, max: gauge(row).last })
    expect(takesMore('gauge', (row) => ({ ...falling(row), sum: 7 }), 'min')).toBeGreaterThan(90)
    expect(takesMore('gauge', (row) => ({ ...falling(row), sum: 7 }), 'max')).toBeGreaterThan(90)
    const turned = (row: number): Row => {
      const last = 5_000 - row * 10
      return { first: last + 10, last, min: last, max: last + 10, count: 2, sum: 2 * last + 10 }
    }
    expect(Math.abs(sizeOf('gauge', turned) - sizeOf('gauge', gauge))).toBeLessThan(10)
  })

  it.each<[string, (row: number) => Row]>([
    ['that of a single value', (row) => ({ first: row, last: row, min: row, max: row, count: 1, sum: row })],
    ['that of no value', (row) => ({ first: row, last: row, min: row, max: row, count: 0, sum: 0 })],
    ['the first and the last of two', (row) => gauge(row)],
    ['the first and the last of two, whatever the extremes', (row) => gauge(row, { min: -3, max: 9_999 })],
    [
      'first, last and a lowest one of three',
      (row) => gauge(row, { min: -30, count: 3, sum: gauge(row).sum - 30 }),
    ],
    [
      'first, last and a highest one of three',
      (row) => gauge(row, { max: 5_000, count: 3, sum: gauge(row).sum + 5_000 }),
    ],
    [
      'first, last and both extremes of four',
      (row) => gauge(row, { min: -30, max: 5_000, count: 4, sum: gauge(row).sum + 4_970 }),
    ],
    [
      'with the others in the middle of the extremes',
      (row) => gauge(row, { min: -30, max: 5_000, count: 7, sum: gauge(row).sum + 4_970 + 3 * 2_485 }),
    ],
    [
      'with the others in the middle, where first and last are the extremes',
      (row) => gauge(row, { count: 4, sum: gauge(row).sum * 2 }),
    ],
  ])('where the sum is %s', (_, rowOf) => {
    expect(takesMore('gauge', rowOf, 'sum')).toBeGreaterThan(90)
  })
})

describe('the values of an age take next to nothing', () => {
  /** It grew from poll to poll, and through the time between two steps. */
  const age = (row: number, given: Partial<Row> = {}): Row => {
    const first = 1_000 + row * STEP_MS
    const last = first + LAST_MS - FIRST_MS
    return { first, last, min: first, max: last, count: 2, sum: first + last, ...given }
  }

  it('where it grows with time', () => {
    expect(sizeOf('timestamp', age)).toBeLessThan(100)
    // A gauge that does the same is not expected to.
    expect(sizeOf('gauge', age)).toBeGreaterThan(300)
  })

  it('where it falls by whole seconds', () => {
    const beats = (row: number): Row => {
      const { first, last } = age(row)
      const by = row * 17_000
      return {
        first: first - by,
        last: last - by,
        min: first - by,
        max: last - by,
        count: 2,
        sum: first + last - 2 * by,
      }
    }
    const off = (row: number): Row => {
      const { first, last } = beats(row)
      const by = row * row
      return {
        first: first - by,
        last: last - by,
        min: first - by,
        max: last - by,
        count: 2,
        sum: first + last - 2 * by,
      }
    }
    expect(sizeOf('timestamp', off) - sizeOf('timestamp', beats)).toBeGreaterThan(90)
    // What a step begins and what it ends with take a byte each.
    expect(sizeOf('timestamp', beats)).toBeLessThan(260)
  })

  it('through steps without a value', () => {
    const none = { first: Number.NaN, last: Number.NaN, min: Number.NaN, max: Number.NaN, count: 0, sum: 0 }
    const late = sizeOf('timestamp', (row) => (row % 10 === 5 ? none : age(row)))
    expect(late).toBeLessThan(250)
  })

  it.each<[string, (row: number) => Row]>([
    ['that of a single value', (row) => age(row, { count: 1, sum: age(row).first })],
    ['the first and the last of two', (row) => age(row, { min: 0 })],
    [
      'the middle of the extremes, so many times',
      (row) => age(row, { min: 0, count: 4, sum: 2 * age(row).max }),
    ],
  ])('where the sum is %s', (_, rowOf) => {
    expect(takesMore('timestamp', rowOf, 'sum')).toBeGreaterThan(90)
  })
})

it('single values that stay, and a step without one between them, are written as these bytes', () => {
  const none = { first: Number.NaN, last: Number.NaN, min: Number.NaN, max: Number.NaN, count: 0, sum: 0 }
  const level = { first: 500, last: 500, min: 500, max: 500, count: 1, sum: 500 }
  const rowOf = (row: number): Row => (row === 1 ? none : level)
  const rollup = rollupOf('gauge', rowOf, (row) => rowOf(row).count, 3)
  const writer = createWriter()
  writeValues(writer, rollup, valuesOf(rollup))
  const asExpected = [4, 0, 0, 0, 1]
  const withHole = [4, 3, 1, 1, 1]
  const onceNew = [...withHole, 232, 7, 0]
  const likeThese = [...withHole, 0, 0, 0]
  expect(Array.from(written(writer))).toEqual(
    [asExpected, onceNew, onceNew, likeThese, likeThese, asExpected].flat(),
  )
})
