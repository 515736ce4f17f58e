import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { decoded, encodeTable, readColumn, readTable } from '#history/codec/columns.ts'
import { decodeRollup, encodeRollup } from '#history/codec/rollup-codec.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import { rollSeries } from '#history/roll-series.ts'
import { coarsen } from '#history/rollup.ts'
import { plain, rowsOf, samplesOf, seriesOf } from '#test/core/history/samples.ts'

const HOUR_MS = 3_600_000

const Head = v.object({ rows: v.number() })
const tableOf = (values: readonly number[]): Uint8Array => encodeTable({ rows: values.length }, [values])
const roundTrip = (values: readonly number[]): readonly number[] | undefined =>
  decoded(() => Array.from(readColumn(readTable(tableOf(values), Head).columns[0], values.length)))

const number = fc.oneof(
  fc.constant(Number.NaN),
  fc.integer({ min: -70, max: 70 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.integer({ min: 0, max: 10_000 }).map((whole) => whole / 1_000),
  fc.double(),
  fc.constantFrom(2 ** 51, -(2 ** 51), 2 ** 51 + 1, 2 ** 53, 1e-9, 1e-10, 1e21, Infinity, -Infinity),
)

describe('a column', () => {
  it('survives a round trip, apart from the sign of 0', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(number), fc.array(fc.nat(9))), (values) => {
        const plus0 = (value: number): number => value + 0
        expect(roundTrip(values)?.map(plus0)).toEqual(values.map(plus0))
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['no values', [], 1],
    ['unknown values', [Number.NaN, Number.NaN], 3],
    [
      'even steps of whole seconds',
      Array.from({ length: 1_000 }, (_, at) => 1_780_000_000_000 + at * 10_000),
      1_020,
    ],
    ['one repeated value', Array.from({ length: 10_000 }, () => 1e12), 12],
    ['decimals', Array.from({ length: 100 }, (_, at) => at / 10), 105],
    ['a number that is no short decimal', [Math.PI], 10],
  ])('of %s takes few bytes', (_, values, bytes) => {
    const taken = readTable(tableOf(values), Head).columns[0]?.length
    expect(taken).toBeLessThanOrEqual(bytes)
    expect(roundTrip(values)).toEqual(values)
  })
})

/** The rows after a round trip: only the last fingerprint is stored. */
const keptRows = (rows: ReturnType<typeof rowsOf>): ReturnType<typeof rowsOf> => {
  const last = rows.findLastIndex(({ proof }) => proof !== undefined)
  return rows.map((row, at) => ({ ...row, proof: at === last ? row['proof'] : undefined }))
}

describe('a series', () => {
  it('survives a round trip, whole or in part, with the last fingerprint', () => {
    fc.assert(
      fc.property(samplesOf(100_000, 60), fc.nat(60), fc.nat(60), fc.nat(60), (samples, one, other, gap) => {
        const series = seriesOf(samples, new Set([gap]))
        const [start = 0, end = 0] = [one, other]
          .map((at) => Math.min(at, series.length))
          .toSorted((a, b) => a - b)
        const bytes = encodeSeries(series, start, end)
        const back = decodeSeries(bytes)
        expect(back && rowsOf(back.series)).toEqual(keptRows(rowsOf(series).slice(start, end)))
      }),
    )
  })

  it('of several nodes keeps the node of each row and each node’s last fingerprint', () => {
    const series = seriesOf(
      ['1a2b3c4d', 'fedcba98', '0000000a'].map((proof, at) => ({
        node: 'n',
        atMs: at + 1,
        latencyMs: 1,
        outcome: 'answered',
        proof,
      })),
    )
    const back = decodeSeries(encodeSeries(series, 0, 3, [7, 7, 9]))
    expect(back && Array.from(back.nodes)).toEqual([7, 7, 9])
    expect(back && rowsOf(back.series).map(({ proof }) => proof)).toEqual([undefined, 'fedcba98', '0000000a'])
  })
})

describe('a rollup', () => {
  it('survives a round trip at any step', () => {
    fc.assert(
      fc.property(
        samplesOf(2 * HOUR_MS, 60),
        fc.constantFrom(60_000, 900_000, HOUR_MS),
        fc.boolean(),
        (samples, stepMs, withSpread) => {
          const window = { fromMs: 0, toMs: 1e9 }
          const rollup = coarsen(rollSeries(seriesOf(samples), window, stepMs, withSpread), stepMs)
          const back = decodeRollup(encodeRollup(rollup))
          expect(back && plain(back)).toEqual(plain(rollup))
        },
      ),
    )
  })

  it('is read without the distributions of metrics that were not requested', () => {
    const samples = fc.sample(samplesOf(60_000, 60), { numRuns: 1, seed: 1 })[0] ?? []
    const rollup = rollSeries(seriesOf(samples), { fromMs: 0, toMs: 1e9 }, HOUR_MS, true)
    const back = decodeRollup(encodeRollup(rollup), ['answerTime'])
    const wanted = plain(rollup).metrics.map((metric) =>
      'spread' in metric && metric.spread !== undefined && metric.id !== 'answerTime'
        ? { ...metric, spread: metric.spread.map(() => ({ buckets: [], counts: [] })) }
        : metric,
    )
    expect(back && plain(back).metrics).toEqual(wanted)
  })
})

describe('damaged bytes', () => {
  const samples = fc.sample(samplesOf(60_000, 30), { numRuns: 1, seed: 2 })[0] ?? []
  const series = seriesOf(samples)
  it.each([
    ['series', encodeSeries(series, 0, series.length), decodeSeries],
    ['batch', encodeSeries(series, 0, series.length, new Uint8Array(series.length)), decodeSeries],
    ['rollup', encodeRollup(rollSeries(series, { fromMs: 0, toMs: 1e9 }, HOUR_MS, true)), decodeRollup],
  ] as const)('decode to a %s or to nothing, and never throw', (_, bytes, decode) => {
    expect(decode(new Uint8Array())).toBeUndefined()
    expect(decode(bytes.subarray(0, -1))).toBeUndefined()
    expect(decode(new Uint8Array([...bytes, 0]))).toBeUndefined()
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
        const other = bytes.slice()
        other[at] = byte
        decode(other)
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['more rows than a record may have', { rows: 1e9 }],
    ['a negative number of rows', { rows: -1 }],
    ['no metrics', { metrics: undefined }],
    ['a metric of an unknown kind', { metrics: [{ id: 'a', kind: 'other' }] }],
  ])('decode to nothing with %s', (_, wrong) => {
    const columns = Array.from({ length: 4 }, () => [])
    const head = { rows: 0, isBatch: false, metrics: [], texts: [] }
    expect(decodeSeries(encodeTable(head, columns))).toBeDefined()
    expect(decodeSeries(encodeTable({ ...head, ...wrong }, columns))).toBeUndefined()
  })
})
