import { describe, expect, it } from 'vitest'
import { drawn as byName } from './samples.ts'
import { rollSeries } from '#history/roll-series.ts'
import { rollupSource } from '#history/rollup-source.ts'
import { seriesDataOf } from '#history/series-data.ts'
import { appendSample, createSeries } from '#history/series.ts'
import { coarsen } from '#history/rollup.ts'
import { decodeRollup, encodeRollup } from '#history/codec/rollup-codec.ts'

const HOUR = 3_600_000
const MINUTE = 60_000

/** Participation at so many minutes, drawn from rollups of an hour. */
function drawn(samples: readonly (readonly [minute: number, value: number])[], columns = 4) {
  const series = createSeries()
  for (const [minute, participation] of samples)
    appendSample(
      series,
      { node: 'n', atMs: minute * MINUTE, latencyMs: 1, everyMs: MINUTE, outcome: 'answered', participation },
      1e6,
    )
  const fine = rollSeries(series, { fromMs: 0, toMs: 4 * HOUR }, 15 * MINUTE, false)
  const sums = decodeRollup(encodeRollup(coarsen(fine, HOUR))) ?? fine
  const query = { node: 'n', fromMs: 0, toMs: 4 * HOUR, columns, barMs: HOUR, maxGapMs: 3 * HOUR }
  const { participation } = byName(seriesDataOf(rollupSource(sums, sums, query), query))
  return Array.from(participation.atMs, (atMs, place) => [
    Math.round((atMs / MINUTE) * 100) / 100,
    participation.value[place],
  ])
}

describe('a line from rollups', () => {
  it('begins and ends in each column when its first and last poll did', () => {
    expect(
      drawn([
        [7, 0.5],
        [20, 0.9],
        [40, 0.1],
        [53, 0.6],
      ]),
    ).toEqual([
      [7, 0.5],
      [22.33, 0.1],
      [37.67, 0.9],
      [53, 0.6],
    ])
  })

  it('stays level to the end of a column in which nothing changed', () => {
    expect(
      drawn([
        [7, 0.5],
        [30, 0.5],
        [53, 0.5],
        [61, 0.9],
      ]),
    ).toEqual([
      [7, 0.5],
      [53, 0.5],
      [61, 0.9],
    ])
  })

  it('keeps both ends where several steps are one column', () => {
    expect(
      drawn(
        [
          [7, 0.5],
          [61, 0.4],
          [113, 0.5],
        ],
        2,
      ),
    ).toEqual([
      [7, 0.5],
      [61, 0.4],
      [113, 0.5],
    ])
  })
})
