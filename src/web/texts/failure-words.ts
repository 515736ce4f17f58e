import type { Credential } from '#signing/profile-needs.ts'

/** A service as a connection test knows it. */
export type TestedService = {
  readonly baseUrl: string
  readonly via: 'proxy' | 'direct'
  /** Origin of this page, as a service has to allow it. */
  readonly pageOrigin: string
  /** Names of the request headers that a direct request carries. */
  readonly headerNames: readonly string[]
  /** What requests are let in by; absent: a key. */
  readonly credential?: Credential
}

/** What a message about a failure may name. */
export type FailureContext = TestedService & {
  /** How the operator calls the service. */
  readonly service: string
  /** The node's name or short id; undefined where several are concerned. */
  readonly node: string | undefined
  /** How many nodes of the service are concerned, where it is not all of them; absent: all, or not known. */
  readonly onlyNodes?: number
  /** How the other nodes of the service do meanwhile; absent: not known. */
  readonly siblings?: 'answered' | 'same'
  /** Failed polls in a row; absent: not known. */
  readonly misses?: number
}

/** A message: what happened, what it means, what to do. `lines` are to be copied exactly. */
export type FailureWords = {
  readonly title: string
  readonly meaning: string
  /** How polling goes on meanwhile; of no interest while a connection is tested. */
  readonly polling?: string
  readonly next: string
  readonly lines?: { readonly label: string; readonly text: string }
  /** What was seen and speaks for it, a sentence each. */
  readonly evidence?: { readonly label: string; readonly items: readonly string[] }
}
