import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createReader,
  createWriter,
  guarded,
  readSigned,
  readText,
  readVarint,
  writeByte,
  writeSigned,
  writeText,
  writeVarint,
  written,
} from '#history/codec/byte-stream.ts'
import { readNumbers, readRowCount, ROWS_MAX, writeNumbers } from '#history/codec/column-codec.ts'
import {
  readAgainstTime,
  readRuns,
  readTimes,
  writeAgainstTime,
  writeRuns,
  writeTimes,
} from '#history/codec/step-codec.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import type { Sample } from '#history/history.ts'
import { rowsOf, samplesOf, seriesOf } from '#test/core/history/samples.ts'

const back = <T>(
  write: (writer: ReturnType<typeof createWriter>) => void,
  read: (reader: ReturnType<typeof createReader>) => T,
) => {
  const writer = createWriter(1)
  write(writer)
  const reader = createReader(written(writer))
  const value = read(reader)
  expect(reader.at).toBe(writer.at)
  return { value, size: writer.at }
}
const numbersBack = (values: readonly number[], near?: readonly number[], thousands = false) => {
  const expected = { thousands, ...(near && { near }) }
  const read: number[] = []
  const { size } = back(
    (writer) => writeNumbers(writer, values, 0, values.length, expected),
    (reader) => readNumbers(reader, values.length, read, expected),
  )
  return { read, size }
}

describe('bytes', () => {
  it.each([
    [0, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [16_384, 3],
    [2 ** 31 - 1, 5],
    [2 ** 31, 5],
    [2 ** 35, 6],
    [Number.MAX_SAFE_INTEGER, 8],
  ])('keep %d in %d', (value, size) => {
    expect(back((w) => writeVarint(w, value), readVarint)).toEqual({ value, size })
  })

  it('keep a number of either sign, and any text', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 52 - 1), max: 2 ** 52 - 1 }), (value) => {
        expect(back((w) => writeSigned(w, value), readSigned).value).toBe(value)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(back((w) => writeText(w, text), readText).value).toBe(text)
      }),
    )
    expect(back((w) => writeText(w, '\ud800'), readText).value).toBe('\ud800')
  })

  it('that end too soon, or stand for more than 2^53, are refused', () => {
    expect(guarded(() => readVarint(createReader(new Uint8Array([0x80]))))).toBeUndefined()
    expect(guarded(() => readVarint(createReader(new Uint8Array(8).fill(0xff))))).toBeUndefined()
    expect(guarded(() => readText(createReader(new Uint8Array([200, 1, 65]))))).toBeUndefined()
  })

  it('hide no defect of the reader', () => {
    expect(() =>
      guarded(() => {
        throw new TypeError('a bug')
      }),
    ).toThrow('a bug')
  })
})

describe('the rows of a record', () => {
  it.each([
    [0, 0],
    [2_000_000, 2_000_000],
    [2_000_001, undefined],
  ])('of %d are %s: no record of ours has more than two million', (rows, read) => {
    const writer = createWriter()
    writeVarint(writer, rows)
    expect(guarded(() => readRowCount(createReader(written(writer))))).toBe(read)
  })
})

