import type { ByHeartbeats, ClockOffset, WhoseClock } from '#record/clock-offset.ts'
import { isOwnServerSilent, withHop, type PollFailure, type Severity } from '#protocol/failure.ts'
import type { ProofVerdict } from '#proof/proof-statement.ts'
import type { ServiceId } from '#record/service.ts'
import type { BadField } from '#metrics/answer.ts'
import type { Service } from '#settings/schema.ts'
import type { NodeKey, NodeLive, Round, WatchGap } from './live.ts'
import type { Diagnosed } from './diagnosis.ts'

export type Evidence =
  | {
      readonly kind: 'failure'
      readonly failure: PollFailure
      /** Absent without probes, or if they found nothing. */
      readonly diagnosed?: Diagnosed
      /** The service's other nodes; absent: there are none, or they fail in other ways. */
      readonly siblings?: 'answered' | 'same'
      /** The nodes fail in several ways, most of them in this one. */
      readonly mixed?: true
      /** The service sometimes answers and sometimes refuses the same requests, so its replicas differ. */
      readonly alternates?: true
      /** Whose clock was set, if that is why the service refuses this computer's time. */
      readonly clockSet?: WhoseClock
    }
  /** Several services became unreachable: probably this computer's own network, or that of the dashboard server. */
  | { readonly kind: 'no-network'; readonly services: number; readonly of?: 'server' }
  | { readonly kind: 'portal'; readonly services: number }
  | {
      readonly kind: 'bad-fields'
      readonly fields: readonly BadField[]
    }
  /** A duplicate member, or an error alongside the values. */
  | { readonly kind: 'odd-record'; readonly ambiguous: readonly string[]; readonly error?: string }
  /** A proof that is wrong or cannot be checked. */
  | { readonly kind: 'proof'; readonly verdict: Exclude<ProofVerdict, { kind: 'verified' }> }
  /** As the service wrote it. `metric`: the metric's heading, here and below. */
  | { readonly kind: 'unknown-status'; readonly metric: string; readonly status: string }
  /** As the service wrote it. */
  | { readonly kind: 'out-of-unit'; readonly metric: string; readonly text: string }
  /**
   * The clock offset to `services` services is larger than signatures allow. `corrected`: so large that requests are signed
   * with the service's time.
   */
  | ({
      readonly kind: 'clock-offset'
      readonly offset: ClockOffset
      readonly services: number
      readonly corrected: boolean
      /**
       * If there are several services: this one's clock is wrong because the others agree with this computer, or it is unknown
       * whose is.
       */
      readonly whose?: 'service' | 'unknown'
      /** Whose clock was set, if that is why the clocks disagree and other services don't show it. */
      readonly clockSet?: WhoseClock
      /** The offset does not give the ages of all nodes' timestamps. */
      readonly agesUnknown?: true
    } & ByHeartbeats)
  /**
   * A timestamp is ahead of the service's clock. `unchecked`: ahead of this computer's clock, because the service's time cannot
   * be read.
   */
  | {
      readonly kind: 'timestamp-ahead'
      readonly metric: string
      readonly aheadMs: number
      readonly unchecked?: true
    }
  /** `restarts`: since this screen began to watch; for several nodes, those of the first one. */
  | { readonly kind: 'counter-restarted'; readonly metric: string; readonly restarts: number }
  | { readonly kind: 'cached'; readonly forS: number }
  | { readonly kind: 'gap'; readonly gap: WatchGap }
  /**
   * No current reading and no failure that explains it: the answer or the next poll is late, or a collector's values arrive too
   * old. `collectedMs`: their age on arrival. `hanging`: other nodes whose requests get no answer and hold connections.
   */
  | {
      readonly kind: 'overdue'
      readonly intervalMs: number
      readonly collectedMs?: number
      readonly hanging?: number
    }
  | { readonly kind: 'round-too-long'; readonly round: Round; readonly via: Service['via'] }
  /** Requests are late, and no service's round explains it. `hanging`: as in `overdue`. */
  | {
      readonly kind: 'behind'
      readonly behindMs: number
      readonly intervalMs: number
      readonly hanging?: number
    }

/** For causes that are not runs of failed polls. */
export const NO_POLLS = {
  sinceMs: undefined,
  sinceWallMs: undefined,
  misses: 0,
  seenAt: undefined,
  nextPollMs: undefined,
} as const

export type Cause = {
  /** Stays the same while the cause lasts. */
  readonly id: string
  /** Never translated, e.g. "auth/401". */
  readonly code: string
  readonly severity: Severity
  /** Concerns this screen with its network and key, a whole service, or only the listed nodes. */
  readonly scope: 'screen' | 'service' | 'node'
  readonly serviceId: ServiceId | undefined
  readonly nodes: readonly NodeKey[]
  /** Steady clock and wall clock; undefined if its start was not observed. */
  readonly sinceMs: number | undefined
  readonly sinceWallMs: number | undefined
  /** The longest run of failed polls among the nodes; 0 if no poll failed. */
  readonly misses: number
  readonly nextPollMs: number | undefined
  readonly evidence: Evidence
  /** The node with this evidence, if that of other nodes differs; undefined: all nodes. */
  readonly seenAt: NodeKey | undefined
}

const ownServerNodes = new WeakMap<readonly Cause[], ReadonlySet<NodeKey>>()

/** The nodes for whose failures the causes blame the dashboard server. */
export function nodesOfOwnServer(causes: readonly Cause[]): ReadonlySet<NodeKey> {
  const known = ownServerNodes.get(causes)
  if (known !== undefined) return known
  const nodes = new Set(
    causes.flatMap(({ evidence, nodes: affected }) =>
      evidence.kind === 'failure' && isOwnServerSilent(evidence.failure) ? affected : [],
    ),
  )
  ownServerNodes.set(causes, nodes)
  return nodes
}

/** How a node's last poll failed. Only the causes blame the dashboard server, because one poll does not show whose fault it is. */
export function failureOf(
  { key, episode }: Pick<NodeLive, 'key' | 'episode'>,
  causes: readonly Cause[],
): PollFailure | undefined {
  return episode && withHop(episode.failure, nodesOfOwnServer(causes).has(key) ? 'proxy' : 'service')
}
