import { err, type Result } from '#base/result.ts'
import type { EventPage, EventQuery, LogEntry } from '#history/event-log.ts'
import type {
  AlarmAct,
  AlarmId,
  AlarmMember,
  AlarmNotification,
  AlarmSeverity,
  AlarmsView,
} from '#alarms/alarm.ts'
import type { RuleTrial, TrialRange } from '#alarms/try-rule.ts'
import type { Delivered, DeliveryFailure, DeliveryState, Outgoing } from '#delivery/delivery-queue.ts'
import type { ChannelLevel } from '#alarms/channels.ts'
import type { HistoryStatus, Sentinel } from '#history/history-status.ts'
import type { SeriesData, SeriesQuery } from '#history/history.ts'
import type { TransferEnd, TransferSink, TransferTask } from '#history/transfer/transfer.ts'
import type { Usual, UsualQuery } from '#history/history.ts'
import type { RetentionSettings } from '#history/store/retention.ts'
import type { StorageTest } from '#history/store/self-test.ts'
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

/** `waiting`: another engine polls in this browser, of the version that is named where it is known. */
export type EngineState =
  | { readonly kind: 'starting' | 'running' | 'ended' }
  | { readonly kind: 'waiting'; readonly version: string | undefined }

/** `known`: what the page remembers of the history outside of its database. */
export type HistoryStart = { readonly known: Sentinel | undefined; readonly retention: RetentionSettings }

/** `sound`: whether this page can sound. */
export type PageFacts = {
  readonly isVisible: boolean
  readonly sound: 'trying' | 'ready' | 'blocked' | 'unsupported'
  /** Sound is wanted, and this page can't make it. */
  readonly isSoundMissed: boolean
  /** Megabytes in use, where that is too much. */
  readonly memoryMb?: number | false | undefined
  readonly isOldVersion?: boolean | undefined
  /** Errors that nothing caught, of the last minutes. */
  readonly errors?: number | undefined
  /** How the last engine ended, when that was a short while ago. */
  readonly engineLost?: 'died' | 'hung' | false | undefined
}

/** What the speaker is told. `atMs`: when it was sent, by the engine's steady clock; what is old was said by another page. */
export type Announcement = { readonly atMs: number } & (
  | { readonly kind: 'sound'; readonly severity: AlarmSeverity }
  | { readonly kind: 'notification'; readonly notification: AlarmNotification }
)

export type PageHello = {
  /** The lock that the page holds as long as it lives; undefined where there are none. */
  readonly life: string | undefined
  /** The engine before this one hung: this one takes its lock. */
  readonly steals: boolean
}

/** What the page's link to the engine calls on its own. */
type LinkCalls = {
  /** First of all. `wantSigner`: a signer is to be connected anew. Returns the lock that the engine holds as long as it lives. */
  readonly join: (page: PageHello, wantSigner: () => void) => Promise<string | undefined>
  /** The page is left; a hint, since not every page gets to say so. */
  readonly leave: () => Promise<void>
  /** False: the engine counts this page as gone, so it has to connect anew. */
  readonly ping: () => Promise<boolean>
  /** Saves and ends the engine, so that the next one starts with the server's new policy. */
  readonly retire: () => Promise<void>
  /** Gives the engine its signer; again after the signer was restarted. */
  readonly connectSigner: (port: MessagePort) => Promise<void>
  /** Updates at most every second, or every 250 ms after a person acted; the first one is the whole fleet. A new listener replaces the old one. */
  readonly subscribe: (listener: (update: FleetUpdate) => void) => Promise<void>
  /** The first event is the state as it is. A new listener replaces the old one. */
  readonly watchState: (listener: (state: EngineState) => void) => Promise<void>
}