describe('a column of numbers', () => {
  it('comes back bit for bit, whatever is in it and near it', () => {
    const value = fc.oneof(
      fc.constant(Number.NaN),
      fc.integer({ min: -3, max: 3 }),
      fc.integer().map((whole) => whole / 1_000),
      fc.double().map((double) => double + 0),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.double())), (pairs) => {
        const values = pairs.map(([one]) => one)
        expect(numbersBack(values).read).toEqual(values)
        expect(
          numbersBack(
            values,
            pairs.map(([, near]) => near),
          ).read,
        ).toEqual(values)
      }),
    )
  })

  it('comes back where one is big and a later one has digits', () => {
    const values = [548_838_807_524_507, -0.001]
    expect(numbersBack(values).read).toEqual(values)
    expect(numbersBack(values, [0, 0]).read).toEqual(values)
    const least = [2 ** 51, 0.5]
    expect(numbersBack(least).read).toEqual(least)
  })

  it('comes back where two are as far apart as whole numbers can be', () => {
    const values = [-(2 ** 51), 2 ** 51, -(2 ** 51)]
    expect(numbersBack(values).read).toEqual(values)
    expect(numbersBack(values, [2 ** 51, -(2 ** 51), 0]).read).toEqual(values)
    const closer = [-(2 ** 51) + 1, 2 ** 51]
    expect(numbersBack(closer)).toEqual({ read: closer, size: 2 + 2 * 8 })
  })

  it.each([
    ['nothing', Array.from({ length: 1_000 }, () => Number.NaN), 1],
    ['one odd value throughout', Array.from({ length: 1_000 }, () => 0.1 + 0.2), 12],
    ['one value throughout', Array.from({ length: 1_000 }, () => 15_000), 9],
    [
      'a value that is missing at times',
      Array.from({ length: 1_000 }, (_, n) => (n % 500 === 7 ? Number.NaN : 3)),
      14,
    ],
    [
      'few long stretches of odd values',
      Array.from({ length: 1_000 }, (_, n) => (n < 500 ? Math.PI : Math.E)),
      22,
    ],
    ['a counter', Array.from({ length: 1_000 }, (_, n) => 1_000 + n), 1_003],
    ['four decimals', Array.from({ length: 1_000 }, (_, n) => (9_900 + (n % 3)) / 10_000), 1_004],
    ['odd values', Array.from({ length: 1_000 }, (_, n) => Math.sqrt(n + 2)), 8_002],
    ['nine decimals', Array.from({ length: 1_000 }, (_, n) => (123_456_789 + (n % 3)) / 1e9), 1_005],
    ['an odd value twice', [Math.PI, Math.PI], 2 + 2 * 8],
    ['an odd value three times', [Math.PI, Math.PI, Math.PI], 2 + 8 + 1],
  ])('of %s takes little', (_, values, size) => {
    const { read, size: taken } = numbersBack(values)
    expect(read).toEqual(values)
    expect(taken).toBe(size)
  })

  it('that lies near another takes a byte each', () => {
    const near = Array.from({ length: 100 }, (_, n) => n * 1_000)
    expect(
      numbersBack(
        near.map((value) => value + 1),
        near,
      ).size,
    ).toBe(102)
  })

  it('of whole seconds in ms takes a byte a second', () => {
    const beats = Array.from({ length: 100 }, (_, n) => 1_760_000_000_123 + n * 15_000)
    expect(numbersBack(beats, undefined, true)).toEqual({ read: beats, size: 107 })
    expect(numbersBack(beats).size).toBe(305)
    const odd = beats.with(50, 1_760_000_750_124)
    expect(numbersBack(odd, undefined, true)).toEqual(numbersBack(odd))
  })

  it.each([
    ['an unknown kind', [99, 0]],
    ['more digits than there are', [14, 0, 1, 1, 1, 1]],
    ['more of the same than there are rows', [4, 0, 0, 0, 3]],
    ['a run beyond the end', [4, 1, 9]],
    ['runs that end too soon', [4, 1, 3, 1, 1, 1, 1]],
    ['a stretch of no length', [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ])('with %s is refused', (_, bytes) => {
    expect(guarded(() => readNumbers(createReader(new Uint8Array(bytes)), 4, []) ?? 'read')).toBeUndefined()
  })
})

it('numbers against a time come back, also those that would be rounded', () => {
  const pairs = fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 2 ** 42 }),
      fc.oneof(
        fc.constant(Number.NaN),
        fc.integer(),
        fc.double().map((double) => double + 0),
      ),
    ),
  )
  fc.assert(
    fc.property(pairs, fc.boolean(), (given, thousands) => {
      const [times, values] = [given.map(([at]) => at), given.map(([, value]) => value)]
      const read: number[] = []
      back(
        (w) => writeAgainstTime(w, values, times, 0, values.length, { thousands }),
        (r) => readAgainstTime(r, values.length, read, times),
      )
      expect(read).toEqual(values)
    }),
  )
  expect(
    guarded(() => readAgainstTime(createReader(new Uint8Array([2, 0])), 0, [], []) ?? 'read'),
  ).toBeUndefined()
})

it('times that are missing are refused', () => {
  expect(guarded(() => readTimes(createReader(new Uint8Array([0])), 2, []) ?? 'read')).toBeUndefined()
})

it('times and codes come back', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -(2 ** 40), max: 2 ** 41 })), (values) => {
      const read: number[] = []
      back(
        (w) => writeTimes(w, values, 0, values.length),
        (r) => readTimes(r, values.length, read),
      )
      expect(read).toEqual(values)
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 3 })), (values) => {
      const read: number[] = []
      back(
        (w) => writeRuns(w, values, 0, values.length),
        (r) => readRuns(r, values.length, 4, read),
      )
      expect(read).toEqual(values)
    }),
  )
})

