import { describe, expect, it } from 'vitest'
import { addressOf, filterFromAddress, NO_FILTER, queryOf } from '#features/journal/filter.ts'

const read = (address: string) => filterFromAddress(new URLSearchParams(address))

describe('the journal filter in the URL', () => {
  it.each([
    '',
    'kind=alarm%2Cservice',
    'node=a%21b',
    'last=24h',
    'last=between&from=2026-11-20T14%3A00%3A00.000Z&to=2026-11-20T15%3A00%3A00.000Z',
    'q=no+answer',
  ])('round-trips: %s', (address) => {
    expect(new URLSearchParams(addressOf(read(address))).toString()).toBe(address)
  })

  it('ignores unknown values', () => {
    expect(read('kind=alarm,nonsense&last=9y&from=x')).toEqual({ ...NO_FILTER, areas: ['alarm'] })
  })

  it('truncates the search to 200 characters', () => {
    expect(read(`q=${'x'.repeat(201)}`).search).toBe('x'.repeat(200))
  })

  it('becomes a query since some time ago or between two times', () => {
    const nowMs = 10 * 86_400_000
    expect(queryOf(read('last=24h&kind=record&node=n'), nowMs)).toEqual({
      areas: ['record'],
      nodeKey: 'n',
      fromMs: 9 * 86_400_000,
    })
    expect(queryOf(read('from=1970-01-01T00:00:01Z&to=1970-01-01T00:00:02Z'), nowMs)).toEqual({
      fromMs: 1_000,
      toMs: 2_000,
    })
  })
})