/** What the rest of the page calls. */
export type EngineCalls = {
  /** `isPartial`: the page could not read all of it, so it does not replace what is whole. */
  readonly configure: (config: EngineConfig, isPartial?: boolean) => Promise<void>
  /** Asks now, without waiting for the slot: one node, or every node. Bounded like any poll. */
  readonly pollNow: (node?: NodeKey) => Promise<void>
  /** Somebody has these nodes in view: asked first where nothing is known that is younger than an interval. Bounded like any poll; a node that fails keeps its wait. */
  readonly lookAt: (nodes: readonly NodeKey[]) => Promise<void>
  /** A key came or was unlocked, or another time may be signed: nodes of this service, or of all, that waited for it are asked at once, spread over one interval. */
  readonly keyChanged: (service?: ServiceId) => Promise<void>
  readonly readSeriesData: (query: SeriesQuery) => Promise<SeriesData>
  /** What was usual in the seven days before; empty where that is not known. */
  readonly readUsual: (query: UsualQuery) => Promise<Usual>
  /** What was said of all nodes together in the last 24 hours, for so many pixel columns. */
  readonly readNetworkSeries: (columns: number) => Promise<NetworkSeries>
  /** What happened, newest first. */
  readonly readEvents: (query: EventQuery) => Promise<EventPage>
  /** Adds to what happened: a person's notes and acts. Resolves when it is kept, or held in memory where nothing is. */
  readonly appendEvents: (entries: readonly LogEntry[]) => Promise<void>
  /** Called when there are new entries, at most twice a second. A new listener replaces the old one. */
  readonly watchEvents: (listener: () => void) => Promise<void>
  /** Writes or reads files of history, or deletes some. `sink` gets text and how much is done; false from it ends the work. */
  readonly transfer: (task: TransferTask<Blob>, sink: TransferSink) => Promise<TransferEnd>
  /** Undefined until the node has answered or failed once. */
  readonly lastExchange: (node: NodeKey) => Promise<Exchange | undefined>
  /** Tries a service step by step and reports each step as it ends. Resolves when the last one did. */
  readonly runConnectionTest: (draft: TestDraft, report: (step: TestStep) => void) => Promise<void>
  /** Tries the ways of `PROFILE_TRIES`, in a round that the signer opened. Stops when `report` resolves to false. */
  readonly findProfile: (draft: FindDraft, report: FindReport) => Promise<FindEnd>
  /** Begins to keep history in this browser. A new listener replaces the old one. */
  readonly keepHistory: (start: HistoryStart, listener: (status: HistoryStatus) => void) => Promise<void>
  readonly setRetention: (retention: RetentionSettings) => Promise<void>
  /** Writes to this browser's storage, reads it and deletes it again. */
  readonly testStorage: () => Promise<StorageTest>
  /** All alarms, the first time as soon as anything was evaluated, then on every change. A new listener replaces the old one. */
  readonly watchAlarms: (listener: (view: AlarmsView) => void) => Promise<void>
  /** False: what was kept of alarms has not been read yet, and nothing was done. */
  readonly alarmAct: (act: AlarmAct) => Promise<boolean>
  /** How often a rule would have been raised, by the history of its nodes. Takes seconds where they are many. */
  readonly tryRule: (rule: AlarmRule, range: TrialRange) => Promise<RuleTrial>
  /** Every alarm behind a row. */
  readonly readAlarmMembers: (id: AlarmId) => Promise<readonly AlarmMember[]>
  /** The page can speak: while it is the speaker, it is told what people are to see and hear. `heardElsewhere`: another page can sound. A new listener replaces the old one. */
  readonly watchAnnouncements: (
    announce: (announcement: Announcement) => void | Promise<void>,
    heardElsewhere: (isHeard: boolean) => void,
  ) => Promise<void>
  /** What only this page knows of itself. Replaces what was said before. */
  readonly setPageFacts: (facts: PageFacts) => Promise<void>
  /** Where alarms are sent to from now on, and from which severity on they sound. */
  readonly setChannels: (receivers: readonly Outgoing[], sound: ChannelLevel) => Promise<void>
  /** How deliveries are doing, the first time at once. A new listener replaces the old one. */
  readonly watchDeliveries: (listener: (states: readonly DeliveryState[]) => void) => Promise<void>
  /** Sends a test message now; the receiver's own answer. */
  readonly testReceiver: (id: string) => Promise<Result<Delivered, DeliveryFailure>>
  /** Tries at once what waits for its next try. */
  readonly tryReceiver: (id: string) => Promise<void>
  /** What the browser's online and offline events said. */
  readonly setOffline: (offline: boolean) => Promise<void>
}

/** What becomes of a call whose engine ends before it answers. */
type IfEngineEnds<Answer> =
  /** The next engine is asked. */
  | 'retry'
  /** Retried too, and repeated to every later engine before that shows anything; only the newest call of a kind counts. */
  | 'replay'
  /** Nobody is asked twice: the caller gets this answer. */
  | { readonly lost: Answer }

/** The calls of `EngineCalls`. The page's link to the engine follows this table. */
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

/** The engine, as the page sees it. */
export type EngineApi = LinkCalls & EngineCalls
