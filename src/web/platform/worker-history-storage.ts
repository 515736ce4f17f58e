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
} from '#history/storage.ts'
import { siteName } from './site.ts'

/** Databases of history begin so; others of this origin are left alone. */
const PREFIX = 'immune-history-'
/** Empty, and there for a moment only. */
const SCRATCH = 'immune-tidy'

/** A database that is blocked or broken may never call back; history goes on in memory meanwhile. */
const LIMIT_MS = 5_000
/** A whole fleet's hour on a slow disk, or a large database that is deleted, is no hang. */
const WORK_LIMIT_MS = 30_000

/** History in IndexedDB. */
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
      // Some private modes refuse to say.
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
      // Another tab brings a newer version, or deletes it: this one must not hold it up.
      blocking: () => {
        isClosed = true
        void opening.then((database) => database.close())
      },
      terminated: () => {
        isClosed = true
      },
    })
  } catch (error) {
    return err(failureOf(error)) // where there is no IndexedDB, naming it throws
  }
  const opened = await withinLimit(LIMIT_MS, () => opening)
  if (!opened.ok) {
    // What opens too late is closed, or it would block everybody who comes after.
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
 * Deleting a database, be it empty, is what makes Chromium tidy up behind all of this origin: rows that are deleted or
 * written over stay on its disk until so much more has been written.
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
  // Relaxed: given to the operating system, so that neither a crash nor a kill of the browser takes it.
  const transaction = database.transaction(TABLES, 'readwrite', { durability: 'relaxed' })
  const { done } = transaction
  // Every request that fails ends the transaction, and this tells of it.
  done.catch(() => undefined)
  // What nobody waits for any more is written anew by whoever gave it up: it must not come late, beside that.
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
  // Asked before, and answered while the changes are under way: they all go if it is another's.
  const isOurs = await held?.then(
    (value: unknown) => guard?.holds(value),
    () => true, // The transaction ended, as on a full disk: it says why by itself.
  )
  if (isOurs === false) {
    transaction.abort()
    return 'taken'
  }
  commit(transaction)
  await done
  return 'kept'
}

/** Now: by itself it waits for the answers to its requests, and a Worker that the browser ends does not live to see them. */
function commit(transaction: { readonly commit: () => void }): void {
  try {
    transaction.commit()
  } catch {
    // A request failed, and ended it.
  }
}

function undo(transaction: { readonly abort: () => void }): void {
  try {
    transaction.abort()
  } catch {
    // It ended just now.
  }
}

const rangeOf = ({ from, to }: KeyRange): IDBKeyRange =>
  IDBKeyRange.bound(Array.from(from), Array.from(to), false, true)

/** Our own keys are lists of numbers and texts; one of another kind is nobody's we know. */
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

/** An exception as the kind of failure that it is; no answer in time is one of its own, and `work` is told. */
export async function withinLimit<T>(
  limitMs: number,
  work: (givenUp: AbortSignal) => Promise<T>,
): Promise<Result<T, StorageFailure>> {
  const giveUp = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<Result<T, StorageFailure>>((done) => {
    timer = setTimeout(() => {
      done(err('no-answer'))
      giveUp.abort()
    }, limitMs)
  })
  try {
    return await Promise.race([work(giveUp.signal).then(ok), limit])
  } catch (error) {
    return err(failureOf(error))
  } finally {
    clearTimeout(timer)
  }
}

function failureOf(error: unknown): StorageFailure {
  if (error instanceof ReferenceError || error instanceof TypeError) return 'none' // no IndexedDB at all
  switch (error instanceof Error ? error.name : '') {
    case 'QuotaExceededError':
      return 'full'
    case 'VersionError':
      return 'newer'
    case 'InvalidStateError':
    case 'AbortError':
      return 'closed'
    case 'SecurityError':
      return 'none'
    default:
      return 'broken'
  }
}