it.each([
  ['a code that is not in the list', [4, 4]],
  ['an empty run', [1, 0, 1, 4]],
  ['a run beyond the end', [1, 5]],
  ['a second run beyond the end', [1, 3, 2, 2]],
])('runs with %s are refused', (_, bytes) => {
  expect(guarded(() => readRuns(createReader(new Uint8Array(bytes)), 4, 4, []) ?? 'read')).toBeUndefined()
})

describe('a series', () => {
  it('comes back as it was, whole and in part', () => {
    fc.assert(
      fc.property(samplesOf(100_000, 40), fc.nat(), fc.nat(), (samples, one, other) => {
        const series = seriesOf(samples, new Set([3]))
        const rows = rowsOf(series)
        const start = Math.min(one, other) % (series.length + 1)
        const end = Math.max(start, Math.max(one, other) % (series.length + 1))
        const whole = decodeSeries(encodeSeries(series))
        const part = decodeSeries(encodeSeries(series, start, end))
        expect(whole && rowsOf(whole)).toEqual(rows)
        expect(part && rowsOf(part)).toEqual(rows.slice(start, end))
      }),
    )
  })

  it('of a calm day takes some bytes a sample', () => {
    const samples = Array.from({ length: 8_640 }, (_, n) => ({
      node: 'n',
      atMs: 1_760_000_000_000 + n * 10_000 + ((n * 7) % 5),
      latencyMs: 20 + ((n * 31) % 50) / 10,
      everyMs: 10_000,
      outcome: 'answered' as const,
      status: 'ACTIVE',
      stake: 32_000,
      participation: (9_950 + ((n * 13) % 20)) / 10_000,
      threatResponses: 5_000 + Math.floor(n / 9),
      threatResponsesIncrease: n % 9 === 0 ? 1 : 0,
      heartbeatAgeMs: 1_000 + ((n * 997) % 14_000),
      proof: Math.floor(n / 100)
        .toString(16)
        .padStart(8, '0'),
    }))
    expect(encodeSeries(seriesOf(samples)).length / 8_640).toBeLessThan(8)
  })

  it('says in next to nothing that the proof is new where the record is, and the counter began anew where it fell', () => {
    const row = (n: number, total: number, given: Partial<Sample>): Sample => ({
      node: 'n',
      atMs: 1_760_000_000_000 + n * 10_000,
      latencyMs: 20,
      outcome: 'answered',
      status: 'ACTIVE',
      stake: 32_000,
      threatResponses: total,
      threatResponsesRestarted: n === 300,
      proof: '00000000',
      ...given,
    })
    const totals = Array.from({ length: 600 }, (_, n) => (n < 300 ? 1_000 + ((n * n) % 7) * n : n))
    const sizeOf = (changed: (n: number) => boolean): number => {
      const series = seriesOf(totals.map((total, n) => row(n, total, { proofChanged: changed(n) })))
      const bytes = encodeSeries(series)
      const decoded = decodeSeries(bytes)
      expect(decoded && rowsOf(decoded)).toEqual(rowsOf(series))
      return bytes.length
    }
    const asExpected = sizeOf((n) => n > 0 && totals[n] !== totals[n - 1])
    // One that is always new, as with a time in it, is said once; one by turns costs a byte or two a row.
    expect(Math.abs(sizeOf((n) => n > 0) - asExpected)).toBeLessThan(10)
    expect(sizeOf((n) => n % 2 === 0) - asExpected).toBeGreaterThan(500)
  })

  it('of heartbeats that are told in whole seconds takes a byte for each', () => {
    const sizeOf = (given: (n: number) => Partial<Sample>): number =>
      encodeSeries(
        seriesOf(
          Array.from({ length: 200 }, (_, n): Sample => ({
            node: 'n',
            atMs: 1_760_000_000_000 + n * 20_000,
            latencyMs: 20,
            outcome: 'answered',
            ...given(n),
          })),
        ),
      ).length
    const without = sizeOf(() => ({}))
    // Each time the last one came 15 or 16 s after the one before.
    const whole = sizeOf((n) => ({ heartbeatAgeMs: 321 + n * 20_000 - n * 15_000 - (n % 2) * 1_000 }))
    expect(whole - without).toBeLessThan(220)
  })

  it.each<[string, (isOther: boolean) => Partial<Sample>]>([
    ['status', (isOther) => ({ status: isOther ? 'IDLE' : 'ACTIVE' })],
    ['stake', (isOther) => ({ stake: isOther ? 2 : 1 })],
    ['exact stake', (isOther) => ({ stakeExact: isOther ? '9007199254740995' : '9007199254740993' })],
    ['participation', (isOther) => ({ participation: isOther ? 0.5 : 0.25 })],
    ['total', (isOther) => ({ threatResponses: isOther ? 2 : 1, threatResponsesRestarted: !isOther })],
    [
      'exact total',
      (isOther) => ({ threatResponsesExact: isOther ? '9007199254740995' : '9007199254740993' }),
    ],
    ['heartbeat', (isOther) => ({ heartbeatAgeMs: isOther ? 2_000 : 1_000 })],
  ])('expects a new proof where the %s is another', (_, given) => {
    const isOther = (n: number): boolean => n % 7 < 3
    const changes = (n: number): boolean => n > 0 && isOther(n) !== isOther(n - 1)
    const sizeOf = (isTold: boolean): number =>
      encodeSeries(
        seriesOf(
          Array.from({ length: 700 }, (__, n): Sample => {
            const { threatResponsesRestarted = false, ...fields } = given(isOther(n))
            return {
              node: 'n',
              atMs: n,
              latencyMs: 20,
              outcome: 'answered',
              status: 'ACTIVE',
              stake: 1,
              participation: 1,
              threatResponses: 1,
              ...fields,
              // It grows with the time, but where another heartbeat is told of.
              heartbeatAgeMs: n + (fields.heartbeatAgeMs ?? 0),
              threatResponsesRestarted: threatResponsesRestarted && changes(n),
              proof: (isTold ? n - (n % 7 < 3 ? n % 7 : (n % 7) - 3) : 0).toString(16).padStart(8, '0'),
              proofChanged: isTold && changes(n),
            }
          }),
        ),
      ).length
    // A fingerprint takes four bytes, and that there is a new one takes nothing.
    expect(sizeOf(true) - sizeOf(false) - 4 * 199).toBeLessThan(10)
  })

  it.each([
    [5, 5],
    [ROWS_MAX + 1, undefined],
  ])('of %d rows has as many when it is read: %s', (rows, read) => {
    const writer = createWriter()
    writeByte(writer, 1)
    writeVarint(writer, rows)
    writeVarint(writer, 0) // metrics
    // Times that do not move, no interval, no time of the service, one outcome and no text.
    for (const number of [4, 0, 0, 0, rows - 2, 0, 0, 0, 0, rows, 0]) writeVarint(writer, number)
    expect(decodeSeries(written(writer))?.length).toBe(read)
  })

  it.each([
    [16, 16],
    [40, undefined],
  ])(
    'of a million rows of %d metrics are read as %s: a few bytes take no memory without end',
    (metrics, read) => {
      const writer = createWriter()
      writeByte(writer, 1)
      writeVarint(writer, 1_000_000)
      writeVarint(writer, metrics)
      for (let at = 0; at < metrics; at++) for (const byte of [1, 65 + at, 4, 0]) writeByte(writer, byte) // a fingerprint
      for (const number of [4, 0, 0, 0, 999_998, 0, 0, 0, 0, 1_000_000, 0]) writeVarint(writer, number)
      for (let at = 0; at < metrics; at++)
        for (const number of [0, 0, 1_000_000, 0, 1_000_000]) writeVarint(writer, number)
      expect(decodeSeries(written(writer))?.columns.metrics.length).toBe(read)
    },
  )

  it.each([0, 1, 5])('of a layout that is not known yet are refused', (rows) => {
    const bytes = encodeSeries(seriesOf(fc.sample(samplesOf(1_000, rows), { numRuns: 1, seed: 7 })[0] ?? []))
    expect(bytes[0]).toBe(1)
    bytes[0] = 2
    expect(decodeSeries(bytes)).toBeUndefined()
  })

  it('with a flipped, missing or surplus byte is refused or holds no more rows than bytes allow, and never throws', () => {
    const bytes = encodeSeries(seriesOf(fc.sample(samplesOf(1_000, 30), { numRuns: 1, seed: 7 })[0] ?? []))
    expect(decodeSeries(bytes.slice(0, -1))).toBeUndefined()
    expect(decodeSeries(new Uint8Array([...bytes, 0]))).toBeUndefined()
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (place, by) => {
        const damaged = bytes.slice()
        damaged[place] = (damaged[place] ?? 0) ^ by
        expect(() => decodeSeries(damaged)).not.toThrow()
      }),
    )
    expect(decodeSeries(new Uint8Array([0xff, 0xff, 0xff, 0x7f]))).toBeUndefined()
  })
})
