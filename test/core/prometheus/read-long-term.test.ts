import { describe, expect, it } from 'vitest'
import { METRICS } from '#metrics/metrics.ts'
import type { AnsweredSeries } from '#prometheus/query-answer.ts'
import type { LongTermQuery } from '#prometheus/long-term-series.ts'
import { longTermSeries } from '#prometheus/read-long-term.ts'

/** Four minutes from 600 s on. */
const QUERY: LongTermQuery = { fromMs: 600_000, stepMs: 60_000, count: 4 }

/** A part, with a value at the end of each step; undefined: none. */
const step = (
  name: string,
  values: readonly (number | undefined)[],
  labels: Readonly<Record<string, string>> = {},
): AnsweredSeries => ({
  labels: { part: name, ...labels },
  values: values.flatMap((value, at) => (value === undefined ? [] : [[660 + at * 60, value] as const])),
})

const read = (answer: readonly AnsweredSeries[]) => longTermSeries(METRICS, QUERY, answer)
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

describe('the increase in a step', () => {
  const cameIn = (
    total: readonly (number | undefined)[],
    increase: readonly (number | undefined)[],
    restarts: readonly (number | undefined)[],
    up: readonly (number | undefined)[] = [1, 1, 1, 1],
  ) =>
    metricOf(
      read([
        step('up', up),
        step('threatResponses:total', total),
        step('threatResponses:increase', increase),
        step('threatResponses:restarts', restarts),
      ]),
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
    ['the previous step is unknown', [undefined, 160], [undefined, 59.4], [undefined, 0], [null, 59]],
  ])(
    'is the query engine’s increase as a whole number if %s',
    (_what, total, increase, restarts, expected) => {
      expect(cameIn(total, increase, restarts)).toMatchObject({ increase: [...expected, null, null] })
    },
  )

  it('after a gap is unwatched; before the first and after the last scrape there is none', () => {
    const gap = [1, undefined, undefined, 1]
    expect(cameIn([100, undefined, undefined, 137], [0, undefined, undefined, 2], [0], gap)).toMatchObject({
      increase: [0, null, null, 0],
      unwatched: [null, null, null, 37],
    })
    const late = [undefined, 1, 1, undefined]
    expect(cameIn([undefined, 100, 160], [undefined, 61, 60], [undefined, 0, 0], late)).toMatchObject({
      increase: [null, 61, 60, null],
      unwatched: [null, null, null, null],
    })
  })

  it('in a step without a value of its own, but with a scrape, is watched', () => {
    expect(cameIn([100, undefined, 160], [0, undefined, 30], [0, undefined, 0])).toMatchObject({
      increase: [0, null, 60, null],
      unwatched: [null, null, null, null],
    })
  })

  it('is the query engine’s, after a restart, if the total fell in a gap or between two steps', () => {
    const fell = cameIn(
      [100, undefined, 5, 4],
      [0, undefined, 2, 3],
      [0, undefined, 0, 0],
      [1, undefined, 1, 1],
    )
    expect(fell).toMatchObject({
      increase: [0, null, 0, 3],
      unwatched: [null, null, 2, null],
      restarts: [0, null, 1, 1],
    })
  })
})
