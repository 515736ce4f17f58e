import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, type RenderResult } from '@testing-library/react'
import type { ReactNode } from 'react'
import { Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import { createStore, type Store } from '#base/store.ts'
import type { EngineApi } from '#engine/bridge.ts'
import type { FleetSnapshot } from '#monitor/live.ts'
import { effectiveConfig } from '#protocol/effective.ts'
import { EMPTY_SETTINGS, type ServerConfig, type Settings } from '#protocol/settings.ts'
import {
  DashboardContext,
  type Boot,
  type Configuration,
  type Dashboard,
  type KeyState,
} from '#react/dashboard.ts'
import type { KeyInfo, SignerAdmin, SignerReport } from '#signer/api.ts'
import { LiveRegions } from '#ui/live-region.tsx'
import { aSnapshot } from './fleet-fixture.ts'

export const A_KEY: KeyInfo = {
  publicKey: `5f3c${'0'.repeat(56)}91a2`,
  label: 'operator',
  createdMs: Date.UTC(2026, 10, 1),
  custody: 'device',
}

export const A_REPORT: SignerReport = {
  network: 'blocked',
  cryptography: 'webcrypto',
  worker: 'shared',
  storage: true,
}

export const NO_SERVER: ServerConfig = { version: 1, services: [], nodes: [], canAddServices: false }

export type FakeOptions = {
  readonly snapshot?: FleetSnapshot
  readonly settings?: Settings
  readonly server?: ServerConfig
  readonly problem?: Configuration['problem']
  readonly keys?: readonly KeyInfo[]
  readonly report?: SignerReport | undefined
  readonly keysFailed?: boolean
  readonly boot?: Boot
  readonly engine?: Partial<EngineApi>
  readonly signer?: Partial<SignerAdmin>
} & Partial<Pick<Dashboard, 'saveSettings' | 'refreshKeys' | 'allowService' | 'forgetEverything'>>

/** A Dashboard whose stores the test moves by hand. What the test did not foresee is called, throws. */
export type FakeDashboard = Dashboard & {
  readonly configuration: Store<Configuration>
  readonly keys: Store<KeyState>
  /** Moves the steady clock and lets every ticking text tick, within act. */
  readonly advance: (ms: number) => void
  /** Publishes a new picture of the fleet, within act. */
  readonly show: (snapshot: FleetSnapshot) => void
}

export function fakeDashboard(options: FakeOptions = {}): FakeDashboard {
  const snapshot = options.snapshot ?? aSnapshot()
  const settings = options.settings ?? EMPTY_SETTINGS
  const server = options.server ?? NO_SERVER
  const fleet = createStore(snapshot)
  let nowMs = snapshot.nowMs
  const seconds = createStore(nowMs)
  return {
    fleet,
    nowMs: () => nowMs,
    seconds,
    configuration: createStore<Configuration>({
      settings,
      server,
      effective: effectiveConfig(server, settings),
      problem: options.problem,
    }),
    keys: createStore<KeyState>({
      keys: options.keys ?? [A_KEY],
      report: 'report' in options ? options.report : A_REPORT,
      failed: options.keysFailed ?? false,
    }),
    boot: createStore<Boot>(options.boot ?? 'ready'),
    engine: { ...unexpectedEngine(), ...options.engine },
    signer: { ...unexpectedSigner(), ...options.signer },
    saveSettings: options.saveSettings ?? unexpected('saveSettings'),
    refreshKeys: options.refreshKeys ?? unexpected('refreshKeys'),
    allowService: options.allowService ?? unexpected('allowService'),
    forgetEverything: options.forgetEverything ?? unexpected('forgetEverything'),
    advance: (ms) =>
      act(() => {
        nowMs += ms
        seconds.publish(nowMs)
      }),
    show: (next) =>
      act(() => {
        nowMs = Math.max(nowMs, next.nowMs)
        fleet.publish(next)
        seconds.publish(nowMs)
      }),
  }
}

const unexpected = (name: string) => (): never => {
  throw new Error(`unexpected call: ${name}`)
}

const unexpectedEngine = (): EngineApi => ({
  connectSigner: unexpected('engine.connectSigner'),
  configure: unexpected('engine.configure'),
  subscribe: unexpected('engine.subscribe'),
  pollNow: unexpected('engine.pollNow'),
  keyChanged: unexpected('engine.keyChanged'),
  readLanes: unexpected('engine.readLanes'),
  lastExchange: unexpected('engine.lastExchange'),
  climbLadder: unexpected('engine.climbLadder'),
  findProfile: unexpected('engine.findProfile'),
  setOffline: unexpected('engine.setOffline'),
})

const unexpectedSigner = (): SignerAdmin => ({
  report: unexpected('signer.report'),
  keys: unexpected('signer.keys'),
  makeKey: unexpected('signer.makeKey'),
  importKey: unexpected('signer.importKey'),
  inspectKey: unexpected('signer.inspectKey'),
  openInspected: unexpected('signer.openInspected'),
  keepInspected: unexpected('signer.keepInspected'),
  dropInspected: () => Promise.resolve(),
  removeKey: unexpected('signer.removeKey'),
  noteKey: unexpected('signer.noteKey'),
  lock: unexpected('signer.lock'),
  unlock: unexpected('signer.unlock'),
  changePassphrase: unexpected('signer.changePassphrase'),
  addPasskey: unexpected('signer.addPasskey'),
  removePasskey: unexpected('signer.removePasskey'),
  exportVault: unexpected('signer.exportVault'),
  importVault: unexpected('signer.importVault'),
  presence: unexpected('signer.presence'),
  setLockMinutes: unexpected('signer.setLockMinutes'),
  configure: unexpected('signer.configure'),
  openTryRound: unexpected('signer.openTryRound'),
  openEnginePort: unexpected('signer.openEnginePort'),
})

export type Rendered = RenderResult & {
  /** Every address so far, the last one is the current. */
  readonly addresses: () => readonly string[]
}

/** Renders within the dashboard, a router at `path`, and live regions, as the app does. */
export function renderWith(dashboard: Dashboard, children: ReactNode, path = '/nodes'): Rendered {
  const memory = memoryLocation({ path, record: true })
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const result = render(
    <DashboardContext value={dashboard}>
      <QueryClientProvider client={queries}>
        <Router hook={memory.hook}>
          <LiveRegions>{children}</LiveRegions>
        </Router>
      </QueryClientProvider>
    </DashboardContext>,
  )
  return { ...result, addresses: () => memory.history ?? [] }
}
