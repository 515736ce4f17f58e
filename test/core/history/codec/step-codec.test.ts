import { describe, expect, it } from 'vitest'
import { createReader, createWriter, guarded, written } from '#history/codec/byte-stream.ts'
import {
  readAgainstTime,
  readRuns,
  readTimes,
  runsOf,
  writeAgainstTime,
  writeRuns,
  writeTimes,
} from '#history/codec/step-codec.ts'

describe('runs', () => {
  it.each<[readonly number[], number, number, readonly number[]]>([
    [[], 0, 0, []],
    [[7], 0, 1, [7, 1]],
    [[7, 7, 7], 0, 3, [7, 3]],
    [[7, 7, 0, 7], 0, 4, [7, 2, 0, 1, 7, 1]],
    [[1, 2, 2, 3, 3], 1, 4, [2, 2, 3, 1]],
    [[1, 2, 2], 2, 2, []],
  ])('of %j, from %d to %d, are %j', (codes, start, end, runs) => {
    expect(runsOf(codes, start, end)).toEqual(runs)
    const writer = createWriter()
    writeRuns(writer, codes, start, end)
    expect(Array.from(written(writer))).toEqual(runs)
    const read: number[] = []
    readRuns(createReader(written(writer)), end - start, 8, read)
    expect(read).toEqual(codes.slice(start, end))
  })
})

describe('a part of a column', () => {
  const atMs = [1_000, 2_000, 3_500, 4_000]

  it('of times comes back', () => {
    const writer = createWriter()
    writeTimes(writer, atMs, 1, 3)
    const read: number[] = []
    readTimes(createReader(written(writer)), 2, read)
    expect(read).toEqual([2_000, 3_500])
  })

  it.each([
    ['exact against the time', [990, 1_990, 3_480, 3_970]],
    ['as it is, where it would be rounded', [990, 1_990, 0.1, 3_970]],
  ])('of numbers comes back, %s', (_, values) => {
    const writer = createWriter()
    writeAgainstTime(writer, values, atMs, 1, 3)
    const read: number[] = []
    readAgainstTime(createReader(written(writer)), 2, read, atMs.slice(1, 3))
    expect(read).toEqual(values.slice(1, 3))
  })
})

it('a part of numbers is exact against the time whatever lies behind it', () => {
  const writer = createWriter()
  writeAgainstTime(writer, [990, 1_990, 0.1], [1_000, 2_000, 3_000], 0, 2)
  expect(writer.bytes[0]).toBe(1)
})

describe('numbers against a time', () => {
  const atMs = Array.from({ length: 100 }, (_, row) => row * row * 100)

  it('that stay the same time before it take next to nothing, also with some that are not known', () => {
    const sized = (values: readonly number[]) => {
      const writer = createWriter()
      writeAgainstTime(writer, values, atMs, 0, 100)
      expect(writer.bytes[0]).toBe(1)
      return writer.at
    }
    expect(sized(atMs.map((at) => at - 250))).toBeLessThan(10)
    expect(sized(atMs.map((at, row) => (row === 40 ? Number.NaN : at - 250)))).toBeLessThan(12)
  })

  it('are refused where they are written in an unknown way', () => {
    const read = (form: number) =>
      guarded(() => {
        readAgainstTime(createReader(Uint8Array.of(form, 0)), 1, [], [5])
        return 'read'
      })
    expect([read(0), read(1), read(2)]).toEqual(['read', 'read', undefined])
  })
})

it.each([
  ['is as it is before the time', [0, 990, 1_990, 3_490], [1, 4, 0, 20, 0, 0, 0]],
  ['has one that is not known', [0, 990, Number.NaN, 3_490], [1, 4, 3, 1, 1, 1, 20, 0]],
  ['has one that would be rounded', [0, 1, 0.1, 1], [0, 5, 0, 20, 17, 18]],
])('a part of numbers that %s is written as these bytes', (_, values, bytes) => {
  const atMs = [0, 1_000, 2_000, 3_500]
  const writer = createWriter()
  writeAgainstTime(writer, values, atMs, 1, 4)
  expect(Array.from(written(writer))).toEqual(bytes)
  const read: number[] = []
  readAgainstTime(createReader(written(writer)), 3, read, atMs.slice(1))
  expect(read).toEqual(values.slice(1))
})

it.each([
  ['are numbers', [1_000, 2_000], [1_000, 2_000]],
  ['end with what is no number', [1_000, Number.NaN], undefined],
  ['begin with what is no number', [Number.NaN, 1_000], undefined],
])('times that %s come back, or are refused', (_, atMs, times) => {
  const writer = createWriter()
  writeTimes(writer, atMs, 0, 2)
  const read = guarded(() => {
    const column: number[] = []
    readTimes(createReader(written(writer)), 2, column)
    return column
  })
  expect(read).toEqual(times)
})

it.each([
  ['of all that there is', [7, 2], [7, 7]],
  ['of no length', [7, 0, 7, 2], undefined],
  ['longer than all that there is', [7, 3], undefined],
  ['longer than what is left', [7, 1, 7, 2], undefined],
  ['of a code at the limit', [8, 2], undefined],
])('a run %s is read as it should be, or refused', (_, bytes, codes) => {
  const read = guarded(() => {
    const column: number[] = []
    readRuns(createReader(Uint8Array.from(bytes)), 2, 8, column)
    return column
  })
  expect(read).toEqual(codes)
})
