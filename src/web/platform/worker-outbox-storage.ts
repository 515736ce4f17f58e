import { openDB, type IDBPDatabase } from 'idb'
import type { OutboxStorage } from '#delivery/delivery-queue.ts'
import { withinLimit } from './worker-history-storage.ts'
import { siteName } from './site.ts'

const NAME = siteName('immune-outbox')
const TABLE = 'receivers'

/** A blocked or broken database may never call back. Until it does, messages stay in memory. */
const LIMIT_MS = 3_000

/** Stores pending messages in IndexedDB. Without IndexedDB nothing is stored, and delivery still works. */
export function createOutboxStorage(): OutboxStorage {
  let opened: Promise<IDBPDatabase> | undefined
  const database = (): Promise<IDBPDatabase> => {
    opened ??= openDB(NAME, 1, {
      upgrade: (fresh) => {
        fresh.createObjectStore(TABLE)
      },
      // Another tab deletes the database, so this one closes it.
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

/** Undefined after an error or a timeout, because storage problems must not prevent notifications. */
async function attempt(work: () => Promise<unknown>): Promise<unknown> {
  const done = await withinLimit(LIMIT_MS, work)
  return done.ok ? done.value : undefined
}
