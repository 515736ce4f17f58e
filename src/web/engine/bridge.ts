import { err, type Result } from '#base/result.ts'
import type { TimeRange } from '#base/time.ts'
import type { EventPage, EventQuery, LogEntry } from '#history/event-log.ts'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmId, AlarmMember, AlarmNotification, AlarmSeverity, AlarmsView } from '#alarms/alarm.ts'
import type { RuleTrial } from '#alarms/try-rule.ts'
import type { Delivered, DeliveryFailure, DeliveryState, Outgoing } from '#delivery/delivery-queue.ts'
import type { ChannelLevel } from '#alarms/channels.ts'
import type { HistoryStatus, Sentinel } from '#history/history-status.ts'
import type { SeriesData, SeriesQuery, Usual, UsualQuery } from '#charts/charts.ts'
import type { TransferEnd, TransferSink, TransferTask } from '#history/transfer/transfer.ts'
import type { Summary, SummaryQuery } from '#report/summary.ts'
import type { RetentionSettings } from '#history/store/retention.ts'
import type { StorageTest } from '#storage/self-test.ts'
import type { Exchange } from '#monitor/exchange.ts'
import type { FindDraft, FindEnd, FindReport } from '#monitor/find-profile.ts'
import type { TestDraft, TestStep } from '#monitor/connection-test.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { NetworkSeries } from '#fleet/network-metrics.ts'
import type { FleetUpdate } from '#fleet/snapshot.ts'
import type { ServiceId } from '#record/service.ts'
import type { EngineConfig } from '#pipeline/engine.ts'
import type { AlarmRule } from '#settings/schema.ts'

export type { EngineConfig } from '#pipeline/engine.ts'
export type { Exchange } from '#monitor/exchange.ts'
export type { TestDraft } from '#monitor/connection-test.ts'

/** `waiting`: another engine of this browser polls; `version` is its version, if known. */
export type EngineState =
  | { readonly kind: 'starting' | 'running' | 'ended' }
  | { readonly kind: 'waiting'; readonly version: string | undefined }

/** `known` is the sentinel that the page stores outside the history database. */
export type HistoryStart = { readonly known: Sentinel | undefined; readonly retention: RetentionSettings }

/** Health of the page itself; undefined values are unknown. */
export type PageHealth = {
  /** Memory use in megabytes if it is too high. */
  readonly memoryMb: number | false | undefined
  /** Whether the dashboard's server delivers another version than the running one. */
  readonly isOldVersion: boolean | undefined
  /** Number of uncaught errors in the last minutes. */
  readonly errors: number
  /** How the previous engine ended, if that was recent. */
  readonly engineLost: LostEngine | false
}
export type LostEngine = 'died' | 'hung'

/** `sound` tells whether this page can play sounds. */
export type PageFacts = Partial<PageHealth> & {
  readonly isVisible: boolean
  readonly sound: 'trying' | 'ready' | 'blocked' | 'unsupported'
  /** Sound is enabled, but this page cannot play it. */
  readonly isSoundMissed: boolean
}

/**
 * A message to the speaker. `atMs` is its time on the engine's monotonic clock; the page ignores old ones, because another page
 * has made them.
 */
export type Announcement = { readonly atMs: number } & (
  | { readonly kind: 'sound'; readonly severity: AlarmSeverity }
  | { readonly kind: 'notification'; readonly notification: AlarmNotification }
)

export type PageHello = {
  /** The lock that the page holds for its lifetime; undefined if locks are unavailable. */
  readonly life: string | undefined
  /** The previous engine hung, so this one takes its lock. */
  readonly steals: boolean
}

type LinkCalls = {
  /**
   * The first call. The engine calls `wantSigner` when it needs a new signer. Returns the lock that the engine holds for its
   * lifetime.
   */
  readonly join: (page: PageHello, wantSigner: () => void) => Promise<string | undefined>
  /** Announces that the page is left. Only a hint, because some pages end without it. */
  readonly leave: () => Promise<void>
  /** Resolves to false if the engine no longer knows the page, which must then reconnect. */
  readonly ping: () => Promise<boolean>
  /** Saves and ends the engine, so that the next one starts with the server's new policy. */
  readonly retire: () => Promise<void>
  /** Connects the engine to its signer; repeated after a restart of the signer. */
  readonly connectSigner: (port: MessagePort) => Promise<void>
  /**
   * Sends updates at most every second, or every 250 ms after a person acted. The first one contains the whole fleet. A new
   * listener replaces the previous one.
   */
  readonly subscribe: (listener: (update: FleetUpdate) => void) => Promise<void>
  /** The first event is the current state. A new listener replaces the previous one. */
  readonly watchState: (listener: (state: EngineState) => void) => Promise<void>
}

