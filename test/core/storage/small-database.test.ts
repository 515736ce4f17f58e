import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { smallDatabase } from '#storage/small-database.ts'
import type { Storage } from '#storage/storage.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'

/** A storage that counts its open databases. */
function counted() {
  const storage = createMemoryStorage()
  const open = { databases: 0 }
  const counting: Pick<Storage, 'open'> = {
    open: async (name) => {
      const made = await storage.open(name)
      if (!made.ok) return made
      open.databases++
      return ok({ ...made.value, close: () => open.databases-- })
    },
  }
  return { storage, open, database: smallDatabase(counting, 'small') }
}

describe('a small database', () => {
  it('is opened once, at its first use', async () => {
    const { storage, database } = counted()
    expect(storage.counts.open).toBe(0)
    expect(await database.read([])).toEqual(ok([]))
    expect(await database.write([])).toEqual(ok(undefined))
    expect(storage.counts.open).toBe(1)
    expect(Array.from(storage.databases.keys())).toEqual(['small'])
  })

  it('fails while it cannot be opened, and is opened at a later use', async () => {
    const { storage, database } = counted()
    storage.fault = () => 'none'
    expect(await database.read([])).toEqual(err('none'))
    expect(storage.counts.read).toBe(0)
    storage.fault = () => undefined
    expect(await database.read([])).toEqual(ok([]))
  })

  it('is opened once by two concurrent uses, and closed once by two failures', async () => {
    const { storage, open, database } = counted()
    expect(await Promise.all([database.read([]), database.read([])])).toEqual([ok([]), ok([])])
    expect([open.databases, storage.counts.open]).toEqual([1, 1])
    storage.fault = () => 'full'
    const full = err('full')
    expect(await Promise.all([database.read([]), database.write([])])).toEqual([full, full])
    expect(open.databases).toBe(0)
  })

  it('is closed after a failure, and opened again at the next use', async () => {
    const { storage, open, database } = counted()
    storage.fault = (operation) => (operation === 'write' ? 'full' : undefined)
    expect(await database.write([])).toEqual(err('full'))
    expect(open.databases).toBe(0)
    expect(await database.read([])).toEqual(ok([]))
    expect([open.databases, storage.counts.open]).toEqual([1, 2])
  })
})
