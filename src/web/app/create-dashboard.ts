import { createSteadyClock } from '#base/steady.ts'
import { createStore } from '#base/store.ts'
import { applyUpdate, EMPTY_SNAPSHOT } from '#monitor/live.ts'
import type { Effective } from '#protocol/effective.ts'
import { tickEverySecond } from '#platform/page-ticker.ts'
import { allowServiceOnServer, clearSiteData } from '#platform/server-api.ts'
import { clearSettings } from '#platform/settings-storage.ts'
import { systemClock } from '#platform/system-clock.ts'
import type { Boot, Dashboard, KeyState } from '#react/dashboard.ts'
import { createConfiguration } from './configuration.ts'
import { connectWorkers } from './connect-workers.ts'
import { createEngineClock } from './engine-clock.ts'
import { createEngineLink } from './engine-link.ts'

/**
 * Puts the page together: stores, signer, engine. Nothing waits here, so that the first
 * picture can be drawn at once; `start` brings the parts up and resolves when polling runs.
 */
export function createDashboard(): { readonly dashboard: Dashboard; readonly start: () => Promise<void> } {
  const clock = createEngineClock(createSteadyClock(systemClock))
  const fleet = createStore(EMPTY_SNAPSHOT)
  const seconds = createStore(0)
  const boot = createStore<Boot>('starting')
  const keys = createStore<KeyState>({ keys: [], report: undefined, failed: false })
  const { signer, startEngine } = connectWorkers()
  const engine = createEngineLink({
    startEngine,
    onUpdate: (update) => {
      clock.heard(update.nowMs)
      fleet.publish(applyUpdate(fleet.get(), update))
      seconds.publish(clock.nowMs())
    },
    onRestart: clock.reset,
    openSignerPort: signer.openEnginePort,
  })

  /** A signer that did not start is shown as that; the engine goes on, and its polls say so too. */
  const signerFailed = (): void => keys.publish({ ...keys.get(), failed: true })

  const putToWork = async ({ services, nodes }: Effective): Promise<void> => {
    await signer.configure(services).catch(signerFailed)
    await engine.api.configure({ serverOrigin: location.origin, services, nodes })
  }
  const configuration = createConfiguration((effective) => void putToWork(effective))

  const refreshKeys = async (): Promise<void> => {
    try {
      const [list, report] = await Promise.all([signer.keys(), signer.report()])
      keys.publish({ keys: list, report, failed: false })
    } catch {
      signerFailed()
    }
    await engine.api.keyChanged()
  }

  const dashboard: Dashboard = {
    fleet,
    nowMs: clock.nowMs,
    seconds,
    configuration: configuration.store,
    keys,
    boot,
    engine: engine.api,
    signer,
    saveSettings: configuration.save,
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
    tickEverySecond(seconds, clock.nowMs)
    window.addEventListener('online', () => void engine.api.setOffline(false))
    window.addEventListener('offline', () => void engine.api.setOffline(true))
    await Promise.all([configuration.start(), refreshKeys()])
    boot.publish('running')
  }

  return { dashboard, start }
}
