import { expect, it } from 'vitest'
import { decodeRollup, encodeRollup } from '#history/codec/rollup-codec.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import { decodeWalRecord, encodeWalRecord } from '#history/codec/wal-codec.ts'
import type { Sample } from '#history/history.ts'
import { rollSeries } from '#history/roll-series.ts'
import { OUTCOME_CODES, OUTCOMES } from '#history/series.ts'
import { plain, rowsOf, seriesOf } from '#test/core/history/samples.ts'
import kept from '#test/vectors/history/bytes.json' with { type: 'json' }

/**
 * What every later build must read, and go on writing: `test/vectors/history/bytes.json`. It is made anew by
 * `npm run docs`, which is right only before a first release.
 */
const FROM_MS = 1_760_000_000_000

const good = (n: number): Partial<Sample> => ({
  latencyMs: 20 + ((n * 31) % 50) / 10,
  serviceMs: FROM_MS + n * 10_000 + 412 - (n % 3),
  status: n < 30 ? 'ACTIVE' : 'IDLE',
  stake: n < 20 ? 32_000.5 : 9_007_199_254_740_992,
  ...(n >= 20 && { stakeExact: '9007199254740993' }),
  participation: (9_950 + ((n * 13) % 20)) / 10_000,
  threatResponses: n < 40 ? 5_000 + Math.floor(n / 9) : n,
  threatResponsesIncrease: n === 40 ? 40 : n % 9 === 0 ? 1 : 0,
  threatResponsesRestarted: n === 40,
  heartbeatAgeMs: 1_000 + ((n * 997) % 14_000),
  proof: (Math.floor(n / 5) * 305_419_896).toString(16).padStart(8, '0').slice(-8),
  proofChanged: n % 5 === 0,
})

const ROWS = 48
const seriesWritten = () =>
  seriesOf(
    Array.from({ length: ROWS }, (_, n): Sample => {
      const outcome = n % 7 === 3 ? (OUTCOMES[n % OUTCOMES.length] ?? 'answered') : 'answered'
      return {
        node: 'n',
        atMs: FROM_MS + n * 10_000 + ((n * 7) % 5),
        everyMs: n < 24 ? 10_000 : 15_000,
        latencyMs: 0,
        outcome,
        ...(outcome === 'answered' && good(n)),
      }
    }),
    new Set([12, 33]),
  )
const GAP = { fromMs: FROM_MS - 5_000, toMs: FROM_MS, reason: 'closed' } as const
const NODES = Array.from({ length: ROWS }, (_, place) => (place < 40 ? 1 : 2))
const STEPS = [
  [60_000, false],
  [120_000, true],
] as const
const rolled = (stepMs: number, withSpread: boolean) =>
  rollSeries(seriesWritten(), { fromMs: FROM_MS, toMs: FROM_MS + 480_000 }, stepMs, withSpread)

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

it('history is written as it was written before', async () => {
  const written = {
    series: hex(encodeSeries(seriesWritten())),
    empty: hex(encodeSeries(seriesOf([]))),
    wal: hex(encodeWalRecord({ gaps: [GAP], carried: 1, rows: seriesWritten(), nodes: NODES })),
    rollups: STEPS.map(([stepMs, withSpread]) => hex(encodeRollup(rolled(stepMs, withSpread)))),
  }
  await expect(`${JSON.stringify(written, undefined, 2)}\n`).toMatchFileSnapshot(
    '../../../vectors/history/bytes.json',
  )
})

it('what was written before is read as it was', () => {
  const series = decodeSeries(bytesOf(kept.series))
  expect(series && rowsOf(series)).toEqual(rowsOf(seriesWritten()))
  expect(decodeSeries(bytesOf(kept.empty))?.length).toBe(0)
  const record = decodeWalRecord(bytesOf(kept.wal))
  expect(record && rowsOf(record.rows)).toEqual(rowsOf(seriesWritten()))
  expect(record && [record.gaps, record.carried, Array.from(record.nodes)]).toEqual([[GAP], 1, NODES])
  for (const [place, [stepMs, withSpread]] of STEPS.entries()) {
    const rollup = decodeRollup(bytesOf(kept.rollups[place] ?? ''))
    expect(rollup && plain(rollup)).toEqual(plain(rolled(stepMs, withSpread)))
  }
})

it('every outcome has a code of its own, without a hole', () => {
  expect(OUTCOMES.map((outcome) => OUTCOME_CODES[outcome])).toEqual(OUTCOMES.map((_, code) => code))
})
