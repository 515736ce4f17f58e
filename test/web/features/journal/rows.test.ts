import { describe, expect, it } from 'vitest'
import { rowsOf } from '#features/journal/rows.ts'
import type { KeptEntry } from '#history/event-log.ts'

const entry = (time: string): KeptEntry => ({
  id: time,
  wallMs: Date.parse(time),
  area: 'record',
  what: 'note',
})
const shape = (times: readonly string[]) =>
  rowsOf(times.map(entry), 'utc').map((row) => row.entry?.id.slice(11, 16) ?? 'day')

describe('rows of the journal', () => {
  it('have each day over its entries', () => {
    expect(
      shape(['2026-11-21T00:00:00Z', '2026-11-20T23:59:59Z', '2026-11-20T23:50:00Z', '2026-11-18T23:50:00Z']),
    ).toEqual(['day', '00:00', 'day', '23:59', '23:50', 'day', '23:50'])
    expect(shape([])).toEqual([])
  })
})
