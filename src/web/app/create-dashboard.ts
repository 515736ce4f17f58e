import type { AlarmsView } from '#alarms/alarm.ts'
import { createSteadyClock } from '#base/steady.ts'
import { createStore } from '#base/store.ts'
import type { EngineState, PageHealth } from '#engine/bridge.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import { applyUpdate, EMPTY_SNAPSHOT } from '#fleet/snapshot.ts'
import type { Effective } from '#settings/effective.ts'
import { createTicking } from '#platform/page-ticker.ts'
import { clearSettings } from '#platform/settings-storage.ts'
import { createGeneration, engineLives, holdPage, watchLeaving } from '#platform/page-life.ts'
import { hearPages, sayToPages } from '#platform/page-words.ts'
import { systemClock } from '#platform/system-clock.ts'
import { watchLife } from '#platform/worker-life.ts'
import type { Boot, Configuration, Dashboard, Said, ServerWatch, SignedIn } from '#react/dashboard.ts'
import type { KeyInfo } from '#signer/api.ts'
import type { Notifier } from '#react/notifier.ts'
import { createConfiguration } from './configuration.ts'
import { createEngineClock } from './engine-clock.ts'
import { createEngineLink } from './engine-link.ts'
import { createKeyState } from './key-state.ts'
import { SITE } from '#platform/site.ts'
import engineUrl from '#engine/engine-worker.ts?worker&url'
import { createWorkerFactory } from '#platform/start-workers.ts'
import signerUrl from '#signer/signer-worker.ts?worker&url'
import { connectSigner } from './connect-signer.ts'

const NOTHING_FOUND: PageHealth = {
  memoryMb: undefined,
  isOldVersion: undefined,
  errors: 0,
  engineLost: false,
}

/** Problems with which this page may know less of the configuration than another page has sent to the engine. */
const PARTIAL: readonly Configuration['problem'][] = [
  'config-unreadable',
  'unreadable',
  'partly-read',
  'newer',
]

/**
 * Creates the page's stores, signer and engine without waiting, so that the first render is immediate. `start` starts them and
 * resolves once polling runs.
 */
export function createDashboard(): { readonly dashboard: Dashboard; readonly start: () => Promise<void> } {
  const clock = createEngineClock(createSteadyClock(systemClock))
  const fleet = createStore(EMPTY_SNAPSHOT)
  const seconds = createStore(0)
  const ticking = createTicking(seconds, clock.nowMs)
  const boot = createStore<Boot>('starting')
  const engineState = createStore<EngineState>({ kind: 'starting' })
  const health = createStore(NOTHING_FOUND)
  const factory = createWorkerFactory([signerUrl, engineUrl])
  const signerRestarted = (): void => void Promise.all([engine.bringSigner(), keys.read()])
  const signer = connectSigner(factory, signerUrl, signerRestarted)
  const engine = createEngineLink({
    // Another build has another URL and therefore its own engine, which waits for this one to end.
    connect: (generation, onFailure) => factory.connect(engineUrl, `immune-engine-${generation}`, onFailure),
    generation: (moved) => createGeneration(factory.isShared ? 'immune-engine-generation' : undefined, moved),
    clock: systemClock,
    life: holdPage(),
    watchLife,
    engineLives,
    onUpdate: (update) => {
      clock.heard(update.nowMs)
      fleet.publish(applyUpdate(fleet.get(), update))
      ticking.heard()
    },
    onState: engineState.publish,
    onRestart: clock.reset,
    onLost: (engineLost) => health.publish({ ...health.get(), engineLost }),
    openSignerPort: signer.openEnginePort,
  })

  const keys = createKeyState(signer, () => engine.api)

  const putToWork = async ({ services, nodes, rules, alarms }: Effective): Promise<void> => {
    await signer.configure(services).catch(keys.failed)
    const isPartial = PARTIAL.includes(configuration.store.get().problem)
    await engine.api.configure({ serverUrl: SITE, services, nodes, rules, alarms }, isPartial)
  }
  const configuration = createConfiguration((effective) => void putToWork(effective))

  const serverWatch = createServerWatch(engine.api.alarmAct)
  const dashboard: Dashboard = {
    metrics: METRICS,
    fleet,
    nowMs: clock.nowMs,
    seconds,
    configuration: configuration.store,
    keys: keys.store,
    boot,
    engineState,
    health,
    history: createStore<HistoryStatus | undefined>(undefined),
    events: createStore(0),
    alarms: createStore<AlarmsView | undefined>(undefined),
    toasts: createStore<readonly Said[]>([]),
    notifier: createStore<Notifier | undefined>(undefined),
    engine: { ...engine.api, alarmAct: actEverywhere(serverWatch) },
    serverWatch,
    signer: { ...signer, lock: keys.lock },
    saveSettings: configuration.save,
    restoreSettings: configuration.restore,
    refreshKeys: keys.refresh,
    ...createServerAdmin(engine.restart),
    forgetEverything: () => forgetSecrets(signer, keys.store.get().keys).then(startOver),
  }

  const start = async (): Promise<void> => {
    ticking.start()
    watchNetwork((isOffline) => void engine.api.setOffline(isOffline))
    watchLeaving(engine.leave)
    hearPages((word) => (word === 'forgotten' ? location.reload() : void keys.hearWord(word)))
    await Promise.all([configuration.start(), keys.read()])
    boot.publish('running')
  }

  return { dashboard, start }
}

