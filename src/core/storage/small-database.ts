import type { Result } from '#base/result.ts'
import type { Database, Storage, StorageFailure } from './storage.ts'

/** A small database for data that may be lost. It opens at first use, and again after a failure. */
export function smallDatabase(
  storage: Pick<Storage, 'open'>,
  name: string,
): Pick<Database, 'read' | 'write'> {
  let opening: ReturnType<Storage['open']> | undefined
  const using = async <T>(work: (database: Database) => Promise<Result<T, StorageFailure>>) => {
    const mine = (opening ??= storage.open(name))
    const opened = await mine
    const done = opened.ok ? await work(opened.value) : opened
    // The first caller to see the failure closes the database for all.
    if (!done.ok && opening === mine) {
      opening = undefined
      if (opened.ok) opened.value.close()
    }
    return done
  }
  return {
    read: (ranges) => using((database) => database.read(ranges)),
    write: (changes, guard) => using((database) => database.write(changes, guard)),
  }
}
