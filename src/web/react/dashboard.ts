import { createContext, use } from 'react'
import type { AlarmAct, AlarmMember, AlarmsView } from '#alarms/alarm.ts'
import type { Store } from '#base/store.ts'
import type { EngineCalls, EngineState } from '#engine/bridge.ts'
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
import type { OfferedReceivers, ReceiverProblem } from '#platform/server-services.ts'
import type { KeyInfo, SignerAdmin, SignerReport } from '#signer/api.ts'
import type { Notifier } from './notifier.ts'

/** Something that a person just did. */
export type Said = {
  readonly text: string
  /** The steady time until which it stays. */
  readonly untilMs: number
  /** Absent where there is no way back. */
  readonly undo?: (() => void) | undefined
}

/** Settings, as they are and as they came to be. */
export type Configuration = {
  readonly settings: Settings
  readonly server: ServerConfig
  readonly effective: Effective
  /** These settings were just saved on this page, and not on another one. */
  readonly isOwnSave?: boolean
  /** Why settings or the server's part are not what they should be. */
  readonly problem:
    | 'unreadable'
    | 'partly-read'
    | 'newer'
    | 'no-storage'
    | 'not-saved'
    | 'config-unreadable'
    /** The server's file was changed to one that the server does not use. */
    | 'config-refused'
    /** This page was not opened by the address that the server printed. */
    | 'view-only'
    | undefined
  /** With `config-unreadable`: why. */
  readonly configProblem?: ConfigProblem
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

/** What this page knows of itself; undefined: not known. */
export type PageHealth = {
  /** Megabytes in use, where that is too much. */
  readonly memoryMb: number | false | undefined
  /** The dashboard's server delivers another version than the one that runs. */
  readonly isOldVersion: boolean | undefined
  /** Errors that nothing caught, of the last minutes. */
  readonly errors: number
  /** How the last engine ended, when that was a short while ago. */
  readonly engineLost: LostEngine | false
}
export type LostEngine = 'died' | 'hung'

export type Dashboard = {
  /** What is known of a node, metric by metric. */
  readonly metrics: MetricRegistry
  readonly fleet: Store<FleetSnapshot>
  /** The engine's steady clock, as this page knows it; errs towards later, so ages err towards older. */
  readonly nowMs: () => number
  /** `nowMs`, renewed once a second while the page is seen. */
  readonly seconds: Store<number>
  readonly configuration: Store<Configuration>
  readonly keys: Store<KeyState>
  readonly boot: Store<Boot>
  /** Whether the engine runs, or waits for another one to end. */
  readonly engineState: Store<EngineState>
  readonly health: Store<PageHealth>
  /** How history is kept; undefined before anything is known. */
  readonly history: Store<HistoryStatus | undefined>
  /** Grows when there is something new in the journal. */
  readonly events: Store<number>
  /** What is wrong and what was done about it; undefined before it was evaluated. */
  readonly alarms: Store<AlarmsView | undefined>
  /** What was just done on this page, with the way back; newest last. */
  readonly toasts: Store<readonly Said[]>
  /** How people are told; undefined before the part that does was fetched. */
  readonly notifier: Store<Notifier | undefined>
  readonly engine: EngineCalls
  readonly signer: SignerAdmin
  /** Keeps new settings and puts them to work. False when the browser would not keep them; they hold for this tab all the same. */
  readonly saveSettings: (settings: Settings) => boolean
  /** The same for the settings of one of `undoSteps`, which is then gone with all later ones. */
  readonly restoreSettings: (settings: Settings, stepAtMs: number) => boolean
  /** Reads the key list anew and tells the engine; after every change of keys. */
  readonly refreshKeys: () => Promise<void>
  /** Adds a service to the server's allow-list (proxy) or to what the engine may reach (direct). */
  readonly allowService: (service: Service) => Promise<Result<undefined, AllowProblem>>
  /** The services that browsers added to the server's list; undefined where there is no such list. */
  readonly listAdded: () => Promise<readonly Service[] | undefined>
  /** Takes a service off the server's list, for every browser. False when the server did not. */
  readonly removeAdded: (baseUrl: string) => Promise<boolean>
  /** Where the dashboard's server may pass messages on to. `add` lets the engine reach one that is sent to directly. */
  readonly receivers: {
    readonly list: () => Promise<OfferedReceivers | undefined>
    readonly add: (receiver: Members, replaces?: string) => Promise<Result<OfferedReceivers, ReceiverProblem>>
    readonly remove: (id: string) => Promise<Result<OfferedReceivers, ReceiverProblem>>
  }
  /** The watch that the dashboard's server runs, and what a page does with it. */
  readonly serverWatch: {
    /** Undefined if the server runs no watch. */
    readonly store: Store<ServerWatch | undefined>
    /** Undefined if the server does not answer. */
    readonly read: () => Promise<WatchReport | undefined>
    /** False if the watch did not accept it. */
    readonly act: (act: AlarmAct) => Promise<boolean>
    /** Acts on this browser's alarms only. */
    readonly actHere: (act: AlarmAct) => Promise<boolean>
    readonly members: (id: string) => Promise<readonly AlarmMember[]>
    readonly journal: (query: EventQuery) => Promise<EventPage>
  }
  /** Who is signed in at the dashboard's own server; undefined where nobody has to, or it does not say. */
  readonly signedIn: () => Promise<SignedIn | undefined>
  /** Ends that session and leaves the page; false when the server did not. What this browser keeps stays. */
  readonly signOut: () => Promise<boolean>
  /** Forgets settings, keys and session, and starts over. False: deleted, but the browser was not told to clear its files; nothing was started over. */
  readonly forgetEverything: () => Promise<boolean>
}

/** The last report of the server's watch. */
export type ServerWatch = {
  readonly report: WatchReport | undefined
  /** When the report came, by the page's steady clock; before the first, when the page began to read. */
  readonly heardMs: number
}

/** `canSignOut`: by this page; not where a server in front signs people in. */
export type SignedIn = { readonly name: string; readonly canSignOut: boolean }

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
