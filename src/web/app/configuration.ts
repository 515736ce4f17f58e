import { createStore, type Store } from '#base/store.ts'
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

export type ConfigurationOwner = {
  readonly store: Store<Configuration>
  /** Keeps new settings and puts them to work; false when the browser would not keep them. */
  readonly save: (settings: Settings) => boolean
  /** The same for settings of an undo step, which is then off the list with all later ones. */
  readonly restore: (settings: Settings, stepAtMs: number) => boolean
  /** Reads the server's part and follows other tabs from then on. */
  readonly start: () => Promise<void>
}

/** A screen that nobody touches for weeks follows its server's file. */
const RENEW_EVERY_MS = 60_000

/** Owns settings and the server's part; `putToWork` is called with what is watched from now on. */
export function createConfiguration(putToWork: (effective: Effective) => void): ConfigurationOwner {
  const loaded = loadSettings()
  const store = createStore(configured(NO_SERVER_CONFIG, loaded.settings, loaded.problem))
  /** What is in force or about to be, so that nothing older is put over it. */
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

  /** What the server's file says by now. One that can't be had or read changes nothing of what it said before. */
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
    save: (settings) => {
      noteUndo(store.get().settings)
      return keep(settings)
    },
    restore: (settings, stepAtMs) => {
      dropUndo(stepAtMs)
      return keep(settings)
    },
    start: async () => {
      watchSettings((seen) => {
        held = seen
        void follow(seen)
      })
      const server = await loadServerConfig()
      // A save during either wait is in the store already, and holds.
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

/** For the next page, which is then drawn without the schema. */
async function readAgain(text: string): Promise<void> {
  try {
    const { used, settings } = (await import('#settings/documents.ts')).salvageSettings(text)
    if (used === 'all') noteSettings(text, settings)
  } catch {
    // The part could not be fetched. The next page fetches it.
  }
}

/** The settings of a document that this build has not read before, or that is damaged. What knows the schema is fetched only then. */
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
    return { settings, problem: 'unreadable' } // the part could not be fetched; a reload tries again
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
