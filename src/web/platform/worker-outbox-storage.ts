import type { OutboxStorage } from '#delivery/delivery-queue.ts'
import { smallDatabase } from './worker-database.ts'

const TABLE = 'receivers'

/** A blocked or broken database may never call back. Until it does, messages stay in memory. */
const LIMIT_MS = 3_000

/**
 * Stores pending messages in IndexedDB. After an error or a timeout nothing is stored, because storage problems must not
 * prevent notifications.
 */
export function createOutboxStorage(): OutboxStorage {
  const attempt = smallDatabase('immune-outbox', 1, LIMIT_MS, (fresh) => {
    fresh.createObjectStore(TABLE)
  })
  return {
    load: async (receiverId) => {
      const loaded = await attempt((database) => database.get(TABLE, receiverId))
      return loaded.ok ? loaded.value : undefined
    },
    save: async (receiverId, kept) => {
      await attempt(async (database) => {
        if (kept === undefined) await database.delete(TABLE, receiverId)
        else await database.put(TABLE, kept, receiverId)
      })
    },
  }
}
