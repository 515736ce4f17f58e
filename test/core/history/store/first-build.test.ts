import { expect, it } from 'vitest'
import type { TableName } from '#history/storage.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { base64ToBytes } from '#base/bytes.ts'
import fixture from '#test/vectors/history/first-build.json' with { type: 'json' }
import { createKept } from './kept-history.ts'

type Row = readonly [readonly (number | string)[], unknown]

const valueOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'bytes' in value && typeof value.bytes === 'string'
    ? base64ToBytes(value.bytes)
    : value

it('what the first build that kept history wrote is read, gone on with, and logged beside', async () => {
  const storage = createMemoryStorage()
  let lastMs = 0
  let samples = 0
  const names = new Set<string>()
  for (const { name, tables } of fixture.databases) {
    const opened = await storage.open(name)
    if (!opened.ok) throw new Error('not opened')
    for (const [table, rows] of Object.entries(tables) as [TableName, Row[]][])
      for (const [key, value] of rows) {
        await opened.value.write([{ kind: 'put', table, key, value: valueOf(value) }])
        if (table === 'nodes') names.add(String(key[0]))
        const head = new Map(Object.entries(Object(value) as object))
        if (table === 'head') lastMs = Math.max(lastMs, Number(head.get('lastMs') ?? 0))
        if (table === 'head') samples += Number(head.get('samples') ?? 0)
      }
  }
  const kept = createKept(storage, createFakeClock(lastMs + 600_000), 'today')
  await kept.start()
  expect(kept.status()).toMatchObject({ state: 'kept', damaged: 0, lost: undefined })
  let answered = 0
  for (const name of names) answered += (await kept.lanes(name, 3_600_000)).samples
  expect(answered).toBe(samples)
  expect(samples).toBeGreaterThan(20)
  await kept.history.log.append([{ wallMs: kept.clock.wallMs(), area: 'operator', what: 'note' }])
  await kept.history.saved()
  kept.history.dispose()
  const again = createKept(storage, kept.clock, 'later')
  await again.start()
  const { entries } = await again.history.log.read({ limit: 9 })
  expect(entries.map(({ what }) => what)).toEqual(['note', 'gap'])
  again.history.dispose()
})
