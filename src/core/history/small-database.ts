import type { Result } from '#base/result.ts'
import type { Database, Storage, StorageFailure } from './storage.ts'

/** Works with a database; undefined where that failed. */
type Using = <T>(work: (database: Database) => Promise<Result<T, StorageFailure>>) => Promise<T | undefined>

/** A small database that is opened at its first use, and anew after anything failed. For what may be missed. */
export function smallDatabase(storage: Pick<Storage, 'open'>, name: string): Using {
  let opening: ReturnType<Storage['open']> | undefined
  return async (work) => {
    const mine = (opening ??= storage.open(name))
    const opened = await mine
    const done = opened.ok ? await work(opened.value) : opened
    if (done.ok) return done.value
    // Whoever meets the failure first closes it, for all who use it.
    if (opening !== mine) return undefined
    opening = undefined
    if (opened.ok) opened.value.close()
    return undefined
  }
}
