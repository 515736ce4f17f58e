import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { longTermPath, longTermQuery, queryApiFor } from '#prometheus/long-term-series.ts'

const WEEK_MS = 7 * DAY_MS

describe('the steps of a question', () => {
  it('are whole, hold two scrapes and a minute at least, and cover the range', () => {
    const asked = longTermQuery(
      { fromMs: 10_000_000, toMs: 13_600_000, columns: 1_000, barMs: 60_000 },
      15_000,
    )
    // The range begins 40 s after a whole minute.
    expect(asked).toEqual({
      fromMs: 9_960_000,
      stepMs: MINUTE_MS,
      count: 61,
      barFromMs: 9_960_000,
      barMs: MINUTE_MS,
      barCount: 61,
    })
  })

  it.each([
    ['of an hour in 60 columns', HOUR_MS, 60, MINUTE_MS],
    ['of two hours in 60 columns', 2 * HOUR_MS, 60, 2 * MINUTE_MS],
    ['of an hour in 59 columns, of which no step is exactly one', HOUR_MS, 59, 2 * MINUTE_MS],
    ['of an hour in a single column', HOUR_MS, 1, HOUR_MS],
    ['of an hour where no column is left', HOUR_MS, 0, HOUR_MS],
    ['of a day in more columns than an engine is asked for', 2_000 * MINUTE_MS, 4_000, 2 * MINUTE_MS],
    ['of weeks', 2 * WEEK_MS, 2, WEEK_MS],
    ['of more weeks than the longest step has', 5 * WEEK_MS, 2, 3 * WEEK_MS],
  ])(
    'are as short as people count in, and no more than the columns: %s',
    (_what, lengthMs, columns, stepMs) => {
      const range = { fromMs: 0, toMs: lengthMs, columns, barMs: MINUTE_MS }
      expect(longTermQuery(range, 15_000)).toMatchObject({ stepMs, count: Math.ceil(lengthMs / stepMs) })
    },
  )

  it('stand beside bars that are as wide as they were wanted, and no more than an engine is asked for', () => {
    const year = { fromMs: 0, toMs: 400 * DAY_MS, columns: 4_000 }
    expect(longTermQuery({ ...year, barMs: DAY_MS }, 15_000)).toMatchObject({ barMs: DAY_MS, barCount: 400 })
    expect(longTermQuery({ ...year, barMs: 1_000 }, 15_000)).toMatchObject({
      barMs: DAY_MS / 2,
      barCount: 800,
    })
  })
})

describe('the path of a question', () => {
  const queryOf = () =>
    longTermQuery({ fromMs: 2 * DAY_MS, toMs: 3 * DAY_MS, columns: 24, barMs: 6 * HOUR_MS }, 15_000)

  it('says which service and node, and which steps and bars', () => {
    const url = new URL(longTermPath('abc', '0x1&', queryOf()), 'https://dashboard.example')
    expect(url.pathname).toBe('/query/abc/series')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      node: '0x1&',
      from: '172800000',
      step: '3600000',
      steps: '24',
      barFrom: '172800000',
      bar: '21600000',
      bars: '4',
    })
  })

  it('calls the default node as collectors do', () => {
    expect(longTermPath('abc', undefined, queryOf())).toContain('?node=own&')
  })
})

describe('the query API for a service', () => {
  it('is one that names the service before one for all', () => {
    const apis = [{ name: 'all' }, { name: 'a', service: 'https://a.example' }]
    expect(queryApiFor(apis, 'https://a.example')).toBe(apis[1])
    expect(queryApiFor(apis, 'https://b.example')).toBe(apis[0])
  })

  it('is none where there is none, or none for it', () => {
    expect(queryApiFor([], 'https://b.example')).toBeUndefined()
    expect(queryApiFor(undefined, 'https://b.example')).toBeUndefined()
    expect(queryApiFor([{ service: 'https://a.example' }], 'https://b.example')).toBeUndefined()
  })
})
