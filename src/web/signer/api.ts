import type { Result } from '#base/result.ts'
import type { KeepProblem, KeyInfo } from '#keys/held-keys.ts'
import type { ImportProblem } from '#keys/key-ring.ts'
import type { SignedHeaders, SignFailure } from '#protocol/ports.ts'
import type { Service } from '#protocol/settings.ts'

export type { KeepProblem, KeyInfo } from '#keys/held-keys.ts'
export type { ImportProblem } from '#keys/key-ring.ts'

/** What the signer found out about itself at start. */
export type SignerReport = {
  /** `blocked` is what must be: a request was tried and could not leave. `possible`: isolation is not in force. */
  readonly network: 'blocked' | 'possible'
  /** `webcrypto`, or `javascript` where this page is not a secure context. */
  readonly cryptography: 'webcrypto' | 'javascript'
  readonly worker: 'shared' | 'dedicated'
  /** Whether keys can be kept; false leaves session custody only. */
  readonly storage: boolean
}

/** The page's side of the signer. There is no "sign these bytes" and no export. */
export type SignerAdmin = {
  readonly report: () => Promise<SignerReport>
  readonly keys: () => Promise<readonly KeyInfo[]>
  /** Makes a new key in the signer; kept on this device where that is possible. */
  readonly makeKey: (label: string) => Promise<Result<KeyInfo, KeepProblem>>
  /**
   * Hex or base64 of 32 bytes, or the raw 32 bytes. A file is read in the signer, so that its
   * bytes never are in the page; the bytes of a paste are moved there, which empties `source`
   * here. Zeroed in the signer after use.
   */
  readonly importKey: (
    source: Uint8Array<ArrayBuffer> | Blob,
    label: string,
  ) => Promise<Result<KeyInfo, ImportProblem>>
  readonly removeKey: (publicKey: string) => Promise<Result<undefined, 'not-removed'>>
  /** The only services that requests are signed for, from now on and for this page; other tabs have their own. */
  readonly configure: (services: readonly Service[]) => Promise<void>
  /**
   * Hands the signing of status requests, and nothing else, to whoever holds the other end of
   * the port. The port that this page opened before is closed.
   */
  readonly openEnginePort: (port: MessagePort) => Promise<void>
}

/** The engine's side: see `Signer`. */
export type EngineSigner = {
  readonly signStatusRequest: (
    serviceId: string,
    nodeId: string | undefined,
  ) => Promise<Result<SignedHeaders, SignFailure>>
}
