import { createContext, use } from 'react'
import type { Store } from '#base/store.ts'
import type { EngineApi } from '#engine/bridge.ts'
import type { FleetSnapshot } from '#monitor/live.ts'
import type { Effective } from '#protocol/effective.ts'
import type { ServerConfig, Service, Settings } from '#protocol/settings.ts'
import type { Result } from '#base/result.ts'
import type { KeyInfo, SignerAdmin, SignerReport } from '#signer/api.ts'

/** Settings, as they are and as they came to be. */
export type Configuration = {
  readonly settings: Settings
  readonly server: ServerConfig
  readonly effective: Effective
  /** Why settings or the server's part are not what they should be. */
  readonly problem: 'unreadable' | 'no-storage' | 'not-saved' | 'config-unreadable' | undefined
}

export type KeyState = {
  readonly keys: readonly KeyInfo[]
  /** Undefined while the signer has not answered yet. */
  readonly report: SignerReport | undefined
  /** The signer did not start or does not answer. */
  readonly failed: boolean
}

/** Where start-up is: `ready` only when every later chunk is fetched, so that a deploy can't break this tab. */
export type Boot = 'starting' | 'running' | 'ready'

export type Dashboard = {
  readonly fleet: Store<FleetSnapshot>
  /** The engine's steady clock, as this page knows it; errs towards later, so ages err towards older. */
  readonly nowMs: () => number
  /** `nowMs`, renewed once a second while the page is seen. */
  readonly seconds: Store<number>
  readonly configuration: Store<Configuration>
  readonly keys: Store<KeyState>
  readonly boot: Store<Boot>
  readonly engine: EngineApi
  readonly signer: SignerAdmin
  /** Keeps new settings and puts them to work. False when the browser would not keep them; they hold for this tab all the same. */
  readonly saveSettings: (settings: Settings) => boolean
  /** Reads the key list anew and tells the engine; after every change of keys. */
  readonly refreshKeys: () => Promise<void>
  /** Adds a service to the server's allow-list (proxy) or to what the engine may reach (direct). */
  readonly allowService: (service: Service) => Promise<Result<undefined, AllowProblem>>
  /** Forgets settings, keys and session, and starts over. False: deleted, but the browser was not told to clear its files; nothing was started over. */
  readonly forgetEverything: () => Promise<boolean>
}

/** `not-allowed`: this server takes services from its file only. */
export type AllowProblem = {
  readonly kind: 'not-allowed' | 'no-answer' | 'refused'
  readonly answer?: string
}

export const DashboardContext = createContext<Dashboard | undefined>(undefined)

export function useDashboard(): Dashboard {
  const dashboard = use(DashboardContext)
  if (dashboard === undefined) throw new Error('no Dashboard around this component')
  return dashboard
}
