import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { columnOf, NOT_AN_ANSWER, partOf, readAnswer, type AnsweredSeries } from '#prometheus/query-answer.ts'
import { valueOf } from '#test/support/value-of.ts'

/** As both engines document it. */
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

describe('the answer to a query over a range', () => {
  it('is a series for each of its labels, with a number for each time', () => {
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
    ['that is no number', [1_435_781_430, 'NaN']],
    ['beyond every number', [1_435_781_430, '+Inf']],
    ['that is not written as a text', [1_435_781_430, 7]],
    ['without a time', [undefined, '7']],
    ['at a time that is a text', ['1435781430', '7']],
    ['at no moment', [Number.POSITIVE_INFINITY, '7']],
    ['that does not come in a pair', 'at seven'],
    ['of nothing', null],
  ])('has no value %s', (_what, pair) => {
    const values = [pair, [1_435_781_445, '3']]
    const result = [{ metric: { part: 'up' }, values }]
    const answer = readAnswer({ status: 'success', data: { resultType: 'matrix', result } })
    expect(answer).toEqual(ok([{ labels: { part: 'up' }, values: [[1_435_781_445, 3]] }]))
  })
})

describe('the answer to a query of one moment', () => {
  it('is a series of one value each', () => {
    const answer = readAnswer(vectorOf({ metric: { part: 'up' }, value: [1_435_781_451.781, '1'] }))
    expect(answer).toEqual(ok([{ labels: { part: 'up' }, values: [[1_435_781_451.781, 1]] }]))
    expect(readAnswer(vectorOf())).toEqual(ok([]))
  })
})

describe('an answer that is none', () => {
  it.each([
    [
      'says why in the engine’s own words',
      { status: 'error', errorType: 'bad_data', error: 'parse error' },
      'parse error',
    ],
    ['says of which kind it is', { status: 'error', errorType: 'timeout' }, 'timeout'],
    ['says at least that it is one', { status: 'error', error: 422, errorType: 422 }, 'error'],
  ])('%s', (_what, body, error) => {
    expect(readAnswer(body)).toEqual(err(error))
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a page', '<html></html>'],
    ['an object of something else', {}],
    ['of another status', { ...MATRIX, status: 'partial' }],
    ['a success without data', { status: 'success' }],
    ['a success whose data are null', { status: 'success', data: null }],
    ['a success whose result is no list', { status: 'success', data: { resultType: 'matrix', result: {} } }],
  ])('is called so where it is %s', (_what, body) => {
    expect(readAnswer(body)).toEqual(err('not-an-answer'))
    expect(NOT_AN_ANSWER).toBe('not-an-answer')
  })
})

describe('a part of an answer', () => {
  const answer: readonly AnsweredSeries[] = [
    { labels: { part: 'up' }, values: [[1, 1]] },
    { labels: { part: 'upMin' }, values: [[1, 0]] },
  ]

  it('is found by the name that it was given in the question', () => {
    expect(partOf(answer, 'upMin')).toBe(answer[1])
    expect(partOf(answer, 'scrapes')).toBeUndefined()
  })
})

describe('a column of steps', () => {
  const seriesAt = (...values: readonly (readonly [number, number])[]): AnsweredSeries => ({
    labels: {},
    values,
  })

  it('has each value at the step that it ends, and null where there is none', () => {
    // Three steps of a minute, from 100 s on.
    expect(columnOf(seriesAt([160, 1], [280, 3]), 100_000, 60_000, 3)).toEqual([1, null, 3])
    expect(columnOf(undefined, 100_000, 60_000, 3)).toEqual([null, null, null])
  })

  it('has nothing of what ends before its first step or after its last', () => {
    expect(columnOf(seriesAt([100, 9], [40, 9], [340, 9]), 100_000, 60_000, 3)).toEqual([null, null, null])
  })
})
