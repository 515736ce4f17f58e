import { openDB, type IDBPDatabase, type OpenDBCallbacks } from 'idb'
import { err, ok, type Result } from '#base/result.ts'
import type { StorageFailure } from '#storage/storage.ts'
import { siteName } from './site.ts'
import { answerWithin, LateError } from './system-clock.ts'

/** A small database that is opened when first needed, and again after it was closed or did not answer in time. */
export function smallDatabase<Schema>(
  name: string,
  version: number,
  limitMs: number,
  upgrade: NonNullable<OpenDBCallbacks<Schema>['upgrade']>,
) {
  type Opened = Promise<IDBPDatabase<Schema>>
  let opened: Opened | undefined

  const open = (): Opened => {
    const opening = openDB<Schema>(siteName(name), version, {
      upgrade,
      // Another tab deletes or upgrades the database, so this one closes it.
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

  return async <T>(
    work: (database: IDBPDatabase<Schema>) => Promise<T>,
  ): Promise<Result<T, StorageFailure>> => {
    let mine: Opened | undefined
    const outcome = await withinLimit(limitMs, async () => {
      opened ??= open()
      mine = opened
      return work(await mine)
    })
    // The next attempt opens the database again. A database that opens too late is closed, so that it blocks nobody.
    if (!outcome.ok && opened === mine) {
      opened = undefined
      mine?.then(
        (database) => database.close(),
        () => undefined,
      )
    }
    return outcome
  }
}

/** Maps exceptions and timeouts to storage failures; `givenUp` tells `work` about a timeout. */
export async function withinLimit<T>(
  limitMs: number,
  work: (givenUp: AbortSignal) => Promise<T>,
): Promise<Result<T, StorageFailure>> {
  const giveUp = new AbortController()
  try {
    return ok(await answerWithin(limitMs, work(giveUp.signal)))
  } catch (error) {
    giveUp.abort()
    return err(failureOf(error))
  }
}

export function failureOf(error: unknown): StorageFailure {
  if (error instanceof LateError) return 'no-answer'
  if (error instanceof ReferenceError || error instanceof TypeError) return 'none' // This scope has no IndexedDB.
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
