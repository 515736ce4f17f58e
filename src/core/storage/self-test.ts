import { bytesToHex } from '#base/bytes.ts'
import type { Clock } from '#base/clock.ts'
import type { Database, KeyRange, Storage, StorageFailure, StorageKey } from './storage.ts'

/** In this order; each step needs the one before. */
const STORAGE_STEPS = ['open', 'write', 'read', 'delete', 'remove'] as const
export type StorageStep = (typeof STORAGE_STEPS)[number]

/**
 * `lost`, `changed`: the browser reported success but returned no bytes or others. `not-deleted`: it returned
 * deleted bytes.
 */
export type StorageTestFailure = StorageFailure | 'lost' | 'changed' | 'not-deleted'

export type StorageTest = {
  readonly tookMs: number
  /** Undefined if every step passed. */
  readonly failed: { readonly step: StorageStep; readonly why: StorageTestFailure } | undefined
}

/** About the size of one minute of a few hundred nodes. */
export const STORAGE_TEST_BYTES = 65_536

const KEY: StorageKey = ['self-test']
const RANGE: KeyRange = { table: 'rows', from: KEY, to: ['self-test', ''] }

/**
 * Tests storage with a database of its own: writes, reopens, reads, compares, deletes and removes. Never
 * throws.
 */
export async function testStorage(
  storage: Storage,
  clock: Clock,
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>,
): Promise<StorageTest> {
  const startedMs = clock.monotonicMs()
  const name = `immune-storage-test-${bytesToHex(randomBytes(8))}`
  const failed = await tried(storage, name, randomBytes(STORAGE_TEST_BYTES))
  // Removes the remains of a failed test.
  if (failed !== undefined && failed.step !== 'open') await storage.remove(name)
  return { tookMs: clock.monotonicMs() - startedMs, failed }
}

async function tried(
  storage: Storage,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<StorageTest['failed']> {
  const first = await storage.open(name)
  if (!first.ok) return { step: 'open', why: first.error }
  const written = await first.value.write([{ kind: 'put', table: RANGE.table, key: KEY, value: bytes }])
  first.value.close()
  if (!written.ok) return { step: 'write', why: written.error }
  const second = await storage.open(name)
  if (!second.ok) return { step: 'read', why: second.error }
  const failed = await readAndDelete(second.value, bytes)
  second.value.close()
  if (failed !== undefined) return failed
  const removed = await storage.remove(name)
  return removed.ok ? undefined : { step: 'remove', why: removed.error }
}

async function readAndDelete(database: Database, bytes: Uint8Array): Promise<StorageTest['failed']> {
  const read = await database.read([RANGE])
  if (!read.ok) return { step: 'read', why: read.error }
  const kept = read.value[0]?.[0]?.value
  if (kept === undefined) return { step: 'read', why: 'lost' }
  if (!(kept instanceof Uint8Array) || bytesToHex(kept) !== bytesToHex(bytes))
    return { step: 'read', why: 'changed' }
  const deleted = await database.write([{ kind: 'delete', range: RANGE }])
  if (!deleted.ok) return { step: 'delete', why: deleted.error }
  const again = await database.read([RANGE])
  if (!again.ok) return { step: 'delete', why: again.error }
  return again.value[0]?.length === 0 ? undefined : { step: 'delete', why: 'not-deleted' }
}
