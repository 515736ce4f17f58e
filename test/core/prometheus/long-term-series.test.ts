import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { longTermPath, longTermQuery, queryApiFor } from '#prometheus/long-term-series.ts'

const WEEK_MS = 7 * DAY_MS

describe('the steps of a query', () => {
  it('are whole, span at least two scrapes and a minute, and cover the range', () => {
    const asked = longTermQuery({ fromMs: 10_000_000, toMs: 13_600_000, columns: 1_000 }, 15_000)
    // The range begins 40 s after a whole minute.
    expect(asked).toEqual({ fromMs: 9_960_000, stepMs: MINUTE_MS, count: 61 })
  })

  it.each([
    ['of an hour in 60 columns', HOUR_MS, 60, MINUTE_MS],
    ['of two hours in 60 columns', 2 * HOUR_MS, 60, 2 * MINUTE_MS],
    ['of an hour in 59 columns, which no step divides exactly', HOUR_MS, 59, 2 * MINUTE_MS],
    ['of an hour in a single column', HOUR_MS, 1, HOUR_MS],
    ['of an hour in 0 columns', HOUR_MS, 0, HOUR_MS],
    ['of 2,000 minutes in more columns than the limit of a query', 2_000 * MINUTE_MS, 4_000, 2 * MINUTE_MS],
    ['of two weeks in two columns', 2 * WEEK_MS, 2, WEEK_MS],
    ['of five weeks in two columns', 5 * WEEK_MS, 2, 3 * WEEK_MS],
  ])('are the shortest common length that fits the columns: %s', (_what, lengthMs, columns, stepMs) => {
    const range = { fromMs: 0, toMs: lengthMs, columns }
    expect(longTermQuery(range, 15_000)).toMatchObject({ stepMs, count: Math.ceil(lengthMs / stepMs) })
  })
})

describe('the path of a query', () => {
  const queryOf = () => longTermQuery({ fromMs: 2 * DAY_MS, toMs: 3 * DAY_MS, columns: 24 }, 15_000)

  it('contains the service, the node and the steps', () => {
    const url = new URL(longTermPath('abc', '0x1&', queryOf()), 'https://dashboard.example')
    expect(url.pathname).toBe('/query/abc/series')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      node: '0x1&',
      from: '172800000',
      step: '3600000',
      steps: '24',
    })
  })

  it('names the default node as collectors do', () => {
    expect(longTermPath('abc', undefined, queryOf())).toContain('?node=own&')
  })
})

describe('the query API for a service', () => {
  it('is one for this service before one for all', () => {
    const apis = [{ name: 'all' }, { name: 'a', service: 'https://a.example' }]
    expect(queryApiFor(apis, 'https://a.example')).toBe(apis[1])
    expect(queryApiFor(apis, 'https://b.example')).toBe(apis[0])
  })

  it('is undefined if none is configured, or none for it', () => {
    expect(queryApiFor([], 'https://b.example')).toBeUndefined()
    expect(queryApiFor(undefined, 'https://b.example')).toBeUndefined()
    expect(queryApiFor([{ service: 'https://a.example' }], 'https://b.example')).toBeUndefined()
  })
})
