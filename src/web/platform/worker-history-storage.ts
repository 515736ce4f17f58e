import { openDB, type IDBPDatabase } from 'idb'
import { err, ok, type Result } from '#base/result.ts'
import {
  HISTORY_VERSION,
  TABLES,
  type Change,
  type Database,
  type Guard,
  type KeyRange,
  type ReadRange,
  type Storage,
  type StorageFailure,
  type StoredRow,
} from '#storage/storage.ts'
import { siteName } from './site.ts'
import { failureOf, withinLimit } from './worker-database.ts'

/** Prefix of history databases; other databases of this origin are left alone. */
const PREFIX = 'immune-history-'
/** An empty database that exists only briefly. */
const SCRATCH = 'immune-tidy'

/** A blocked or broken database may never call back. Until it does, history stays in memory. */
const LIMIT_MS = 5_000
/** Longer limit for work such as writing an hour of a large fleet or deleting a large database on a slow disk. */
const WORK_LIMIT_MS = 30_000

export function createHistoryStorage(version = HISTORY_VERSION): Storage {
  return {
    list: () =>
      withinLimit(LIMIT_MS, async () => {
        const databases = await indexedDB.databases()
        return databases.flatMap(({ name }) =>
          name?.startsWith(siteName(PREFIX)) === true ? [name.slice(siteName('').length)] : [],
        )
      }),
    open: (name) => open(name, version),
    remove,
    tidy,
    quotaBytes: async () => {
      // Some private modes reject this call.
      const estimate = await withinLimit(LIMIT_MS, () => navigator.storage.estimate())
      return estimate.ok ? estimate.value.quota : undefined
    },
  }
}

async function open(name: string, version: number): Promise<Result<Database, StorageFailure>> {
  let isClosed = false
  let isBlocked = false
  let opening: Promise<IDBPDatabase>
  try {
    opening = openDB(siteName(name), version, {
      upgrade: (database) => {
        for (const table of TABLES)
          if (!database.objectStoreNames.contains(table)) database.createObjectStore(table)
      },
      blocked: () => {
        isBlocked = true
      },
      // Another tab upgrades or deletes the database, so this one closes it.
      blocking: () => {
        isClosed = true
        void opening.then((database) => database.close())
      },
      terminated: () => {
        isClosed = true
      },
    })
  } catch (error) {
    return err(failureOf(error)) // Without IndexedDB, using its name throws.
  }
  const opened = await withinLimit(LIMIT_MS, () => opening)
  if (!opened.ok) {
    // A database that opens too late is closed, because it would block all later users.
    opening.then(
      (database) => database.close(),
      () => undefined,
    )
    return opened.error === 'no-answer' && isBlocked ? err('blocked') : opened
  }
  const database = opened.value
  const alive = <T>(work: (givenUp: AbortSignal) => Promise<T>): Promise<Result<T, StorageFailure>> =>
    isClosed ? Promise.resolve(err('closed')) : withinLimit(WORK_LIMIT_MS, work)
  return ok({
    read: (ranges) => alive(() => readAll(database, ranges)),
    write: async (changes, guard) => {
      const written = await alive((givenUp) => writeAll(database, changes, guard, givenUp))
      return written.ok && written.value === 'taken' ? err('taken') : written.ok ? ok(undefined) : written
    },
    close: () => {
      isClosed = true
      database.close()
    },
  })
}

/**
 * Deleting any database, even an empty one, makes Chromium compact the whole origin. Otherwise deleted and overwritten rows
 * stay on disk until as much again has been written.
 */
async function tidy(): Promise<Result<undefined, StorageFailure>> {
  const made = await withinLimit(LIMIT_MS, async () => {
    const scratch = await openDB(siteName(SCRATCH), 1, {
      upgrade: (database) => database.createObjectStore(SCRATCH),
    })
    scratch.close()
  })
  return made.ok ? remove(SCRATCH) : made
}

