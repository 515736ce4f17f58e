import { createStore } from '#base/store.ts'
import { dropUndo, keepCopy, noteUndo } from '#platform/kept-settings.ts'
import { loadServerConfig, NO_SERVER_CONFIG } from '#platform/server-api.ts'
import { systemClock } from '#platform/system-clock.ts'
import {
  loadSettings,
  noteSettings,
  saveSettings,
  watchSettings,
  type LoadedSettings,
} from '#platform/settings-storage.ts'
import { effectiveConfig, type Effective } from '#settings/effective.ts'
import type { ServerConfig, Settings } from '#settings/schema.ts'
import type { Configuration } from '#react/dashboard.ts'

/** Refresh interval for the server's configuration, because a screen may run untouched for weeks. */
const RENEW_EVERY_MS = 60_000

/** Owns the settings and the server's configuration. `putToWork` receives the effective configuration on every change. */
export function createConfiguration(putToWork: (effective: Effective) => void) {
  const loaded = loadSettings()
  const store = createStore(configured(NO_SERVER_CONFIG, loaded.settings, loaded.problem))
  /** The latest settings, so that a slower read does not overwrite them. */
  let held = loaded

  const publish = (next: Configuration): void => {
    store.publish(next)
    putToWork(next.effective)
  }
  const keep = (settings: Settings): boolean => {
    held = { settings }
    const kept = saveSettings(settings)
    if (kept) void readAgain(JSON.stringify(settings))
    publish(configured(store.get().server, settings, kept ? undefined : 'not-saved', true))
    return kept
  }

  const follow = async (seen: LoadedSettings): Promise<void> => {
    const { settings, problem } = await understood(seen)
    if (held === seen) publish(configured(store.get().server, settings, problem))
  }

  /** Reloads the server's configuration. If that fails, the previous one stays in effect. */
  const renew = async (): Promise<void> => {
    const read = await loadServerConfig()
    const { server, settings, problem } = store.get()
    const isMissing = problem === 'config-unreadable'
    if (!read.ok) {
      if (isMissing) publish({ ...store.get(), configProblem: read.error })
      return
    }
    if (!isMissing && JSON.stringify(read.value) === JSON.stringify(server)) return
    const isServers = isMissing || problem === 'config-refused' || problem === 'view-only'
    publish(configured(read.value, settings, isServers ? undefined : problem))
  }
  const planRenewal = (): void => {
    systemClock.after(RENEW_EVERY_MS, () => void renew().finally(planRenewal))
  }

  return {
    store,
    /** Stores and applies new settings; returns false if the browser could not store them. */
    save: (settings: Settings): boolean => {
      noteUndo(store.get().settings)
      return keep(settings)
    },
    /** Restores the settings of an undo step and removes that step and all later ones. */
    restore: (settings: Settings, stepAtMs: number): boolean => {
      dropUndo(stepAtMs)
      return keep(settings)
    },
    start: async (): Promise<void> => {
      watchSettings((seen) => {
        held = seen
        void follow(seen)
      })
      const server = await loadServerConfig()
      // Settings saved during either wait are already in the store and take precedence.
      const before = held
      const own = await understood(before)
      const { settings, problem } = held === before ? own : store.get()
      publish(
        server.ok
          ? configured(server.value, settings, problem)
          : {
              ...configured(NO_SERVER_CONFIG, settings, problem ?? 'config-unreadable'),
              configProblem: server.error,
            },
      )
      planRenewal()
    },
  }
}

type Understood = { readonly settings: Settings; readonly problem: Configuration['problem'] }

/** Lets the next page render without loading the schema. */
async function readAgain(text: string): Promise<void> {
  try {
    const { used, settings } = (await import('#settings/documents.ts')).salvageSettings(text)
    if (used === 'all') noteSettings(text, settings)
  } catch {
    // The module failed to load; the next page tries again.
  }
}

/** Parses a document that this build has not read before or that is damaged. Only then is the schema loaded. */
async function understood({ settings, problem, original }: LoadedSettings): Promise<Understood> {
  if (original === undefined) return { settings, problem }
  try {
    const { salvageSettings } = await import('#settings/documents.ts')
    const { used, isNewer, settings: read } = salvageSettings(original)
    if (used !== 'all') keepCopy(original)
    if (used === 'all') {
      noteSettings(original, read)
      return { settings: read, problem }
    }
    return { settings: read, problem: isNewer ? 'newer' : used === 'part' ? 'partly-read' : 'unreadable' }
  } catch {
    keepCopy(original)
    return { settings, problem: 'unreadable' } // The module failed to load; a reload tries again.
  }
}

const serversProblem = ({ fileProblems, isViewOnly }: ServerConfig): Configuration['problem'] =>
  fileProblems === undefined ? (isViewOnly === true ? 'view-only' : undefined) : 'config-refused'

const configured = (
  server: ServerConfig,
  settings: Settings,
  problem: Configuration['problem'],
  isOwnSave = false,
): Configuration => ({
  settings,
  server,
  effective: effectiveConfig(server, settings),
  problem: problem ?? serversProblem(server),
  isOwnSave,
})
