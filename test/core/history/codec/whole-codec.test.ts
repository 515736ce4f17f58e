import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  createReader,
  createWriter,
  guarded,
  reserve,
  writeSigned,
  writeVarint,
  written,
} from '#history/codec/byte-stream.ts'
import { putWholes, readWholes } from '#history/codec/whole-codec.ts'

/** The same, the slow way: all differences first, then each stretch of zeros. */
function naive(values: readonly number[], grain: number, near: readonly number[] | undefined): Uint8Array {
  const writer = createWriter(1)
  const differences = values.flatMap((value, place) => {
    if (Number.isNaN(value)) return []
    const before = values.slice(0, place).findLast((one) => !Number.isNaN(one))
    return [{ by: value - (near?.[place] ?? before ?? 0), isFirst: before === undefined }]
  })
  while (differences.length > 0) {
    const zeros = differences.findIndex(({ by }) => by !== 0)
    const length = zeros < 0 ? differences.length : zeros
    if (length > 0) writeSigned(writer, 0)
    if (length > 1) {
      writeSigned(writer, 0)
      writeVarint(writer, length - 2)
    }
    differences.splice(0, length)
    const next = differences.shift()
    if (next !== undefined) writeSigned(writer, next.isFirst ? next.by : next.by / grain)
  }
  return written(writer)
}

const whole = fc.oneof(fc.constantFrom(0, 0, 0, 1, Number.NaN), fc.integer({ min: -(2 ** 40), max: 2 ** 40 }))

it('whole numbers are written as the slow way writes them, and come back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(whole, fc.constantFrom(0, 0, 5))),
      fc.boolean(),
      fc.constantFrom(1, 1_000),
      (pairs, isNear, grain) => {
        const near = isNear ? Float64Array.from(pairs, ([, one]) => one * grain) : undefined
        // Off the grain as the first may be; what follows lies on it from there.
        const values = pairs.map(([value]) => value * grain + (isNear ? 0 : 7))
        const writer = createWriter(1)
        reserve(writer, values.length)
        const form = { scale: 1, grain, near }
        const { place, at } = putWholes(writer.bytes, 0, Float64Array.from(values), 0, values.length, form)
        expect(place).toBe(values.length)
        expect(writer.bytes.slice(0, at)).toEqual(naive(values, grain, near && Array.from(near)))
        const read = values.map((value) => (Number.isNaN(value) ? value : 0))
        const reader = createReader(writer.bytes.slice(0, at))
        readWholes(reader, values.length, read, form)
        expect(read).toEqual(values)
        expect(reader.at).toBe(at)
      },
    ),
  )
})

it.each([
  ['is not whole', [1, 2, 2.5], 1, 1, 2],
  ['is not whole with so many digits', [0.1, 0.25], 10, 1, 1],
  ['is too big', [2 ** 51 + 1], 1, 1, 0],
  ['is too big with so many digits', [2 ** 51], 10, 1, 0],
  ['is too small', [-(2 ** 51) - 1], 1, 1, 0],
  ['is too far from the one before', [1, -(2 ** 51), 2 ** 51], 1, 1, 2],
  ['lies off the grain', [7, 1_007, 1_008], 1, 1_000, 2],
])('the first number that %s is named', (_, values, scale, grain, place) => {
  const form = { scale, grain, near: undefined }
  const put = putWholes(new Uint8Array(64), 0, Float64Array.from(values), 0, values.length, form)
  expect(put.place).toBe(place)
})

it.each([
  [1, 2 ** 51],
  [1, -(2 ** 51)],
  [10, 2 ** 50 / 5],
])('with the scale %d, %d is not too big', (scale, value) => {
  const values = Float64Array.of(value, -Math.abs(value))
  const form = { scale, grain: 1, near: undefined }
  const bytes = new Uint8Array(64)
  const { place, at } = putWholes(bytes, 0, values, 0, 2, form)
  expect(place).toBe(2)
  const read = [0, 0]
  readWholes(createReader(bytes.slice(0, at)), 2, read, form)
  expect(read).toEqual(Array.from(values))
})

it('as far apart as a number that is written can say, two are written', () => {
  const values = Float64Array.of(-(2 ** 51) + 1, 2 ** 51)
  expect(putWholes(new Uint8Array(64), 0, values, 0, 2, { scale: 1, grain: 1, near: undefined }).place).toBe(
    2,
  )
})

it.each([
  [0, [0, 0]],
  [1, undefined],
])('numbers that go as expected %d times more than there are rows are read as %j', (more, values) => {
  const read = guarded(() => {
    const column = [0, 0]
    const form = { scale: 1, grain: 1, near: undefined }
    readWholes(createReader(Uint8Array.of(0, 0, more)), 2, column, form)
    return column
  })
  expect(read).toEqual(values)
})
