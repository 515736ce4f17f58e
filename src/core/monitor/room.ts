import type { Clock } from '#base/clock.ts'
import type { SteadyClock } from '#base/steady.ts'
import type { LogEntry } from '#history/event-log.ts'
import type { Gap, Sample } from '#history/history.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { NetworkProbe, Transport } from '#protocol/ports.ts'
import type { Signer, VerifySignature } from '#signing/signer.ts'
import type { ServiceId } from '#record/service.ts'
import type { DueQueue } from './due-queue.ts'
import type { createExchangeLog } from './exchange.ts'
import type { Limiter } from './limiter.ts'
import type { NodeKey, NodeLive, WatchGap } from '#fleet/live.ts'
import type { Prober } from './prober.ts'
import type { Changes } from './changes.ts'
import type { TrackedNode, TrackedService } from './tracked.ts'

/** Takes what polls brought, in order. What becomes of it never reaches the polls. */
export type Records = {
  readonly sample: (sample: Sample) => void
  readonly gap: (gap: Gap) => void
  readonly forget: (nodes: readonly NodeKey[]) => void
}

/** What polling needs from the world. */
export type MonitorPorts = {
  readonly clock: Clock
  readonly transport: Transport
  readonly signer: Signer
  readonly records: Records
  /** There is something for the next batch. */
  readonly onChange: () => void
  readonly probe?: NetworkProbe | undefined
  /** Takes what is worth an entry in the log, but for what samples tell. */
  readonly log?: ((entries: readonly LogEntry[]) => void) | undefined
  /** Checks proofs; absent: none is checked, and every reading says so. */
  readonly verify?: VerifySignature
}

/** What the parts of one engine share. Each engine has its own; nothing here outlives `dispose`. */
export type Room = {
  readonly clock: Clock
  readonly steady: SteadyClock
  /** In the configured order. */
  readonly nodes: Map<NodeKey, TrackedNode>
  readonly services: Map<ServiceId, TrackedService>
  readonly due: DueQueue<TrackedNode>
  readonly limiter: Limiter<TrackedNode>
  readonly changes: Changes
  readonly records: Records
  readonly log: (entries: readonly LogEntry[]) => void
  readonly exchanges: ReturnType<typeof createExchangeLog>
  readonly prober: Prober
  readonly screen: ScreenState
}

export type ScreenState = {
  startedWallMs: number
  gaps: readonly WatchGap[]
  answered: number
  failed: number
  /** Since when the browser says that there is no network. */
  offlineSinceMs: number | undefined
  /** When an answer last proved that there is one. */
  networkSeenMs: number
}

export const shortestIntervalMs = ({ services }: Room): number =>
  Math.min(
    DEFAULTS.pollIntervalMaxMs,
    ...Array.from(services.values(), ({ service }) => service.pollIntervalMs),
  )

/** Replaces what the page sees of a node; the same object means that nothing changed. */
export function setLive(room: Room, node: TrackedNode, live: NodeLive): void {
  if (live === node.live) return
  node.live = live
  room.changes.node(node.key)
}
