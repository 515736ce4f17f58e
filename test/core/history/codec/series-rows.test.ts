import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import {
  appendNotWatched,
  appendRows,
  appendSample,
  createSeries,
  createTexts,
  dropBefore,
  NOT_WATCHED,
  placeOfText,
} from '#history/series.ts'
import { rowsOf } from '#test/core/history/samples.ts'

const bare: Sample = { node: 'n', atMs: 1_000, latencyMs: 12.34, outcome: 'answered' }
const seriesOf = (...samples: readonly Sample[]) => {
  const series = createSeries()
  for (const sample of samples) appendSample(series, sample, 1_000)
  return series
}
const lastRow = (...samples: readonly Sample[]) => rowsOf(seriesOf(...samples)).at(-1)

/** What a row says where the sample says no more than that it was answered. */
const UNKNOWN = {
  atMs: 1_000,
  everyMs: 15_000,
  serviceMs: Number.NaN,
  outcome: 0,
  answerTime: 12.3,
  heartbeatAgeMs: Number.NaN,
  participation: Number.NaN,
  stake: Number.NaN,
  stakeExact: undefined,
  threatResponses: Number.NaN,
  threatResponsesExact: undefined,
  threatResponsesIncrease: 0,
  threatResponsesRestarted: false,
  status: undefined,
  proof: undefined,
  proofChanged: false,
}

describe('a row', () => {
  it('says that it does not know what the sample does not say', () => {
    expect(lastRow(bare)).toEqual(UNKNOWN)
  })

  it.each([
    '',
    '0012ab3',
    '0012ab345',
    '0012ABCD',
    '0012abcg',
    '0012abc/',
    '0012abc:',
    '0012abc\u00e9',
    '0012abc\u0661',
  ])('knows no proof where its fingerprint is %j', (proof) => {
    expect(lastRow({ ...bare, proof })).toEqual(UNKNOWN)
  })

  it('says everything that the sample says, with ages and times to the whole millisecond', () => {
    expect(
      lastRow({
        ...bare,
        everyMs: 1_000,
        serviceMs: 1_700.6,
        heartbeatAgeMs: 20.4,
        participation: 0.25,
        stake: 32,
        stakeExact: '9007199254740993',
        threatResponses: 7,
        threatResponsesExact: '18446744073709551616',
        threatResponsesIncrease: 3,
        threatResponsesRestarted: true,
        proofChanged: true,
        status: 'ACTIVE',
        proof: '00ff1a2b',
      }),
    ).toEqual({
      ...UNKNOWN,
      everyMs: 1_000,
      serviceMs: 1_701,
      heartbeatAgeMs: 20,
      participation: 0.25,
      stake: 32,
      stakeExact: '9007199254740993',
      threatResponses: 7,
      threatResponsesExact: '18446744073709551616',
      threatResponsesIncrease: 3,
      threatResponsesRestarted: true,
      proofChanged: true,
      status: 'ACTIVE',
      proof: '00ff1a2b',
    })
  })

  it('says 0 where the sample says 0', () => {
    const zero = { serviceMs: 0, heartbeatAgeMs: 0, participation: 0, stake: 0, threatResponses: 0 }
    expect(lastRow({ ...bare, ...zero })).toEqual({ ...UNKNOWN, ...zero })
  })

  it('of a failure has no latency', () => {
    expect(lastRow({ ...bare, outcome: 'timeout' })).toEqual({
      ...UNKNOWN,
      answerTime: Number.NaN,
      outcome: 10,
    })
  })

  it('from which nobody watched knows nothing, whatever lay in its place before', () => {
    const series = seriesOf({
      ...bare,
      status: 'ACTIVE',
      stake: 1,
      threatResponsesIncrease: 4,
      proofChanged: true,
    })
    series.length = 0
    appendNotWatched(series, 2_000, 1_000)
    expect(rowsOf(series)).toEqual([
      { ...UNKNOWN, atMs: 2_000, answerTime: Number.NaN, outcome: NOT_WATCHED },
    ])
  })
})

