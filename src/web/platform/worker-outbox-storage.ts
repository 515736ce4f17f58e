import { openDB, type IDBPDatabase } from 'idb'
import type { OutboxStorage } from '#delivery/delivery-queue.ts'
import { withinLimit } from './worker-history-storage.ts'
import { siteName } from './site.ts'

const NAME = siteName('immune-outbox')
const TABLE = 'receivers'

/** A database that is blocked or broken may never call back; messages are held in memory meanwhile. */
const LIMIT_MS = 3_000

/** What waits for receivers, in IndexedDB. Where there is none, nothing is kept, and all else goes on. */
export function createOutboxStorage(): OutboxStorage {
  let opened: Promise<IDBPDatabase> | undefined
  const database = (): Promise<IDBPDatabase> => {
    opened ??= openDB(NAME, 1, {
      upgrade: (fresh) => {
        fresh.createObjectStore(TABLE)
      },
      // Another tab deletes it: this one must not hold it up.
      blocking: () => close(),
      terminated: () => {
        opened = undefined
      },
    })
    return opened
  }
  const close = (): void => {
    void opened?.then((open) => open.close())
    opened = undefined
  }
  return {
    load: (receiverId) => attempt(async () => (await database()).get(TABLE, receiverId)),
    save: async (receiverId, kept) => {
      await attempt(async () => {
        const open = await database()
        if (kept === undefined) await open.delete(TABLE, receiverId)
        else await open.put(TABLE, kept, receiverId)
      })
    },
  }
}

/** Undefined where it failed or took too long: what can't be kept must not keep anybody from being notified. */
async function attempt(work: () => Promise<unknown>): Promise<unknown> {
  const done = await withinLimit(LIMIT_MS, work)
  return done.ok ? done.value : undefined
}