function watchNetwork(changed: (isOffline: boolean) => void): void {
  window.addEventListener('online', () => changed(false))
  window.addEventListener('offline', () => changed(true))
}

async function forgetSecrets(signer: Dashboard['signer'], keys: readonly KeyInfo[]): Promise<void> {
  try {
    for (const key of keys) await signer.removeKey(key.publicKey)
    for (const { serviceId } of await signer.tokens()) await signer.forgetToken(serviceId)
  } catch {
    // Without a signer, its files are still removed.
  }
}

/**
 * Deletes everything except keys and reloads the pages of all tabs: those that are open when their storage is deleted no longer
 * share locks with new Workers. False if the browser's site data could not be cleared.
 */
async function startOver(): Promise<boolean> {
  clearSettings()
  if (!(await (await serverServices()).clearSiteData())) return false
  sayToPages('forgotten')
  location.hash = ''
  location.reload()
  return true
}

const createServerWatch = (actHere: Dashboard['engine']['alarmAct']): Dashboard['serverWatch'] => ({
  store: createStore<ServerWatch | undefined>(undefined),
  read: async () => (await watchApi()).readWatch(),
  act: async (act) => (await watchApi()).sendWatchAct(act),
  actHere,
  members: async (id) => (await watchApi()).readWatchMembers(id),
  journal: async (query) => (await watchApi()).readWatchJournal(query),
})

/** An action on this browser's alarms applies to those of the server's watch too; muting silences this page only. */
const actEverywhere =
  ({ store, act: actThere, actHere }: Dashboard['serverWatch']): Dashboard['engine']['alarmAct'] =>
  async (act) => {
    if (store.get() !== undefined && act.act !== 'mute' && act.act !== 'unmute') void actThere(act)
    return actHere(act)
  }

const watchApi = () => import('#platform/watch-api.ts')
/** Loaded only for actions of a person. */
const serverServices = () => import('#platform/server-services.ts')

/**
 * Calls to the dashboard's own server. `restartEngine` is needed because the hosts that an engine may reach are fixed when its
 * script loads.
 */
function createServerAdmin(
  restartEngine: () => Promise<void>,
): Pick<Dashboard, 'allowService' | 'listAdded' | 'removeAdded' | 'receivers' | 'signedIn' | 'signOut'> {
  // A page does not outlast its session.
  let session: SignedIn | 'nobody' | undefined
  return {
    allowService: async (service) => {
      const allowed = await (await serverServices()).allowServiceOnServer(service)
      if (allowed.ok && service.via === 'direct') await restartEngine()
      return allowed
    },
    listAdded: async () => (await serverServices()).listAddedServices(),
    removeAdded: async (baseUrl) => (await serverServices()).removeAddedService(baseUrl),
    signedIn: async () => {
      session ??= await (await serverServices()).readSession()
      return session === 'nobody' ? undefined : session
    },
    signOut: async () => (await serverServices()).endSession(),
    receivers: {
      list: async () => (await serverServices()).listReceivers(),
      add: async (receiver, replaces) => {
        const added = await (await serverServices()).addReceiver(receiver, replaces)
        if (added.ok && receiver['via'] === 'direct') await restartEngine()
        return added
      },
      remove: async (id) => (await serverServices()).removeReceiver(id),
    },
  }
}
