import { createContext, use } from 'react'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmMember, AlarmsView } from '#alarms/alarm.ts'
import type { Store } from '#base/store.ts'
import type { EngineCalls, EngineState, PageHealth } from '#engine/bridge.ts'
import type { WatchReport } from '#delivery/watch-report.ts'
import type { EventPage, EventQuery } from '#history/event-log.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { Effective } from '#settings/effective.ts'
import type { ConfigProblem } from '#settings/documents.ts'
import type { Members } from '#receivers/kind.ts'
import type { ServerConfig, Service, Settings } from '#settings/schema.ts'
import type { Result } from '#base/result.ts'
import type { AllowProblem, OfferedReceivers, ReceiverProblem, SignedIn } from '#platform/server-services.ts'
import type { KeyInfo, SignerAdmin, SignerReport } from '#signer/api.ts'
import type { Notifier } from './notifier.ts'

export type { AllowProblem, SignedIn } from '#platform/server-services.ts'

export type Said = {
  /** Two toasts may have the same text and time. */
  readonly id: number
  readonly text: string
  /** When it disappears, in monotonic ms. */
  readonly untilMs: number
  readonly undo?: (() => void) | undefined
}

export type Configuration = {
  readonly settings: Settings
  readonly server: ServerConfig
  readonly effective: Effective
  /** Set if this page just saved the settings, not another tab. */
  readonly isOwnSave?: boolean
  /** Why the settings or the server's configuration are incomplete. */
  readonly problem:
    | 'unreadable'
    | 'partly-read'
    | 'newer'
    | 'no-storage'
    | 'not-saved'
    | 'config-unreadable'
    /** The server's configuration file changed, but the server rejects the new version. */
    | 'config-refused'
    /** The page was not opened with the address that the server printed. */
    | 'view-only'
    | undefined
  readonly configProblem?: ConfigProblem
}

export type KeyState = {
  readonly keys: readonly KeyInfo[]
  /** Undefined until the signer has answered. */
  readonly report: SignerReport | undefined
  readonly failed: boolean
}

/** Start-up phase. `ready` means that every lazy chunk is loaded, so that a deploy cannot break this tab. */
export type Boot = 'starting' | 'running' | 'ready'

export type Dashboard = {
  readonly metrics: MetricRegistry
  readonly fleet: Store<FleetSnapshot>
  /** The engine's monotonic clock, as estimated by this page. Never behind, so ages are never too low. */
  readonly nowMs: () => number
  /** `nowMs`, updated once a second while the page is visible. */
  readonly seconds: Store<number>
  readonly configuration: Store<Configuration>
  readonly keys: Store<KeyState>
  readonly boot: Store<Boot>
  readonly engineState: Store<EngineState>
  readonly health: Store<PageHealth>
  /** State of the history store; undefined until known. */
  readonly history: Store<HistoryStatus | undefined>
  /** Increases when the journal has new entries. */
  readonly events: Store<number>
  /** Undefined before the first evaluation. */
  readonly alarms: Store<AlarmsView | undefined>
  /** Newest last. */
  readonly toasts: Store<readonly Said[]>
  /** Undefined until the notification code is loaded. */
  readonly notifier: Store<Notifier | undefined>
  readonly engine: EngineCalls
  readonly signer: SignerAdmin
  /** Stores and applies new settings. Returns false if the browser could not store them; they still apply in this tab. */
  readonly saveSettings: (settings: Settings) => boolean
  /** Restores the settings of an undo step and removes that step and all later ones. */
  readonly restoreSettings: (settings: Settings, stepAtMs: number) => boolean
  /** Reads the list of keys again and updates the engine; call it after every change of keys. */
  readonly refreshKeys: () => Promise<void>
  /** Adds a service to the server's allow-list (proxy) or to the engine's allowed hosts (direct). */
  readonly allowService: (service: Service) => Promise<Result<undefined, AllowProblem>>
  /** Services that browsers added to the server's list; undefined if the server has no such list. */
  readonly listAdded: () => Promise<readonly Service[] | undefined>
  /** Removes a service from the server's list for every browser. Resolves to false if the server refuses. */
  readonly removeAdded: (baseUrl: string) => Promise<boolean>
  /** Receivers to which the dashboard's server may forward. For direct delivery, `add` lets the engine reach the receiver. */
  readonly receivers: {
    readonly list: () => Promise<OfferedReceivers | undefined>
    readonly add: (receiver: Members, replaces?: string) => Promise<Result<OfferedReceivers, ReceiverProblem>>
    readonly remove: (id: string) => Promise<Result<OfferedReceivers, ReceiverProblem>>
  }
  readonly serverWatch: {
    /** Undefined if the server runs no watch. */
    readonly store: Store<ServerWatch | undefined>
    /** Undefined if the server does not answer. */
    readonly read: () => Promise<WatchReport | undefined>
    /** Resolves to false if the watch does not accept it. */
    readonly act: (act: AlarmAct) => Promise<boolean>
    /** Acts on this browser's alarms only. */
    readonly actHere: (act: AlarmAct) => Promise<boolean>
    readonly members: (id: string) => Promise<readonly AlarmMember[]>
    readonly journal: (query: EventQuery) => Promise<EventPage>
  }
  /** The signed-in account of the dashboard's server; undefined if it requires no sign-in or does not answer. */
  readonly signedIn: () => Promise<SignedIn | undefined>
  /** Ends the session and leaves the page; false if the server refuses. This browser's data stays. */
  readonly signOut: () => Promise<boolean>
  /**
   * Deletes settings, keys and session, then restarts. False: the data is deleted, but the browser's site data could not be
   * cleared, and the page did not restart.
   */
  readonly forgetEverything: () => Promise<boolean>
}

export type ServerWatch = {
  readonly report: WatchReport | undefined
  /** Time of the last report in monotonic ms; before the first report, when reading began. */
  readonly heardMs: number
}

export const DashboardContext = createContext<Dashboard | undefined>(undefined)

export function useDashboard(): Dashboard {
  const dashboard = use(DashboardContext)
  if (dashboard === undefined) throw new Error('no Dashboard around this component')
  return dashboard
}
