import type { Result } from '#base/result.ts'
import type { Database, Storage, StorageFailure } from './storage.ts'

/** Undefined if the work failed. */
type Using = <T>(work: (database: Database) => Promise<Result<T, StorageFailure>>) => Promise<T | undefined>

/** A small database for data that may be lost. It opens at first use, and again after a failure. */
export function smallDatabase(storage: Pick<Storage, 'open'>, name: string): Using {
  let opening: ReturnType<Storage['open']> | undefined
  return async (work) => {
    const mine = (opening ??= storage.open(name))
    const opened = await mine
    const done = opened.ok ? await work(opened.value) : opened
    if (done.ok) return done.value
    // The first caller to see the failure closes the database for all.
    if (opening !== mine) return undefined
    opening = undefined
    if (opened.ok) opened.value.close()
    return undefined
  }
}
