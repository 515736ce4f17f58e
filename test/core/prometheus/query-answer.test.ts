import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { columnOf, partOf, readAnswer, type AnsweredSeries } from '#prometheus/query-answer.ts'
import { valueOf } from '#test/support/value-of.ts'

/** As Prometheus and VictoriaMetrics document it. */
const MATRIX = {
  status: 'success',
  data: {
    resultType: 'matrix',
    result: [
      {
        metric: { part: 'up', job: 'prometheus' },
        values: [
          [1_435_781_430.781, '1'],
          [1_435_781_445.781, '0.5'],
        ],
      },
      { metric: { part: 'stake:min' }, values: [[1_435_781_430, '1.25e3']] },
    ],
  },
}

const vectorOf = (...result: readonly unknown[]) => ({
  status: 'success',
  data: { resultType: 'vector', result },
})

describe('the answer to a range query', () => {
  it('has a series per label set, with a number per time', () => {
    expect(valueOf(readAnswer(MATRIX))).toEqual([
      {
        labels: { part: 'up', job: 'prometheus' },
        values: [
          [1_435_781_430.781, 1],
          [1_435_781_445.781, 0.5],
        ],
      },
      { labels: { part: 'stake:min' }, values: [[1_435_781_430, 1_250]] },
    ])
  })

  it.each([
    ['that is not a number', [1_435_781_430, 'NaN']],
    ['that is infinite', [1_435_781_430, '+Inf']],
    ['that is not a string', [1_435_781_430, 7]],
    ['without a time', [undefined, '7']],
    ['at a time that is a string', ['1435781430', '7']],
    ['at an infinite time', [Number.POSITIVE_INFINITY, '7']],
    ['that is not in a pair', 'at seven'],
    ['that is null', null],
  ])('has no value %s', (_what, pair) => {
    const values = [pair, [1_435_781_445, '3']]
    const result = [{ metric: { part: 'up' }, values }]
    const answer = readAnswer({ status: 'success', data: { resultType: 'matrix', result } })
    expect(answer).toEqual(ok([{ labels: { part: 'up' }, values: [[1_435_781_445, 3]] }]))
  })
})

it('the answer to an instant query has series of one value', () => {
  const answer = readAnswer(vectorOf({ metric: { part: 'up' }, value: [1_435_781_451.781, '1'] }))
  expect(answer).toEqual(ok([{ labels: { part: 'up' }, values: [[1_435_781_451.781, 1]] }]))
  expect(readAnswer(vectorOf())).toEqual(ok([]))
})

describe('an invalid answer', () => {
  it.each([
    [
      'is reported with the engine’s error message',
      { status: 'error', errorType: 'bad_data', error: 'parse error' },
      'parse error',
    ],
    ['is reported with its type at least', { status: 'error', errorType: 'timeout' }, 'timeout'],
    ['is reported at least as an error', { status: 'error', error: 422, errorType: 422 }, 'error'],
  ])('%s', (_what, body, error) => {
    expect(readAnswer(body)).toEqual(err(error))
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a page', '<html></html>'],
    ['an unrelated object', {}],
    ['an object with an unknown status', { ...MATRIX, status: 'partial' }],
    ['a success without data', { status: 'success' }],
    ['a success with null data', { status: 'success', data: null }],
    ['a success without a list', { status: 'success', data: { resultType: 'matrix', result: {} } }],
  ])('is reported as not an answer: %s', (_what, body) => {
    expect(readAnswer(body)).toEqual(err('not-an-answer'))
  })
})

describe('a part of an answer', () => {
  const answer: readonly AnsweredSeries[] = [
    { labels: { part: 'up' }, values: [[1, 1]] },
    { labels: { part: 'upMin' }, values: [[1, 0]] },
  ]

  it('is found by its name from the query', () => {
    expect(partOf(answer, 'upMin')).toBe(answer[1])
    expect(partOf(answer, 'scrapes')).toBeUndefined()
  })
})

describe('a column of steps', () => {
  const seriesAt = (...values: readonly (readonly [number, number])[]): AnsweredSeries => ({
    labels: {},
    values,
  })

  const THREE_MINUTES = { fromMs: 100_000, stepMs: 60_000, count: 3 }

  it('has each value at the step that ends at its time, and null elsewhere', () => {
    expect(columnOf(seriesAt([160, 1], [280, 3]), THREE_MINUTES)).toEqual([1, null, 3])
    expect(columnOf(undefined, THREE_MINUTES)).toEqual([null, null, null])
  })

  it('omits values outside its steps', () => {
    expect(columnOf(seriesAt([100, 9], [40, 9], [340, 9]), THREE_MINUTES)).toEqual([null, null, null])
  })
})
