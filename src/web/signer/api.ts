import type { Result } from '#base/result.ts'
import type { Place } from '#keys/custody.ts'
import type { KeyInfo } from '#keys/held-keys.ts'
import type { Inspected, KeepInspectedProblem } from '#keys/inspection.ts'
import type { ImportProblem, KeyProblem } from '#keys/key-ring.ts'
import type { KeyNotes } from '#keys/key-store.ts'
import type { MoveProblem, SlotProblem, UnlockProblem } from '#keys/vault-acts.ts'
import type { NewPasskey, VaultSecret } from '#keys/vault-slot.ts'
import type { SignedHeaders, SignFailure } from '#protocol/ports.ts'
import type { Service } from '#protocol/settings.ts'

export { LOCK_WARNING_MS } from '#keys/auto-lock.ts'
export { PASSPHRASE_BYTES_MIN } from '#keys/custody.ts'
export type { KeyInfo } from '#keys/held-keys.ts'
export type { Place } from '#keys/custody.ts'
export type { Inspected, InspectedKey, KeepInspectedProblem } from '#keys/inspection.ts'
export type { ImportProblem, KeyProblem } from '#keys/key-ring.ts'
export type { KeyNotes } from '#keys/key-store.ts'
export type { MoveProblem, SlotProblem, UnlockProblem } from '#keys/vault-acts.ts'
export type { NewPasskey, VaultSecret } from '#keys/vault-slot.ts'

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

/** How vaults stand, for all tabs together. */
export type LockState = {
  /** Minutes without a hand on the computer after which vaults are locked; 0: never by themselves. */
  readonly minutes: number
  /** Ms until then; absent while nothing is open or nothing locks by itself. */
  readonly leftMs?: number
  /** Vaults whose key signs now, and vaults that have to be opened first. */
  readonly open: number
  readonly locked: number
}

/**
 * The page's side of the signer. There is no "sign these bytes" and no export of a key that is
 * not encrypted. Every secret that is given is moved there, which empties it here, and zeroed
 * there after use.
 */
export type SignerAdmin = {
  readonly report: () => Promise<SignerReport>
  readonly keys: () => Promise<readonly KeyInfo[]>
  /** Makes a new key in the signer. Without a place it is kept on this device where that is possible. */
  readonly makeKey: (label: string, place?: Place) => Promise<Result<KeyInfo, KeyProblem>>
  /**
   * Hex or base64 of 32 bytes, or the raw 32 bytes. A file is read in the signer, so that its
   * bytes never are in the page; the bytes of a paste are moved there, which empties `source`
   * here. Zeroed in the signer after use.
   */
  readonly importKey: (
    source: Uint8Array<ArrayBuffer> | Blob,
    label: string,
    place?: Place,
  ) => Promise<Result<KeyInfo, ImportProblem>>
  /**
   * Reads a key in any form and says what it is. Nothing is kept yet: it waits in the signer, one
   * for each page and for five minutes at most. A file or a paste as with `importKey`.
   */
  readonly inspectKey: (source: Uint8Array<ArrayBuffer> | Blob) => Promise<Inspected>
  /** Opens what waits for its passphrase (UTF-8). May take some seconds. */
  readonly openInspected: (passphrase: Uint8Array<ArrayBuffer>) => Promise<Inspected>
  /** Keeps the key that waits, if it is the one with this public key. */
  readonly keepInspected: (
    publicKey: string,
    label: string,
    place?: Place,
  ) => Promise<Result<KeyInfo, KeepInspectedProblem>>
  readonly dropInspected: () => Promise<void>
  /** Changes what is noted down about a key; without `notAfterMs` it has no date. */
  readonly noteKey: (
    publicKey: string,
    notes: Pick<KeyNotes, 'label' | 'notAfterMs'>,
  ) => Promise<Result<undefined, 'not-kept'>>
  /** Locks every vault, for all tabs. */
  readonly lock: () => Promise<void>
  /** Opens a vault, for all tabs. Takes a second or more with a passphrase. */
  readonly unlock: (publicKey: string, secret: VaultSecret) => Promise<Result<KeyInfo, UnlockProblem>>
  readonly changePassphrase: (
    publicKey: string,
    secret: VaultSecret,
    passphrase: Uint8Array<ArrayBuffer>,
  ) => Promise<Result<KeyInfo, SlotProblem>>
  readonly addPasskey: (
    publicKey: string,
    secret: VaultSecret,
    passkey: NewPasskey,
  ) => Promise<Result<KeyInfo, SlotProblem>>
  readonly removePasskey: (publicKey: string, credentialId: string) => Promise<Result<KeyInfo, SlotProblem>>
  /** The text of a file that opens with the vault's passphrase. Keys that are in no vault are never exported. */
  readonly exportVault: (publicKey: string) => Promise<Result<string, 'no-vault'>>
  readonly importVault: (
    file: Blob,
    passphrase: Uint8Array<ArrayBuffer>,
    label: string,
  ) => Promise<Result<KeyInfo, MoveProblem>>
  /** Says whether somebody is at this computer, and is told how vaults stand. */
  readonly presence: (isHere: boolean) => Promise<LockState>
  /** Kept in this browser, out of reach of imported settings. False when it holds only until the last tab closes. */
  readonly setLockMinutes: (minutes: number) => Promise<boolean>
  readonly removeKey: (publicKey: string) => Promise<Result<undefined, 'not-removed'>>
  /** The only services that requests are signed for, from now on and for this page; other tabs have their own. */
  readonly configure: (services: readonly Service[]) => Promise<void>
  /**
   * Lets the engine sign in each of the ways of `PROFILE_TRIES` once, for a service that is
   * configured. One round an hour and service, for all tabs.
   */
  readonly openTryRound: (
    serviceId: string,
  ) => Promise<Result<undefined, { readonly retryInMs: number } | 'not-configured'>>
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
  /** See `TrySigner`; refused as not configured outside of a round. */
  readonly signTry: (
    serviceId: string,
    nodeId: string | undefined,
    tryId: string,
  ) => Promise<Result<SignedHeaders, SignFailure>>
}
