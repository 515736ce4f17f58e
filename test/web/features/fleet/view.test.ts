import { describe, expect, it } from 'vitest'
import { paramsOf, viewFrom, type FleetView } from '#features/fleet/view.ts'

const read = (query: string): FleetView => viewFrom(new URLSearchParams(query))
const USUAL = read('')

describe('the view in the URL', () => {
  it.each<[string, Partial<FleetView>]>([
    ['', {}],
    ['condition=critical', { condition: 'critical' }],
    ['tag=eu', { tag: 'eu' }],
    ['q=age%3E1m+-shelved', { q: 'age>1m -shelved' }],
    ['sort=stake', { sort: { column: 'stake', descending: false } }],
    ['sort=-heartbeat', { sort: { column: 'heartbeat', descending: true } }],
    ['group=status', { group: 'status' }],
    ['columns=status%2Cstake%3A12.5', { columns: [{ id: 'status' }, { id: 'stake', rem: 12.5 }] }],
    ['density=compact', { density: 'compact' }],
    ['layout=grid', { layout: 'grid' }],
  ])('reads %s and writes it back unchanged', (query, changes) => {
    expect(read(query)).toEqual({ ...USUAL, ...changes })
    expect(new URLSearchParams(paramsOf({ ...USUAL, ...changes })).toString()).toBe(query)
  })

  it.each([
    'condition=terrible',
    'sort=',
    'sort=--stake',
    'sort=<script>',
    'group=a b',
    'columns=',
    'columns=%2C%2C',
    'density=tiny',
    'layout=map',
  ])('ignores the invalid %s', (query) => expect(read(query)).toEqual(USUAL))

  it('caps the query length and column widths, and drops duplicate or invalid columns', () => {
    const { columns, q } = read(
      `q=${'x'.repeat(5_000)}&columns=status:9999,stake:-4,status:7,bad id,${'c,'.repeat(200)}`,
    )
    expect(q).toHaveLength(1_000)
    expect(columns).toEqual([{ id: 'status', rem: 60 }, { id: 'stake', rem: 3 }, { id: 'c' }])
  })
})
