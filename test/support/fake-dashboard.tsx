import { act, render, type RenderResult } from '@testing-library/react'
import type { ReactNode } from 'react'
import type { AlarmsView } from '#alarms/alarm.ts'
import { createStore, type Store } from '#base/store.ts'
import { ENGINE_CALLS, type EngineCalls, type EngineState, type PageHealth } from '#engine/bridge.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { callsByName } from '#platform/calls-by-name.ts'
import { EMPTY_SETTINGS, effectiveConfig } from '#settings/effective.ts'
import type { ServerConfig, Settings } from '#settings/schema.ts'
import {
  DashboardContext,
  type Boot,
  type Configuration,
  type Dashboard,
  type KeyState,
  type Said,
  type ServerWatch,
} from '#react/dashboard.ts'
import { LocationContext, type ViewLocation } from '#react/location.ts'
import { serviceIdOf } from '#record/service.ts'
import type { Notifier } from '#react/notifier.ts'
import { SIGNER_CALLS, type KeyInfo, type SignerAdmin, type SignerReport } from '#signer/api.ts'
import { LiveRegions } from '#ui/live-region.tsx'
import { aSnapshot } from './fleet-fixture.ts'

export const A_KEY: KeyInfo = {
  publicKey: `5f3c${'0'.repeat(56)}91a2`,
  label: 'operator',
  createdMs: Date.UTC(2026, 10, 1),
  custody: 'device',
  family: 'plain',
}

export const A_REPORT: SignerReport = {
  network: 'blocked',
  cryptography: 'webcrypto',
  worker: 'shared',
  storage: true,
}

export const NO_SERVER: ServerConfig = {
  version: 1,
  services: [],
  nodes: [],
  rules: [],
  canAddServices: false,
}

export type FakeOptions = {
  readonly snapshot?: FleetSnapshot
  readonly metrics?: MetricRegistry
  readonly settings?: Settings
  readonly server?: ServerConfig
  readonly problem?: Configuration['problem']
  readonly keys?: readonly KeyInfo[]
  readonly report?: SignerReport | undefined
  readonly keysFailed?: boolean
  readonly boot?: Boot
  readonly engineState?: EngineState
  readonly history?: HistoryStatus
  readonly alarms?: AlarmsView
  readonly health?: Partial<PageHealth>
  readonly notifier?: Notifier
  readonly engine?: Partial<EngineCalls>
  readonly signer?: Partial<SignerAdmin>
  readonly serverWatch?: Partial<Dashboard['serverWatch']>
  /** Collects saved settings, which also take effect. */
  readonly saved?: Settings[]
} & Partial<
  Pick<
    Dashboard,
    | 'saveSettings'
    | 'restoreSettings'
    | 'refreshKeys'
    | 'allowService'
    | 'listAdded'
    | 'removeAdded'
    | 'forgetEverything'
    | 'receivers'
    | 'signedIn'
    | 'signOut'
  >
>

/** A Dashboard whose stores the test controls. Calls that the test does not expect throw. */
export type FakeDashboard = Dashboard & {
  readonly configuration: Store<Configuration>
  readonly keys: Store<KeyState>
  /** Advances the steady clock and updates every ticking text. */
  readonly tick: (ms: number) => void
  /** The same, within act. */
  readonly advance: (ms: number) => void
  /** Publishes a new snapshot of the fleet, within act. */
  readonly show: (snapshot: FleetSnapshot) => void
}

