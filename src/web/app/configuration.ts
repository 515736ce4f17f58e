import { createStore, type Store } from '#base/store.ts'
import { loadServerConfig, NO_SERVER_CONFIG } from '#platform/server-api.ts'
import { loadSettings, saveSettings, watchSettings } from '#platform/settings-storage.ts'
import { effectiveConfig, type Effective } from '#protocol/effective.ts'
import type { ServerConfig, Settings } from '#protocol/settings.ts'
import type { Configuration } from '#react/dashboard.ts'

export type ConfigurationOwner = {
  readonly store: Store<Configuration>
  /** Keeps new settings and puts them to work; false when the browser would not keep them. */
  readonly save: (settings: Settings) => boolean
  /** Reads the server's part and follows other tabs from then on. */
  readonly start: () => Promise<void>
}

/** Owns settings and the server's part; `putToWork` is called with what is watched from now on. */
export function createConfiguration(putToWork: (effective: Effective) => void): ConfigurationOwner {
  const loaded = loadSettings()
  const store = createStore(configured(NO_SERVER_CONFIG, loaded.settings, loaded.problem))

  const publish = (next: Configuration): void => {
    store.publish(next)
    putToWork(next.effective)
  }

  return {
    store,
    save: (settings) => {
      const kept = saveSettings(settings)
      publish(configured(store.get().server, settings, kept ? undefined : 'not-saved'))
      return kept
    },
    start: async () => {
      watchSettings((settings) => publish(configured(store.get().server, settings, store.get().problem)))
      const server = await loadServerConfig()
      const { settings, problem } = store.get()
      publish(
        server.ok
          ? configured(server.value, settings, problem)
          : configured(NO_SERVER_CONFIG, settings, problem ?? 'config-unreadable'),
      )
    },
  }
}

const configured = (
  server: ServerConfig,
  settings: Settings,
  problem: Configuration['problem'],
): Configuration => ({ settings, server, effective: effectiveConfig(server, settings), problem })
