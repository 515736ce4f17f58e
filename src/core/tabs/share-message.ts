import type { EventQuery, LogEntry } from '#history/event-log.ts'
import type { AlarmAct, AlarmId } from '#alarms/alarm.ts'
import type { HistoryBatch, LaneQuery } from '#history/history.ts'
import type { TransferTask } from '#history/transfer/transfer.ts'
import type { UsualQuery } from '#history/usual.ts'
import type { FleetUpdate, NodeKey } from '#fleet/live.ts'
import { fieldOf, tabNameOf } from './tab-message.ts'

/** What a follower may want to know of the tab that asks. */
export type TabCall =
  | { readonly what: 'lanes'; readonly query: LaneQuery }
  | { readonly what: 'usual'; readonly query: UsualQuery }
  | { readonly what: 'exchange'; readonly node: NodeKey }
  | TransferCall
  | { readonly what: 'events'; readonly query: EventQuery }
  | { readonly what: 'append-events'; readonly entries: readonly LogEntry[] }
  /** All alarms, where they are not of this revision. */
  | { readonly what: 'alarms'; readonly known: string }
  | { readonly what: 'alarm-members'; readonly id: AlarmId }
  | { readonly what: 'alarm-act'; readonly act: AlarmAct }
  | { readonly what: 'deliveries' }
  | { readonly what: 'try-receiver'; readonly id: string }

/** Long work on the history: begun, then fetched part by part. `Blob`: a file, which travels without being read. */
export type TransferCall = { readonly what: 'transfer'; readonly id: string } & (
  | { readonly step: 'begin'; readonly task: TransferTask<Blob> }
  /** `part`: counted from 1. `goesOn`: false has the work end. */
  | { readonly step: 'next'; readonly part: number; readonly goesOn: boolean }
)

/** What a follower passes on to the tab that asks. */
export type TabCommand =
  | { readonly what: 'poll'; readonly node: NodeKey | undefined }
  | { readonly what: 'look'; readonly node: NodeKey }
  | { readonly what: 'key-changed' }

/** What concerns the pages of all tabs: keys came or went, or all vaults are to be locked. */
export type TabWord = 'keys-changed' | 'lock'

/** On the channel of all tabs. `build` names the version of the code: only the same one understands the rest. */
export type ToTabs = { readonly from: string; readonly build: string } & (
  | {
      /** A follower is there and has everything up to `seq`; undefined: it needs the whole state. */
      readonly kind: 'here'
      readonly seq: number | undefined
    }
  | { readonly kind: 'call'; readonly id: number; readonly call: TabCall }
  | { readonly kind: 'do'; readonly command: TabCommand }
  | { readonly kind: 'word'; readonly word: TabWord }
)

/** On a follower's own channel, so that one which is frozen costs nothing once it is given up. `from` leads. */
export type ToFollower = { readonly from: string; readonly build: string } & (
  | {
      /** `state`: everything; `batch`: what changed since the message before. Times are on the sender's steady clock. */
      readonly kind: 'state' | 'batch'
      readonly share: number
      readonly seq: number
      readonly gridMs: number
      readonly update: FleetUpdate
    }
  | {
      readonly kind: 'samples'
      readonly share: number
      readonly seq: number
      readonly batch: HistoryBatch
    }
  /** There are new entries in the log. */
  | { readonly kind: 'events'; readonly share: number; readonly seq: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
)

const TO_TABS: readonly unknown[] = ['here', 'call', 'do', 'word'] satisfies ToTabs['kind'][]
const TO_FOLLOWER: readonly unknown[] = [
  'state',
  'batch',
  'samples',
  'events',
  'answer',
] satisfies ToFollower['kind'][]

/** The tab that wrote such a message in another version of this product; undefined where it is none. */
export function otherBuildIn(data: unknown, build: string): string | undefined {
  const kind = fieldOf(data, 'kind')
  const isOurs = TO_TABS.includes(kind) || TO_FOLLOWER.includes(kind)
  return isOurs && fieldOf(data, 'build') !== build ? tabNameOf(fieldOf(data, 'from')) : undefined
}

/** That the same code wrote it makes its shape certain. */
export const isToTabs = (data: unknown, build: string): data is ToTabs => isOf(data, build, TO_TABS)

export const isToFollower = (data: unknown, build: string): data is ToFollower =>
  isOf(data, build, TO_FOLLOWER)

const isOf = (data: unknown, build: string, kinds: readonly unknown[]): boolean =>
  tabNameOf(fieldOf(data, 'from')) !== undefined &&
  fieldOf(data, 'build') === build &&
  kinds.includes(fieldOf(data, 'kind'))