export function fakeDashboard(options: FakeOptions = {}): FakeDashboard {
  const snapshot = options.snapshot ?? aSnapshot()
  const settings = options.settings ?? EMPTY_SETTINGS
  const server = options.server ?? NO_SERVER
  const fleet = createStore(snapshot)
  let nowMs = snapshot.nowMs
  const seconds = createStore(nowMs)
  const configuration = createStore<Configuration>({
    settings,
    server,
    effective: effectiveConfig(server, settings),
    problem: options.problem,
  })
  const save = (next: Settings): true => {
    options.saved?.push(next)
    const now = configuration.get()
    configuration.publish({ ...now, settings: next, effective: effectiveConfig(now.server, next) })
    return true
  }
  const tick = (ms: number): void => {
    nowMs += ms
    seconds.publish(nowMs)
  }
  return {
    metrics: options.metrics ?? METRICS,
    fleet,
    nowMs: () => nowMs,
    seconds,
    configuration,
    keys: createStore<KeyState>({
      keys: (options.keys ?? [A_KEY]).map((key) =>
        key.grants === undefined ? grantedAll(key, server, settings) : key,
      ),
      report: 'report' in options ? options.report : A_REPORT,
      failed: options.keysFailed ?? false,
    }),
    boot: createStore<Boot>(options.boot ?? 'ready'),
    engineState: createStore<EngineState>(options.engineState ?? { kind: 'running' }),
    history: createStore<HistoryStatus | undefined>(options.history),
    health: createStore<PageHealth>({
      memoryMb: undefined,
      isOldVersion: undefined,
      errors: 0,
      engineLost: false,
      ...options.health,
    }),
    events: createStore(0),
    alarms: createStore<AlarmsView | undefined>(options.alarms),
    toasts: createStore<readonly Said[]>([]),
    notifier: createStore<Notifier | undefined>(options.notifier),
    engine: { ...fakeEngine(), ...options.engine },
    signer: { ...fakeSigner(), ...options.signer },
    serverWatch: {
      store: createStore<ServerWatch | undefined>(undefined),
      read: unexpected('serverWatch.read'),
      act: unexpected('serverWatch.act'),
      actHere: unexpected('serverWatch.actHere'),
      members: unexpected('serverWatch.members'),
      journal: unexpected('serverWatch.journal'),
      ...options.serverWatch,
    },
    saveSettings: options.saveSettings ?? (options.saved ? save : unexpected('saveSettings')),
    restoreSettings: options.restoreSettings ?? unexpected('restoreSettings'),
    refreshKeys: options.refreshKeys ?? (async () => {}),
    allowService: options.allowService ?? unexpected('allowService'),
    listAdded: options.listAdded ?? (() => Promise.resolve(undefined)),
    removeAdded: options.removeAdded ?? unexpected('removeAdded'),
    signedIn: options.signedIn ?? (() => Promise.resolve(undefined)),
    signOut: options.signOut ?? unexpected('signOut'),
    receivers: options.receivers ?? {
      list: async () => undefined,
      add: unexpected('receivers.add'),
      remove: unexpected('receivers.remove'),
    },
    forgetEverything: options.forgetEverything ?? unexpected('forgetEverything'),
    tick,
    advance: (ms) => act(() => tick(ms)),
    show: (next) =>
      act(() => {
        nowMs = Math.max(nowMs, next.nowMs)
        fleet.publish(next)
        seconds.publish(nowMs)
      }),
  }
}

/** The key with grants for these services. */
export const granted = (key: KeyInfo, services: readonly { readonly baseUrl: string }[] = []): KeyInfo => ({
  ...key,
  grants: services.map(({ baseUrl }) => ({ serviceId: serviceIdOf(baseUrl), profiles: [] })),
})

/** By default a key is granted for every service. */
const grantedAll = (key: KeyInfo, server: ServerConfig, settings: Settings): KeyInfo =>
  granted(key, [
    ...effectiveConfig(server, settings).services,
    ...(server.demo === undefined ? [] : [server.demo.service]),
  ])

const unexpected = (name: string) => (): never => {
  throw new Error(`unexpected call: ${name}`)
}

const fakeEngine = (): EngineCalls => ({
  ...callsByName<EngineCalls>(ENGINE_CALLS, (name) => unexpected(`engine.${name}`)()),
  lookAt: async () => {},
  readUsual: async () => ({}),
  readNetworkSeries: async () => ({ fromMs: 0, toMs: 0, lines: [] }),
  // The journal is empty by default; tests of the journal pass their own entries.
  readEvents: async () => ({ entries: [], before: undefined }),
  watchEvents: async () => {},
  watchAlarms: async () => {},
  watchAnnouncements: async () => {},
  setChannels: async () => {},
  watchDeliveries: async () => {},
  testReceiver: async () => ({ ok: true, value: { status: 200, answer: '' } }),
  tryReceiver: async () => {},
  setPageFacts: async () => {},
})

const fakeSigner = (): SignerAdmin => ({
  ...callsByName<SignerAdmin>(SIGNER_CALLS, (name) => unexpected(`signer.${name}`)()),
  allowSigning: async () => ({ ok: true, value: A_KEY }),
  dropInspected: async () => {},
  tokens: async () => [],
})

export type Rendered = RenderResult & {
  /** Every address so far, oldest first. */
  readonly addresses: () => readonly string[]
}

/** An in-memory location, and every address that it had. */
export function memoryLocation(path: string) {
  const address = createStore(path)
  const addresses = [path]
  const location: ViewLocation = {
    subscribe: address.subscribe,
    get: address.get,
    navigate: (to, options) => {
      addresses.splice(options?.replace === true ? -1 : addresses.length, 1, to)
      address.publish(to)
    },
  }
  return { location, addresses }
}

/** Renders within the dashboard, a router at `path`, and live regions, as the app does. */
export function renderWith(dashboard: Dashboard, children: ReactNode, path = '/nodes'): Rendered {
  const memory = memoryLocation(path)
  const result = render(
    <DashboardContext value={dashboard}>
      <LocationContext value={memory.location}>
        <LiveRegions after={() => () => undefined}>{children}</LiveRegions>
      </LocationContext>
    </DashboardContext>,
  )
  return { ...result, addresses: () => memory.addresses }
}
