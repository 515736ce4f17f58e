import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import { err, ok, type Result } from '#base/result.ts'
import type { KeyStore, StoredKey } from '#keys/key-store.ts'

const NAME = 'immune-signer'
const VERSION = 1

/** A database that is blocked or broken may never answer; the signer goes on without it. */
export const STORE_LIMIT_MS = 5_000

type Schema = DBSchema & { keys: { key: string; value: unknown } }
type Database = IDBPDatabase<Schema>

/** Keys in IndexedDB, as non-extractable CryptoKeys. */
export function createKeyStore(): KeyStore {
  let opened: Promise<Database> | undefined

  const open = (): Promise<Database> => {
    const opening = openDB<Schema>(NAME, VERSION, {
      upgrade: (database) => {
        database.createObjectStore('keys', { keyPath: 'publicKey' })
      },
      // Another tab deletes the database or brings a newer version: this one must not hold it up.
      blocking: () => {
        opened = undefined
        void opening.then((database) => database.close())
      },
      terminated: () => {
        opened = undefined
      },
    })
    return opening
  }

  const attempt = async <T>(work: (database: Database) => Promise<T>): Promise<Result<T, 'unavailable'>> => {
    opened ??= open()
    const mine = opened
    const outcome = await withinLimit(mine.then(work))
    // The next attempt opens anew; what is opened too late is closed, so that it blocks nobody.
    if (!outcome.ok && opened === mine) {
      opened = undefined
      mine.then(
        (database) => database.close(),
        () => undefined,
      )
    }
    return outcome
  }

  return {
    load: () =>
      attempt(async (database) => {
        const records = await database.getAll('keys')
        return records.filter(isStoredKey)
      }),
    put: (key) => attempt((database) => write(database, (keys) => keys.put(key))),
    remove: (publicKey) => attempt((database) => write(database, (keys) => keys.delete(publicKey))),
  }
}

type Keys = ReturnType<ReturnType<typeof transactionOf>['objectStore']>

const transactionOf = (database: Database) =>
  // Strict: resolved only when it is on disk, because a key that a power cut takes is a lost key.
  database.transaction('keys', 'readwrite', { durability: 'strict' })

async function write(database: Database, change: (keys: Keys) => Promise<unknown>): Promise<undefined> {
  const transaction = transactionOf(database)
  await Promise.all([change(transaction.objectStore('keys')), transaction.done])
}

/** Any script of this origin can write into the database, so a record is looked at like any other input. */
const isStoredKey = (record: unknown): record is StoredKey =>
  typeof record === 'object' &&
  record !== null &&
  'publicKey' in record &&
  'label' in record &&
  'createdMs' in record &&
  'key' in record &&
  typeof record.publicKey === 'string' &&
  /^[0-9a-f]{64}$/.test(record.publicKey) &&
  typeof record.label === 'string' &&
  typeof record.createdMs === 'number' &&
  Number.isFinite(record.createdMs) &&
  record.key instanceof CryptoKey &&
  record.key.algorithm.name === 'Ed25519' &&
  !record.key.extractable &&
  record.key.usages.includes('sign')

/** A rejection and a silence are the same to the caller: there is no storage. */
async function withinLimit<T>(work: Promise<T>): Promise<Result<T, 'unavailable'>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<Result<T, 'unavailable'>>((done) => {
    timer = setTimeout(() => done(err('unavailable')), STORE_LIMIT_MS)
  })
  try {
    return await Promise.race([work.then(ok), limit])
  } catch {
    return err('unavailable') // blocked site data, a full disk, a damaged database: all reject
  } finally {
    clearTimeout(timer)
  }
}
