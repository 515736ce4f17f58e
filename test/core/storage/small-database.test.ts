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
  return { storage, open, using: smallDatabase(counting, 'small') }
}

describe('a small database', () => {
  it('is opened once, at its first use', async () => {
    const { storage, using } = counted()
    expect(storage.counts.open).toBe(0)
    expect(await using(async () => ok(1))).toBe(1)
    expect(await using(async () => ok(2))).toBe(2)
    expect(storage.counts.open).toBe(1)
    expect(Array.from(storage.databases.keys())).toEqual(['small'])
  })

  it('returns undefined while it cannot be opened, and is opened at a later use', async () => {
    const { storage, using } = counted()
    storage.fault = () => 'none'
    let asked = 0
    const work = async () => ok(++asked)
    expect(await using(work)).toBeUndefined()
    expect(asked).toBe(0)
    storage.fault = () => undefined
    expect(await using(work)).toBe(1)
  })

  it('is opened once by two concurrent uses, and closed once by two failures', async () => {
    const { storage, open, using } = counted()
    expect(await Promise.all([using(async () => ok(1)), using(async () => ok(2))])).toEqual([1, 2])
    expect([open.databases, storage.counts.open]).toEqual([1, 1])
    const failing = using(async () => {
      await Promise.resolve()
      return err('full')
    })
    expect(await Promise.all([failing, using(async () => err('full'))])).toEqual([undefined, undefined])
    expect(open.databases).toBe(0)
  })

  it('is closed after a failure, and opened again at the next use', async () => {
    const { storage, open, using } = counted()
    expect(await using(async () => err('full'))).toBeUndefined()
    expect(open.databases).toBe(0)
    expect(await using(async () => ok('kept'))).toBe('kept')
    expect([open.databases, storage.counts.open]).toEqual([1, 2])
  })
})
