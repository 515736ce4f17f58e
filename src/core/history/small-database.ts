import type { Result } from '#base/result.ts'
import type { Database, Storage, StorageFailure } from './storage.ts'

/** Works with a database; undefined where that failed. */
type Using = <T>(work: (database: Database) => Promise<Result<T, StorageFailure>>) => Promise<T | undefined>

/** A small database that is opened at its first use, and anew after anything failed. For what may be missed. */
export function smallDatabase(storage: Pick<Storage, 'open'>, name: string): Using {
  let opened: Database | undefined
  return async <T>(
    work: (database: Database) => Promise<Result<T, StorageFailure>>,
  ): Promise<T | undefined> => {
    if (opened === undefined) {
      const made = await storage.open(name)
      if (!made.ok) return undefined
      opened = made.value
    }
    const done = await work(opened)
    if (done.ok) return done.value
    opened.close()
    opened = undefined
    return undefined
  }
}
