import type { Clock } from '#base/clock.ts'
import type { OriginPattern } from './cors.ts'
import type { FaultOrder, FaultTable } from './faults.ts'
import type { Profile } from '#signing/profile.ts'

export type NamedProfile = { readonly name: string; readonly profile: Profile }

export type ReferenceOptions = {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: a free one. */
  readonly port?: number
  /** Port of the control address, which is always on 127.0.0.1. Default 0: a free one. */
  readonly controlPort?: number
  /** Default: random, 32 hex digits. */
  readonly controlToken?: string | undefined
  readonly seed?: string | undefined
  /** Nodes in the network, 1 to 100,000. Default 12. */
  readonly nodes?: number | undefined
  /** A file of registered keys, which is read again after each change. */
  readonly keysFile?: string
  /** How often the file is checked for changes. */
  readonly keysPollMs?: number
  /** The signing profile. Default: `bearer-v1`. */
  readonly profile?: NamedProfile | undefined
  /** The value of {token}, if the profile sends one. */
  readonly token?: string | undefined
  /** Registers each new key that signs a request correctly. Loopback only. */
  readonly enroll?: boolean
  /** Pages that may read this service across origins. Default: those of this computer. */
  readonly allowOrigins?: readonly OriginPattern[] | undefined
  /** Further addresses by which clients know this service; at most 4 including its own. */
  readonly origins?: readonly string[]
  readonly faults?: readonly FaultOrder[]
  /** Default: the product's faults. */
  readonly faultTable?: FaultTable
  /** Maximum number of remembered nonces. */
  readonly noncesMax?: number
  readonly clock?: Clock
  /** Receives lines for the operator: keys registered, skipped, enrolled. */
  readonly log?: (line: string) => void
}

/** Options that exclude each other; the message is a sentence for people. */
export class OptionsError extends Error {}
