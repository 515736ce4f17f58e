import { expect, it } from 'vitest'
import { writeJournal } from '#features/journal/journal-file.ts'
import type { EventPage, KeptEntry } from '#history/event-log.ts'
import { METRICS } from '#metrics/metrics.ts'

it.each(['csv', 'json'] as const)(
  'a %s export of the journal has the matching entries of every page',
  async (format) => {
    const entry = (id: string): KeptEntry => ({ id, wallMs: 0, area: 'operator', what: `what-${id}` })
    const counts: number[] = []
    const pages: readonly EventPage[] = [
      { entries: [entry('4')], before: '1' },
      { entries: [entry('3'), entry('2')], before: '2' },
      { entries: [entry('1')], before: undefined },
    ]
    const parts = await writeJournal({
      read: async ({ before = '0' }) => pages[Number(before)] ?? { entries: [], before: undefined },
      query: {},
      accepts: ({ id }) => id !== '4',
      format,
      metrics: METRICS,
      onWritten: (count) => counts.push(count) > 0,
    })
    expect(counts).toEqual([0, 2, 3])
    const text = parts?.join('') ?? ''
    for (const id of ['1', '2', '3']) expect(text).toContain(`what-${id}`)
    if (format === 'json') expect(JSON.parse(text)).toHaveLength(3)
  },
)

it('a CSV export has this computer’s time and the service’s time in separate columns', async () => {
  const entry: KeptEntry = { id: '1', wallMs: 1_000, area: 'operator', what: 'x' }
  const parts = await writeJournal({
    read: async () => ({ entries: [{ ...entry, serviceMs: 61_000 }, entry], before: undefined }),
    query: {},
    accepts: undefined,
    format: 'csv',
    metrics: METRICS,
    onWritten: () => true,
  })
  const [head, both, one] = (parts?.join('') ?? '').split('\r\n')
  expect(head).toMatch(/^.?time,service_time,/)
  expect(both).toMatch(/^1970-01-01T00:00:01\.000Z,1970-01-01T00:01:01\.000Z,/)
  expect(one).toMatch(/^1970-01-01T00:00:01\.000Z,,/)
})
