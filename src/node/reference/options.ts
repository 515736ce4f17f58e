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
  /** The control address's, always on 127.0.0.1. Default 0: a free one. */
  readonly controlPort?: number
  /** Default: random, 32 hex digits. */
  readonly controlToken?: string
  readonly seed?: string
  /** How many nodes the network has, 1 to 100,000. Default 12. */
  readonly nodes?: number
  /** A file of registered keys; read again when it changes. */
  readonly keysFile?: string
  /** How often the file's time is looked at. */
  readonly keysPollMs?: number
  /** How requests are signed. Default: `bearer-v1`, by this service's own check of it. */
  readonly profile?: NamedProfile
  /** What stands for {token} in it, where it sends one. */
  readonly token?: string
  /** Registers each new key that signs well. Loopback only. */
  readonly enroll?: boolean
  /** Pages that may read this service across origins. Default: those of this computer. */
  readonly allowOrigins?: readonly OriginPattern[]
  /** Addresses under which clients know this service, beside its own. With those at most 4. */
  readonly origins?: readonly string[]
  readonly faults?: readonly FaultOrder[]
  /** Which faults there are. Default: those of the product. */
  readonly faultTable?: FaultTable
  /** Nonces remembered at most. */
  readonly noncesMax?: number
  readonly clock?: Clock
  /** Where lines for the operator go: keys registered, skipped, enrolled. */
  readonly log?: (line: string) => void
}

/** Options that can't go together: the caller's mistake, in a sentence for people. */
export class OptionsError extends Error {}
