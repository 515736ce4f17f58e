import { describe, expect, it } from 'vitest'
import { STORAGE_TEST_BYTES, testStorage, type StorageStep } from '#storage/self-test.ts'
import type { Change, Database, Storage, StorageFailure } from '#storage/storage.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'

const someBytes = (length: number) => Uint8Array.from({ length }, (_, place) => (place * 7 + length) % 256)

const run = (storage: Storage) => testStorage(storage, createFakeClock(), someBytes)

describe('the storage self-test', () => {
  it('writes, reads and deletes in its own database, and leaves nothing', async () => {
    const storage = createMemoryStorage()
    const opened: string[] = []
    const watched: Storage = {
      ...storage,
      open: (name) => {
        opened.push(name)
        return storage.open(name)
      },
    }
    expect(await run(watched)).toEqual({ tookMs: 0, failed: undefined })
    expect(opened).toEqual(['immune-storage-test-080f161d242b3239', 'immune-storage-test-080f161d242b3239'])
    expect(storage.counts).toMatchObject({ open: 2, write: 2, read: 2, remove: 1 })
    expect(storage.databases.size).toBe(0)
  })

  it('writes STORAGE_TEST_BYTES bytes and deletes them', async () => {
    const changes: Change[] = []
    await run(
      changed((database) => ({
        ...database,
        write: (given) => {
          changes.push(...given)
          return database.write(given)
        },
      })),
    )
    expect(changes).toEqual([
      { kind: 'put', table: 'rows', key: ['self-test'], value: someBytes(STORAGE_TEST_BYTES) },
      { kind: 'delete', range: { table: 'rows', from: ['self-test'], to: ['self-test', ''] } },
    ])
  })

  it('reports how long it took', async () => {
    const clock = createFakeClock()
    const storage = createMemoryStorage()
    const test = await testStorage(
      {
        ...storage,
        remove: async (name) => {
          clock.advanceSync(37)
          return storage.remove(name)
        },
      },
      clock,
      someBytes,
    )
    expect(test).toEqual({ tookMs: 37, failed: undefined })
  })

  it.each<[StorageStep, 'open' | 'write' | 'read' | 'remove', number, StorageFailure]>([
    ['open', 'open', 1, 'none'],
    ['write', 'write', 1, 'full'],
    ['read', 'open', 2, 'closed'],
    ['read', 'read', 1, 'broken'],
    ['delete', 'write', 2, 'closed'],
    ['delete', 'read', 2, 'no-answer'],
    ['remove', 'remove', 1, 'blocked'],
  ])('reports step “%s” if call “%s” number %i fails, and why', async (step, operation, count, why) => {
    const storage = createMemoryStorage()
    storage.fault = (asked) => (asked === operation && storage.counts[operation] === count ? why : undefined)
    expect((await run(storage)).failed).toEqual({ step, why })
    // Leftovers are removed if possible.
    expect(storage.databases.size).toBe(0)
    expect(storage.counts.remove).toBe(step === 'open' ? 0 : step === 'remove' ? 2 : 1)
  })

  it('fails if the browser returns no bytes, fewer or different ones', async () => {
    const giving = (value: readonly unknown[]) =>
      changed((database) => ({
        ...database,
        read: async (ranges) => {
          const read = await database.read(ranges)
          return read.ok
            ? { ok: true, value: [value.map((one) => ({ key: ['self-test'], value: one }))] }
            : read
        },
      }))
    const bytes = someBytes(STORAGE_TEST_BYTES)
    const lost = { step: 'read', why: 'lost' }
    const wrong = { step: 'read', why: 'changed' }
    expect((await run(giving([]))).failed).toEqual(lost)
    expect((await run(giving([bytes.slice(1)]))).failed).toEqual(wrong)
    expect((await run(giving([bytes.slice(0, -1)]))).failed).toEqual(wrong)
    expect((await run(giving([Array.from(bytes)]))).failed).toEqual(wrong)
    expect((await run(giving([bytes.with(STORAGE_TEST_BYTES - 1, 1)]))).failed).toEqual(wrong)
    expect((await run(giving(['bytes']))).failed).toEqual(wrong)
    // The right bytes, but still there after their deletion.
    expect((await run(giving([bytes]))).failed).toEqual({ step: 'delete', why: 'not-deleted' })
  })
})

/** A storage with modified databases. */
function changed(change: (database: Database) => Database): Storage {
  const storage = createMemoryStorage()
  return {
    ...storage,
    open: async (name) => {
      const opened = await storage.open(name)
      return opened.ok ? { ok: true, value: change(opened.value) } : opened
    },
  }
}
