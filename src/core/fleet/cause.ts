import type { ByHeartbeats, ClockOffset } from '#record/clock-offset.ts'
import type { PollFailure, Severity } from '#protocol/failure.ts'
import type { ProofVerdict } from '#proof/proof-statement.ts'
import type { ServiceId } from '#record/service.ts'
import type { BadField } from '#metrics/answer.ts'
import type { Service } from '#settings/schema.ts'
import type { NodeKey, Round, WatchGap } from './live.ts'
import type { Diagnosed } from './diagnosis.ts'

export type Evidence =
  | {
      readonly kind: 'failure'
      readonly failure: PollFailure
      /** Absent without probes, or if they found nothing. */
      readonly diagnosed?: Diagnosed
      /** The service's other nodes; absent: there are none, or they fail in other ways. */
      readonly siblings?: 'answered' | 'same'
      /** Its nodes fail in several ways, and most of them in this one. */
      readonly mixed?: true
    }
  /** Several services became unreachable: probably this computer's own network. */
  | { readonly kind: 'no-network'; readonly services: number }
  | { readonly kind: 'portal'; readonly services: number }
  | {
      readonly kind: 'bad-fields'
      readonly fields: readonly BadField[]
    }
  /** The same member twice, or an error beside its values. */
  | { readonly kind: 'odd-record'; readonly ambiguous: readonly string[]; readonly error?: string }
  /** A proof that is wrong, or that should be checked and can't be. */
  | { readonly kind: 'proof'; readonly verdict: Exclude<ProofVerdict, { kind: 'verified' }> }
  /** As the service wrote it. `metric`: its heading, here and below. */
  | { readonly kind: 'unknown-status'; readonly metric: string; readonly status: string }
  /** As the service wrote it. */
  | { readonly kind: 'out-of-unit'; readonly metric: string; readonly text: string }
  /**
   * This computer's clock and the service's are apart, as `services` of them say: further than
   * signatures allow, or `corrected`, that is so far that requests are signed with the service's time.
   */
  | ({
      readonly kind: 'clock-offset'
      readonly offset: ClockOffset
      readonly services: number
      readonly corrected: boolean
      /** Of several services: this one's, since the others agree with this computer, or uncertain. */
      readonly whose?: 'service' | 'unknown'
    } & ByHeartbeats)
  /** A timestamp lies in the service's future; `unchecked`: in this computer's, since the service's time can't be read. */
  | {
      readonly kind: 'timestamp-ahead'
      readonly metric: string
      readonly aheadMs: number
      readonly unchecked?: true
    }
  /** `restarts`: since this screen began to watch; of several nodes the first one's. */
  | { readonly kind: 'counter-restarted'; readonly metric: string; readonly restarts: number }
  | { readonly kind: 'cached'; readonly forS: number }
  | { readonly kind: 'gap'; readonly gap: WatchGap }
  /** There is no current reading and no failure that explains it: the answer is late, or the next poll. */
  | { readonly kind: 'overdue'; readonly intervalMs: number }
  | { readonly kind: 'round-too-long'; readonly round: Round; readonly via: Service['via'] }
  /** Requests are late, and no service's round explains it. */
  | { readonly kind: 'behind'; readonly behindMs: number; readonly intervalMs: number }

/** Of a cause that is no run of failed polls. */
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
  /** What it concerns: this screen or its network and key, a whole service, or the listed nodes only. */
  readonly scope: 'screen' | 'service' | 'node'
  readonly serviceId: ServiceId | undefined
  readonly nodes: readonly NodeKey[]
  /** Steady clock and wall clock; undefined if its start was not observed. */
  readonly sinceMs: number | undefined
  readonly sinceWallMs: number | undefined
  /** The longest run of failed polls among the nodes; 0 where no poll failed. */
  readonly misses: number
  readonly nextPollMs: number | undefined
  readonly evidence: Evidence
  /** The node whose evidence this is, where other nodes' differs; undefined: everyone's. */
  readonly seenAt: NodeKey | undefined
}
