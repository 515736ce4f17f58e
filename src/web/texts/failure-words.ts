import type { Credential } from '#signing/profile-needs.ts'

export type TestedService = {
  readonly baseUrl: string
  readonly via: 'proxy' | 'direct'
  /** Origin of this page, which the service must allow. */
  readonly pageOrigin: string
  readonly headerNames: readonly string[]
  /** The required credential; absent: a key. */
  readonly credential?: Credential
}

export type FailureContext = TestedService & {
  /** The operator's name for the service. */
  readonly service: string
  /** The node's name or short id; undefined for several nodes. */
  readonly node: string | undefined
  /** The request names no node, so the service chooses it. */
  readonly isDefaultNode?: true
  /** Number of affected nodes, if not all are affected; absent: all or unknown. */
  readonly onlyNodes?: number
  /** State of the service's other nodes; absent: unknown. */
  readonly siblings?: 'answered' | 'same'
  /** Consecutive failed polls; absent: unknown. */
  readonly misses?: number
  /** Set for a message that is read away from the computer that polls. */
  readonly isAway?: true
}

export type Reader = Pick<FailureContext, 'isAway'>

/** A message: what happened, what it means, and what to do. `lines` are to be copied exactly. */
export type FailureWords = {
  readonly title: string
  readonly meaning: string
  /** How polling continues; irrelevant in a connection test. */
  readonly polling?: string
  readonly next: string
  readonly lines?: { readonly label: string; readonly text: string }
  readonly evidence?: { readonly label: string; readonly items: readonly string[] }
}
