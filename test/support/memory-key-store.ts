import { err, ok } from '#base/result.ts'
import type { KeyStore, StoredKey } from '#keys/key-store.ts'

export type MemoryKeyStore = KeyStore & {
  readonly records: Map<string, StoredKey>
  /** Which operations succeed from now on. */
  works: 'all' | 'reading' | 'nothing'
}

/** A key store for tests that fails as a browser's store can. */
export function createMemoryKeyStore(): MemoryKeyStore {
  const records = new Map<string, StoredKey>()
  let lockMinutes: number | undefined
  let tryRounds: ReadonlyMap<string, number> = new Map()
  const tokens = new Map<string, string>()
  const store: MemoryKeyStore = {
    records,
    works: 'all',
    load: async () => (store.works === 'nothing' ? err('unavailable') : ok(Array.from(records.values()))),
    put: async (key) => {
      if (store.works !== 'all') return err('unavailable')
      records.set(key.publicKey, key)
      return ok(undefined)
    },
    note: async (publicKey, { label, notAfterMs, lastUsedMs, grants }) => {
      const record = records.get(publicKey)
      if (store.works !== 'all' || record === undefined) return err('unavailable')
      const { notAfterMs: _, lastUsedMs: __, ...rest } = record
      records.set(publicKey, {
        ...rest,
        label,
        ...(grants !== undefined && { grants }),
        ...(notAfterMs !== undefined && { notAfterMs }),
        ...(lastUsedMs !== undefined && { lastUsedMs }),
      })
      return ok(undefined)
    },
    loadLockMinutes: async () => lockMinutes,
    putLockMinutes: async (minutes) => {
      if (store.works !== 'all') return err('unavailable')
      lockMinutes = minutes
      return ok(undefined)
    },
    loadTryRounds: async () => tryRounds,
    putTryRounds: async (opened) => {
      if (store.works !== 'all') return err('unavailable')
      tryRounds = new Map(opened)
      return ok(undefined)
    },
    tokens: {
      load: async () => (store.works === 'nothing' ? err('unavailable') : ok(new Map(tokens))),
      put: async (serviceId, token) => {
        if (store.works !== 'all') return err('unavailable')
        tokens.set(serviceId, token)
        return ok(undefined)
      },
      remove: async (serviceId) => {
        if (store.works !== 'all') return err('unavailable')
        tokens.delete(serviceId)
        return ok(undefined)
      },
    },
    keepsBytes: async () => ok(store.works === 'all'),
    remove: async (publicKey) => {
      if (store.works !== 'all') return err('unavailable')
      records.delete(publicKey)
      return ok(undefined)
    },
  }
  return store
}
