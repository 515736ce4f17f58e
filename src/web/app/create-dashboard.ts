import { createSteadyClock } from '#base/steady.ts'
import { createStore } from '#base/store.ts'
import { applyUpdate, EMPTY_SNAPSHOT } from '#monitor/live.ts'
import { effectiveConfig } from '#protocol/effective.ts'
import type { Settings } from '#protocol/settings.ts'
import { tickEverySecond } from '#platform/page-ticker.ts'
import { allowServiceOnServer, clearSiteData, loadServerConfig, NO_SERVER_CONFIG } from '#platform/server-api.ts'
import { clearSettings, loadSettings, saveSettings, watchSettings } from '#platform/settings-storage.ts'
import { systemClock } from '#platform/system-clock.ts'
import type { Boot, Configuration, Dashboard, KeyState } from '#react/dashboard.ts'
import { connectWorkers } from './connect-workers.ts'
import { createEngineLink } from './engine-link.ts'

/**
 * Puts the page together: stores, signer, engine. Nothing waits here, so that the first
 * picture can be drawn at once; `start` brings the parts up and resolves when polling runs.
 */
export function createDashboard(): { readonly dashboard: Dashboard; readonly start: () => Promise<void> } {
  const steady = createSteadyClock(systemClock)
  const fleet = createStore(EMPTY_SNAPSHOT)
  const boot = createStore<Boot>('starting')
  const keys = createStore<KeyState>({ keys: [], report: undefined, failed: false })
  const loaded = loadSettings()
  const configuration = createStore<Configuration>({
    settings: loaded.settings,
    server: NO_SERVER_CONFIG,
    effective: effectiveConfig(NO_SERVER_CONFIG, loaded.settings),
    problem: loaded.problem,
  })

  // The engine's clock is ahead of this page's by the largest lead that any update showed:
  // an update that was under way longer shows a smaller one, and ages must err towards older.
  let engineLeadMs = Number.NEGATIVE_INFINITY
  const nowMs = (): number => (engineLeadMs === Number.NEGATIVE_INFINITY ? 0 : steady.nowMs() + engineLeadMs)
  const seconds = createStore(0)

  const { signer, startEngine } = connectWorkers()
  const engine = createEngineLink({
    startEngine,
    onUpdate: (update) => {
      engineLeadMs = Math.max(engineLeadMs, update.nowMs - steady.nowMs())
      fleet.publish(applyUpdate(fleet.get(), update))
      seconds.publish(nowMs())
    },
    onRestart: () => {
      engineLeadMs = Number.NEGATIVE_INFINITY // the new engine's clock starts anew
    },
    openSignerPort: async (port) => signer.openEnginePort(port),
  })

  const apply = async (next: Configuration): Promise<void> => {
    configuration.publish(next)
    const { services, nodes } = next.effective
    await signer.configure(services)
    await engine.api.configure({ serverOrigin: location.origin, services, nodes })
  }

  const refreshKeys = async (): Promise<void> => {
    try {
      const [list, report] = await Promise.all([signer.keys(), signer.report()])
      keys.publish({ keys: list, report, failed: false })
      await engine.api.keyChanged()
    } catch {
      keys.publish({ ...keys.get(), failed: true }) // the signer did not start; the screen says so
    }
  }

  const withSettings = (settings: Settings): Configuration => ({
    ...configuration.get(),
    settings,
    effective: effectiveConfig(configuration.get().server, settings),
  })

  const dashboard: Dashboard = {
    fleet,
    nowMs,
    seconds,
    configuration,
    keys,
    boot,
    engine: engine.api,
    signer,
    saveSettings: (settings) => {
      const kept = saveSettings(settings)
      void apply({ ...withSettings(settings), problem: kept ? undefined : 'not-saved' })
      return kept
    },
    refreshKeys,
    allowService: async (service) => {
      const allowed = await allowServiceOnServer(service)
      // What the engine may reach is fixed when its script is loaded, so a new one is started.
      if (allowed.ok && service.via === 'direct') await engine.restart()
      return allowed
    },
    forgetEverything: async () => {
      for (const key of keys.get().keys) await signer.removeKey(key.publicKey)
      clearSettings()
      if (!(await clearSiteData())) return false
      location.hash = ''
      location.reload()
      return true
    },
  }

  const start = async (): Promise<void> => {
    tickEverySecond(seconds, nowMs)
    watchSettings((settings) => void apply(withSettings(settings)))
    window.addEventListener('online', () => void engine.api.setOffline(false))
    window.addEventListener('offline', () => void engine.api.setOffline(true))
    const [server] = await Promise.all([loadServerConfig(), refreshKeys()])
    await apply({
      ...configuration.get(),
      server: server.ok ? server.value : NO_SERVER_CONFIG,
      effective: effectiveConfig(server.ok ? server.value : NO_SERVER_CONFIG, configuration.get().settings),
      problem: configuration.get().problem ?? (server.ok ? undefined : 'config-unreadable'),
    })
    boot.publish('running')
  }

  return { dashboard, start }
}