describe('texts', () => {
  it('each have one place, from 1 on; 0 is no text', () => {
    const texts = createTexts()
    expect([undefined, 'a', 'b', 'a', '', undefined].map((text) => placeOfText(texts, text))).toEqual([
      0, 1, 2, 1, 3, 0,
    ])
    expect(texts.list).toEqual(['', 'a', 'b', ''])
  })

  it('that are empty are told from none', () => {
    const rows = rowsOf(seriesOf({ ...bare, status: '' }, { ...bare, atMs: 2_000 }))
    expect(rows.map(({ status }) => status)).toEqual(['', undefined])
  })

  it('are copied once with the rows that say them', () => {
    const from = seriesOf(
      { ...bare, status: 'OLD', proof: '00000001' },
      { ...bare, atMs: 2_000, status: 'ACTIVE', proof: '00000002' },
      { ...bare, atMs: 3_000, status: 'ACTIVE' },
    )
    const series = seriesOf({ ...bare, atMs: 500, status: 'IDLE' })
    appendRows(series, from, 1, 3)
    expect(series.texts.list).toEqual(['', 'IDLE', 'ACTIVE'])
    expect(rowsOf(series).map(({ status, proof }) => [status, proof])).toEqual([
      ['IDLE', undefined],
      ['ACTIVE', '00000002'],
      ['ACTIVE', undefined],
    ])
  })

  it('are written once each, in the order in which they occur', () => {
    const series = seriesOf(
      { ...bare, status: 'A' },
      { ...bare, atMs: 2_000, status: 'B' },
      { ...bare, atMs: 3_000, status: 'A', proof: '00000002' },
    )
    const whole = decodeSeries(encodeSeries(series))
    expect(whole?.texts.list).toEqual(['', 'A', 'B'])
    expect(decodeSeries(encodeSeries(series, 1, 2))?.texts.list).toEqual(['', 'B'])
    expect(encodeSeries(series, 1, 2).length).toBeLessThan(encodeSeries(series).length)
  })
})

describe('room', () => {
  const filled = (count: number, capacity?: number) => {
    const series = createSeries(capacity)
    for (let place = 0; place < count; place++) appendSample(series, { ...bare, atMs: place }, 1_000)
    return series
  }

  it.each([
    ['that is there stays as it is', 4, 60, 64],
    ['is made for what comes, where that is more', 4, 200, 204],
    ['is doubled, where that is more', 60, 5, 120],
  ])('%s', (_, before, added, capacity) => {
    const series = filled(before)
    const { columns } = series
    appendRows(series, filled(added), 0, added)
    expect(series.columns.atMs.length).toBe(capacity)
    expect(series.columns === columns).toBe(capacity === 64)
    expect(series.length).toBe(before + added)
  })

  it.each([
    [0, 0],
    [3, 2],
  ])('is as it was for no rows, from %d to %d', (start, end) => {
    const series = filled(64)
    const { columns } = series
    appendRows(series, filled(3), start, end)
    expect(series.columns).toBe(columns)
    expect(series.length).toBe(64)
  })

  it('is given back with rows that go, but for the least that there is', () => {
    const series = filled(200)
    dropBefore(series, 50)
    expect([series.length, series.columns.atMs.length]).toEqual([150, 150])
    dropBefore(series, 140)
    expect([series.length, series.columns.atMs.length]).toEqual([10, 64])
  })

  it.each([0, -1])('and texts stay as they are where no row goes (%d)', (place) => {
    const series = seriesOf({ ...bare, status: 'A' })
    placeOfText(series.texts, 'not used')
    const { columns, texts } = series
    dropBefore(series, place)
    expect([series.columns, series.texts, series.length]).toEqual([columns, texts, 1])
    expect(series.columns).toBe(columns)
  })

  it('grows without a look for texts that nobody uses', () => {
    const series = filled(64)
    const { texts } = series
    appendSample(series, { ...bare, atMs: 100 }, 1_000)
    expect(series.texts).toBe(texts)
  })
})

describe('fingerprints', () => {
  const words = [1, 0, 0, 0, 2, 0, 0, 0]

  it.each([
    ['count as new', [true, false, true, false], [0, 4]],
    ['do not count as new', [false, true, false, false], [1, 3, 0, 1]],
  ])('are written once for as long as they stay, where they %s', (_, changed, odd) => {
    const proofs = ['00000001', '00000001', '00000002', '00000002']
    const series = seriesOf(
      { ...bare, proof: '00000003' },
      ...proofs.map((proof, n) => ({
        ...bare,
        atMs: 2_000 + n,
        proof,
        proofChanged: changed[n] === true,
      })),
    )
    const bytes = encodeSeries(series, 1)
    expect(Array.from(bytes.slice(-words.length - odd.length))).toEqual([...odd, ...words])
    const read = decodeSeries(bytes)
    expect(read && rowsOf(read)).toEqual(rowsOf(series).slice(1))
  })
})
