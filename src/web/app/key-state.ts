import { createStore, type Store } from '#base/store.ts'
import type { EngineCalls } from '#engine/bridge.ts'
import type { KeyState } from '#react/dashboard.ts'
import type { SignerAdmin } from '#signer/api.ts'
import { sayToPages, type PageWord } from '#platform/page-words.ts'

export type KeyStateOwner = {
  readonly store: Store<KeyState>
  readonly read: () => Promise<void>
  /** The same after a change of keys: the engine and the other tabs are told. */
  readonly refresh: () => Promise<void>
  /** A signer that did not start is shown as that; the engine goes on, and its polls say so too. */
  readonly failed: () => void
  readonly hearWord: (word: PageWord) => Promise<void>
  /** Locks in every tab: where each has a signer of its own, each has to lock it. */
  readonly lock: () => Promise<void>
}

/** Owns what the page knows of keys. */
export function createKeyState(signer: SignerAdmin, engine: () => EngineCalls): KeyStateOwner {
  const store = createStore<KeyState>({ keys: [], report: undefined, failed: false })
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
    refresh: async () => {
      await read()
      await engine().keyChanged()
      sayToPages('keys-changed')
    },
    hearWord: async (word) => {
      if (word === 'lock' && store.get().report?.worker === 'dedicated')
        await signer.lock().catch(() => undefined) // a signer that is gone holds no key
      await read()
    },
    lock: async () => {
      sayToPages('lock')
      await signer.lock()
    },
  }
}