async function readAll(
  database: IDBPDatabase,
  ranges: readonly ReadRange[],
): Promise<readonly (readonly StoredRow[])[]> {
  if (ranges.length === 0) return []
  const tables = Array.from(new Set(ranges.map(({ table }) => table)))
  const transaction = database.transaction(tables, 'readonly')
  return Promise.all(
    ranges.map(async (range) => {
      const store = transaction.objectStore(range.table)
      const keyRange = rangeOf(range)
      if (range.backwards === true) return readBackwards(store.openCursor(keyRange, 'prev'), range.limit)
      const [keys, values] = await Promise.all([
        store.getAllKeys(keyRange, range.limit),
        range.keysOnly === true ? [] : store.getAll(keyRange, range.limit),
      ])
      return keys.map((key, place): StoredRow => ({ key: keyOf(key), value: values[place] }))
    }),
  )
}

type Cursor = { readonly key: IDBValidKey; readonly value: unknown; continue: () => Promise<Cursor | null> }

async function readBackwards(
  first: Promise<Cursor | null>,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = []
  for (let cursor = await first; cursor !== null && rows.length < limit; cursor = await cursor.continue())
    rows.push({ key: keyOf(cursor.key), value: cursor.value })
  return rows
}

async function writeAll(
  database: IDBPDatabase,
  changes: readonly Change[],
  guard: Guard | undefined,
  givenUp: AbortSignal,
): Promise<'kept' | 'taken'> {
  // Relaxed durability hands the data to the operating system, so it survives a crash or kill of the browser.
  const transaction = database.transaction(TABLES, 'readwrite', { durability: 'relaxed' })
  const { done } = transaction
  // A failed request aborts the transaction, whose result reports the error.
  done.catch(() => undefined)
  // The caller repeats a write that it gave up, so the late write must not succeed as well.
  givenUp.addEventListener('abort', () => undo(transaction), { once: true })
  const held = guard && transaction.objectStore(guard.table).get(Array.from(guard.key))
  for (const change of changes) {
    const store = transaction.objectStore(change.kind === 'put' ? change.table : change.range.table)
    const request =
      change.kind === 'put'
        ? store.put(change.value, Array.from(change.key))
        : store.delete(rangeOf(change.range))
    request.catch(() => undefined)
  }
  // The guard is read first, and its value arrives while the changes are in progress. If another owner has taken over, all
  // changes are rolled back.
  const isOurs = await held?.then(
    (value: unknown) => guard?.holds(value),
    () => true, // The transaction has ended, as on a full disk; its result has the reason.
  )
  if (isOurs === false) {
    transaction.abort()
    return 'taken'
  }
  commit(transaction)
  await done
  return 'kept'
}

/**
 * Commits at once. An automatic commit waits for all answers, and a Worker that the browser terminates would not live to see
 * them.
 */
function commit(transaction: { readonly commit: () => void }): void {
  try {
    transaction.commit()
  } catch {
    // A failed request has already aborted the transaction.
  }
}

function undo(transaction: { readonly abort: () => void }): void {
  try {
    transaction.abort()
  } catch {
    // The transaction has just ended.
  }
}

const rangeOf = ({ from, to }: KeyRange): IDBKeyRange =>
  IDBKeyRange.bound(Array.from(from), Array.from(to), false, true)

/** This app's keys are arrays of numbers and texts; parts of other types are dropped. */
const keyOf = (key: IDBValidKey): (number | string)[] =>
  Array.isArray(key) ? key.filter((part) => typeof part === 'number' || typeof part === 'string') : []

async function remove(name: string): Promise<Result<undefined, StorageFailure>> {
  let isBlocked = false
  const removed = await withinLimit(WORK_LIMIT_MS, async () => {
    await new Promise<void>((done, failed) => {
      const request = indexedDB.deleteDatabase(siteName(name))
      request.addEventListener('blocked', () => {
        isBlocked = true
      })
      request.addEventListener('success', () => done())
      request.addEventListener('error', () => failed(request.error ?? new Error('not deleted')))
    })
  })
  if (removed.ok) return ok(undefined)
  return removed.error === 'no-answer' && isBlocked ? err('blocked') : removed
}