export type EngineCalls = {
  /** `isPartial`: the page could read only a part, which must not replace a complete configuration. */
  readonly configure: (config: EngineConfig, isPartial?: boolean) => Promise<void>
  /** Polls one node or all nodes now, within the usual rate limits. */
  readonly pollNow: (node?: NodeKey) => Promise<void>
  /**
   * Reports the nodes in view. The engine polls those first whose reading is older than one interval, within the usual rate
   * limits; failing nodes keep their wait.
   */
  readonly lookAt: (nodes: readonly NodeKey[]) => Promise<void>
  /**
   * Call this after a key was added or unlocked, or a time correction was approved. Waiting nodes of this service, or of all,
   * are polled soon, spread over one interval.
   */
  readonly keyChanged: (service?: ServiceId) => Promise<void>
  readonly readSeriesData: (query: SeriesQuery) => Promise<SeriesData>
  /** Usual ranges of the last seven days; empty if unknown. */
  readonly readUsual: (query: UsualQuery) => Promise<Usual>
  /** The figures of a report. Rejects if history can't be read. */
  readonly readSummary: (query: SummaryQuery) => Promise<Summary>
  /** Network figures of the last 24 hours, reduced to `columns` pixel columns. */
  readonly readNetworkSeries: (columns: number) => Promise<NetworkSeries>
  readonly readEvents: (query: EventQuery) => Promise<EventPage>
  /** Adds notes and actions of a person to the journal. Resolves once they are stored, or in memory if nothing is stored. */
  readonly appendEvents: (entries: readonly LogEntry[]) => Promise<void>
  /** Calls `listener` on new entries, at most twice a second. A new listener replaces the previous one. */
  readonly watchEvents: (listener: () => void) => Promise<void>
  /** Exports, imports or deletes history. `sink` receives text and progress; if it resolves to false, the task stops. */
  readonly transfer: (task: TransferTask<Blob>, sink: TransferSink) => Promise<TransferEnd>
  /** Undefined before the node's first answer or failure. */
  readonly lastExchange: (node: NodeKey) => Promise<Exchange | undefined>
  readonly runConnectionTest: (draft: TestDraft, report: (step: TestStep) => void) => Promise<void>
  /** Tries the profiles in `PROFILE_TRIES` within a round opened by the signer. Stops when `report` resolves to false. */
  readonly findProfile: (draft: FindDraft, report: FindReport) => Promise<FindEnd>
  /** Starts storing history in this browser. A new listener replaces the previous one. */
  readonly keepHistory: (start: HistoryStart, listener: (status: HistoryStatus) => void) => Promise<void>
  readonly setRetention: (retention: RetentionSettings) => Promise<void>
  readonly testStorage: () => Promise<StorageTest>
  /** Sends all alarms after the first evaluation and on every change. A new listener replaces the previous one. */
  readonly watchAlarms: (listener: (view: AlarmsView) => void) => Promise<void>
  /** Resolves to false if stored alarms are not loaded yet; nothing was done then. */
  readonly alarmAct: (act: AlarmAct) => Promise<boolean>
  /** How often a rule would have fired on the nodes' history. Takes seconds for many nodes. */
  readonly tryRule: (rule: AlarmRule, range: TimeRange) => Promise<RuleTrial>
  readonly readAlarmMembers: (id: AlarmId) => Promise<readonly AlarmMember[]>
  /**
   * Registers the page as a possible speaker, which receives announcements while chosen. `heardElsewhere` reports whether
   * another page can play sounds. A new listener replaces the previous one.
   */
  readonly watchAnnouncements: (
    announce: (announcement: Announcement) => void | Promise<void>,
    heardElsewhere: (isHeard: boolean) => void,
  ) => Promise<void>
  /** Facts that only this page knows; replaces earlier ones. */
  readonly setPageFacts: (facts: PageFacts) => Promise<void>
  /** Sets the receivers, and the minimum severity for sounds. */
  readonly setChannels: (receivers: readonly Outgoing[], sound: ChannelLevel) => Promise<void>
  /** State of deliveries, sent at once and on every change. A new listener replaces the previous one. */
  readonly watchDeliveries: (listener: (states: readonly DeliveryState[]) => void) => Promise<void>
  readonly testReceiver: (id: string) => Promise<Result<Delivered, DeliveryFailure>>
  readonly tryReceiver: (id: string) => Promise<void>
  readonly setOffline: (offline: boolean) => Promise<void>
}

/** Handling of a call whose engine ends before it answers. */
type IfEngineEnds<Answer> =
  | 'retry'
  /** Like `retry`, and also repeats the newest call to every later engine before its first update. */
  | 'replay'
  /** Does not repeat the call; the caller gets this answer. */
  | { readonly lost: Answer }

/** The page's link to the engine follows this table. */
export const ENGINE_CALLS: {
  readonly [Name in keyof EngineCalls]: IfEngineEnds<Awaited<ReturnType<EngineCalls[Name]>>>
} = {
  configure: 'replay',
  watchEvents: 'replay',
  watchAlarms: 'replay',
  watchAnnouncements: 'replay',
  setPageFacts: 'replay',
  setChannels: 'replay',
  watchDeliveries: 'replay',
  keepHistory: 'replay',
  pollNow: 'retry',
  lookAt: 'retry',
  keyChanged: 'retry',
  readSeriesData: 'retry',
  readUsual: 'retry',
  readSummary: 'retry',
  readNetworkSeries: 'retry',
  readEvents: 'retry',
  appendEvents: 'retry',
  lastExchange: 'retry',
  readAlarmMembers: 'retry',
  tryRule: 'retry',
  setRetention: 'retry',
  testStorage: 'retry',
  setOffline: 'retry',
  tryReceiver: 'retry',
  alarmAct: { lost: false },
  testReceiver: { lost: err({ kind: 'timeout' }) },
  transfer: { lost: { kind: 'failed', failure: 'no-answer' } },
  runConnectionTest: { lost: undefined },
  findProfile: { lost: 'failed' },
}

export type EngineApi = LinkCalls & EngineCalls
