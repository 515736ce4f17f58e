import type { LaneData, LaneQuery } from '#history/history.ts'
import type { MonitorConfig } from '#monitor/configure.ts'
import type { Exchange } from '#monitor/exchange.ts'
import type { FindDraft, FindEnd, FindReport } from '#monitor/find-profile.ts'
import type { LadderDraft, LadderStep } from '#monitor/ladder.ts'
import type { FleetUpdate, NodeKey } from '#monitor/live.ts'

export type { MonitorConfig as EngineConfig } from '#monitor/configure.ts'
export type { Exchange } from '#monitor/exchange.ts'
export type { LadderDraft } from '#monitor/ladder.ts'

/** The engine, as the page sees it. */
export type EngineApi = {
  /** Gives the engine its signer; again after the signer was restarted. */
  readonly connectSigner: (port: MessagePort) => Promise<void>
  readonly configure: (config: MonitorConfig) => Promise<void>
  /** Updates at most every 250 ms; the first one is the whole fleet. A new listener replaces the old one. */
  readonly subscribe: (listener: (update: FleetUpdate) => void) => Promise<void>
  /** Asks now, without waiting for the slot: one node, or every node. Bounded like any poll. */
  readonly pollNow: (node?: NodeKey) => Promise<void>
  /** A key came or was unlocked: nodes that waited for it are asked at once, spread over one interval. */
  readonly keyChanged: () => Promise<void>
  readonly readLanes: (query: LaneQuery) => Promise<LaneData>
  /** Undefined until the node has answered or failed once. */
  readonly lastExchange: (node: NodeKey) => Promise<Exchange | undefined>
  /** Tries a service step by step and reports each step as it ends. Resolves when the last one did. */
  readonly climbLadder: (draft: LadderDraft, report: (step: LadderStep) => void) => Promise<void>
  /** Tries the ways of `PROFILE_TRIES`, in a round that the signer opened. Stops when `report` resolves to false. */
  readonly findProfile: (draft: FindDraft, report: FindReport) => Promise<FindEnd>
  /** What the browser's online and offline events said. */
  readonly setOffline: (offline: boolean) => Promise<void>
}
