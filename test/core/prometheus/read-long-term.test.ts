import { describe, expect, it } from 'vitest'
import { METRICS } from '#metrics/metrics.ts'
import type { AnsweredSeries } from '#prometheus/query-answer.ts'
import type { LongTermQuery } from '#prometheus/long-term-series.ts'
import { longTermSeries } from '#prometheus/read-long-term.ts'

/** Four minutes, and two bars of two minutes, from 600 s on. */
const QUERY: LongTermQuery = {
  fromMs: 600_000,
  stepMs: 60_000,
  count: 4,
  barFromMs: 600_000,
  barMs: 120_000,
  barCount: 4,
}

/** A part, with a value at the end of each step; undefined: none. */
const partAt =
  (everyS: number) =>
  (
    name: string,
    values: readonly (number | undefined)[],
    labels: Readonly<Record<string, string>> = {},
  ): AnsweredSeries => ({
    labels: { part: name, ...labels },
    values: values.flatMap((value, step) =>
      value === undefined ? [] : [[600 + (step + 1) * everyS, value] as const],
    ),
  })
const step = partAt(60)
const bar = partAt(120)

const read = (steps: readonly AnsweredSeries[], bars: readonly AnsweredSeries[] = []) =>
  longTermSeries(METRICS, QUERY, steps, bars)
const metricOf = (series: ReturnType<typeof read>, id: string) => series.metrics.find((one) => one.id === id)

describe('the long-term series of a node', () => {
  it('has availability and scrapes in the requested steps', () => {
    const up = [1, 0.5, undefined, 1]
    const series = read([
      step('up', up),
      step('upMin', [1, 0, undefined, 1]),
      step('scrapes', [4, 4, undefined, 3]),
    ])
    expect(series).toMatchObject({
      ...QUERY,
      up: [1, 0.5, null, 1],
      upMin: [1, 0, null, 1],
      scrapes: [4, 4, null, 3],
    })
  })

  it('has minimum, maximum and last value of a gauge, as exposed', () => {
    const series = read([
      step('stake:min', [1, 2]),
      step('stake:max', [3, 4]),
      step('stake:last', [2, 3]),
      step('stake:p50', [2, 2]),
    ])
    expect(metricOf(series, 'stake')).toEqual({
      id: 'stake',
      kind: 'line',
      min: [1, 2, null, null],
      max: [3, 4, null, null],
      last: [2, 3, null, null],
    })
  })

  it('has times in ms, converted from the seconds of the query engine', () => {
    const series = read([
      step('answerTime:min', [0.25]),
      step('answerTime:max', [0.5]),
      step('answerTime:last', [0.3]),
      step('answerTime:p50', [0.4]),
      step('answerTime:p95', [0.45]),
      step('heartbeat:max', [undefined, 12]),
    ])
    expect(metricOf(series, 'answerTime')).toEqual({
      id: 'answerTime',
      kind: 'line',
      min: [250, null, null, null],
      max: [500, null, null, null],
      last: [300, null, null, null],
      p50: [400, null, null, null],
      p95: [450, null, null, null],
    })
    expect(metricOf(series, 'heartbeat')).toEqual({
      id: 'heartbeat',
      kind: 'line',
      min: [null, null, null, null],
      max: [null, 12_000, null, null],
      last: [null, null, null, null],
    })
  })
})

describe('the failure of a step', () => {
  it('is the most frequent one, or the first of two equals', () => {
    const { failures } = read([
      step('failure', [1, 3, 2], { kind: 'timeout' }),
      step('failure', [2, 1, 2], { kind: 'unreachable' }),
    ])
    expect(failures).toEqual(['unreachable', 'timeout', 'timeout', null])
  })

  it('is never one with a count of 0 or of an unknown kind', () => {
    const { failures } = read([
      step('failure', [0], { kind: 'timeout' }),
      step('failure', [undefined, 5], { kind: 'on-fire' }),
      step('failure', [undefined, undefined, 5]),
      step('up', [undefined, undefined, undefined, 5], { kind: 'timeout' }),
    ])
    expect(failures).toEqual([null, null, null, null])
  })
})

describe('the increase in a bar', () => {
  const cameIn = (
    total: readonly (number | undefined)[],
    increase: readonly (number | undefined)[],
    restarts: readonly (number | undefined)[],
    up: readonly (number | undefined)[] = [1, 1, 1, 1],
  ) =>
    metricOf(
      read(
        [step('up', up)],
        [
          bar('threatResponses:total', total),
          bar('threatResponses:increase', increase),
          bar('threatResponses:restarts', restarts),
        ],
      ),
      'threatResponses',
    )

  it('is the exact difference of two totals without a restart between them', () => {
    expect(cameIn([100, 160, 160], [61.02, 60.98, 0.7], [0, 0, 0])).toEqual({
      id: 'threatResponses',
      kind: 'bars',
      increase: [61, 60, 0, null],
      unwatched: [null, null, null, null],
      restarts: [0, 0, 0, null],
    })
  })

  it.each([
    ['it restarted', [100, 30], [60, 29.7], [0, 1], [60, 30]],
    ['it restarted and already exceeds its last total', [100, 130], [60, 129.8], [0, 1], [60, 130]],
    ['its total fell without a counted restart', [100, 30], [60, 29.7], [0, 0], [60, 30]],
    ['restarts are unknown', [100, 160], [60, 59.4], [0, undefined], [60, 59]],
    ['the previous bar is unknown', [undefined, 160], [undefined, 59.4], [undefined, 0], [null, 59]],
  ])(
    'is the query engine’s increase as a whole number if %s',
    (_what, total, increase, restarts, expected) => {
      expect(cameIn(total, increase, restarts)).toMatchObject({ increase: [...expected, null, null] })
    },
  )

  // Bars of two steps, of which `up` has the availability, undefined without a scrape.
  it.each([
    ['inside a bar is unwatched', [100, 160], [1, 1, undefined, 1], [61, 0], [null, 60]],
    ['inside the first bar is unwatched', [100, 160], [1, undefined, 1, 1], [61, 0], [null, 60]],
    ['up to the first scrape is watched', [100, 160], [undefined, 1, 1, 1], [61, 60], [null, null]],
    ['that lasts is watched', [100, 160], [1, 1, 1, undefined], [61, 60], [null, null]],
  ])('after a gap %s', (_what, total, up, increase, unwatched) => {
    expect(cameIn(total, [61, 60.4], [0, 0], up)).toMatchObject({
      increase: [...increase, null, null],
      unwatched: [...unwatched, null, null],
    })
  })

  it('across a gap is the difference of the totals, or the query engine’s after a restart', () => {
    const around = { ...QUERY, count: 8 }
    const at = (total: number) =>
      metricOf(
        longTermSeries(
          METRICS,
          around,
          [step('up', [1, 1, undefined, undefined, undefined, 1, 1, 1])],
          [
            bar('threatResponses:total', [100, undefined, total, total + 1]),
            bar('threatResponses:increase', [0, undefined, 2, 1]),
            bar('threatResponses:restarts', [0, undefined, 0, 0]),
          ],
        ),
        'threatResponses',
      )
    expect(at(137)).toMatchObject({ increase: [0, null, 0, 1], unwatched: [null, null, 37, null] })
    expect(at(5)).toMatchObject({ increase: [0, null, 0, 1], unwatched: [null, null, 2, null] })
  })
})
