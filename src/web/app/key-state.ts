import { createStore } from '#base/store.ts'
import type { EngineCalls } from '#engine/bridge.ts'
import type { LogEntry } from '#history/event-log.ts'
import type { KeyState } from '#react/dashboard.ts'
import type { KeyInfo, SignerAdmin } from '#signer/api.ts'
import { sayToPages, type PageWord } from '#platform/page-words.ts'
import { systemClock } from '#platform/system-clock.ts'

/** Journal entries about added and removed keys. They contain shortened public keys only. */
function changesOf(before: readonly KeyInfo[], now: readonly KeyInfo[]): readonly LogEntry[] {
  const without = (all: readonly KeyInfo[], others: readonly KeyInfo[]): readonly KeyInfo[] =>
    all.filter(({ publicKey }) => !others.some((other) => other.publicKey === publicKey))
  const entries = (what: string, keys: readonly KeyInfo[]): readonly LogEntry[] =>
    keys.map(({ publicKey }) => ({
      wallMs: systemClock.wallMs(),
      area: 'settings',
      what,
      facts: { key: `${publicKey.slice(0, 4)}…${publicKey.slice(-4)}` },
    }))
  return [...entries('key-added', without(now, before)), ...entries('key-removed', without(before, now))]
}

export function createKeyState(signer: SignerAdmin, engine: () => EngineCalls) {
  const store = createStore<KeyState>({ keys: [], report: undefined, failed: false })
  /** Shows that the signer failed to start. The engine continues, and its polls report the failure too. */
  const failed = (): void => store.publish({ ...store.get(), failed: true })
  const read = async (): Promise<void> => {
    try {
      const [keys, report] = await Promise.all([signer.keys(), signer.report()])
      store.publish({ keys, report, failed: false })
    } catch {
      failed()
    }
  }
  return {
    store,
    read,
    failed,
    /** Reads the keys again and informs the engine and the other tabs. */
    refresh: async (): Promise<void> => {
      const before = store.get().keys
      await read()
      await engine().keyChanged()
      const entries = changesOf(before, store.get().keys)
      if (entries.length > 0) await engine().appendEvents(entries)
      sayToPages('keys-changed')
    },
    hearWord: async (word: PageWord): Promise<void> => {
      if (word === 'lock' && store.get().report?.worker === 'dedicated')
        await signer.lock().catch(() => undefined) // A signer that is gone holds no key.
      await read()
    },
    /** Locks in every tab, because each tab may have a signer of its own. */
    lock: async (): Promise<void> => {
      sayToPages('lock')
      await signer.lock()
    },
  }
}
