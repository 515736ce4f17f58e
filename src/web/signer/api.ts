import type { Result } from '#base/result.ts'
import type { KeyInfo, KeyRing, MoveProblem } from '#keys/key-ring.ts'
import type { Inspection } from '#keys/inspection.ts'
import type { KeepTokenProblem, TokenPlace, TokenRing } from '#keys/token-ring.ts'
import type { VaultSecret } from '#keys/vault.ts'
import type { ServiceId } from '#record/service.ts'
import type { SignedHeaders, Signer, SignFailure } from '#signing/signer.ts'
import type { Service } from '#settings/schema.ts'

export { LOCK_WARNING_MS } from '#keys/auto-lock.ts'
export { PASSPHRASE_BYTES_MIN, type Place } from '#keys/key-store.ts'
export type { KeyInfo, GrantProblem, MoveProblem, UnlockProblem } from '#keys/key-ring.ts'
export type { Inspected, InspectedKey, KeepInspectedProblem } from '#keys/inspection.ts'
export type { KeepTokenProblem, TokenInfo, TokenPlace } from '#keys/token-ring.ts'
export type { VaultSecret } from '#keys/vault.ts'

export type SignerReport = {
  /** `blocked` is required: a test request could not leave. `possible`: the isolation is not in force. */
  readonly network: 'blocked' | 'possible'
  /** `webcrypto`, or `javascript` on a page that is not a secure context. */
  readonly cryptography: 'webcrypto' | 'javascript'
  readonly worker: 'shared' | 'dedicated'
  /** The lock that the signer holds for its lifetime; absent if locks are unavailable. */
  readonly life?: string | undefined
  /** Whether keys can be stored; false allows session custody only. */
  readonly storage: boolean
}

export type SignerTest = {
  readonly network: SignerReport['network']
  /** Whether a published test key produced its published signature, by the same code as for the operator's keys. */
  readonly signing: 'right' | 'wrong'
  /** Whether bytes could be written to the database, read and deleted; `none`: keys are not stored here. */
  readonly storage: 'works' | 'fails' | 'none'
  readonly tookMs: number
}

/** State of the vaults, for all tabs together. */
export type LockState = {
  /** Idle minutes until vaults lock; 0: never automatically. */
  readonly minutes: number
  /** Ms until the lock; absent while no vault is open or none locks automatically. */
  readonly leftMs?: number
  readonly open: number
  readonly locked: number
}

/**
 * The page's API of the signer. It can neither sign arbitrary bytes nor export an unencrypted key. Secrets are transferred,
 * which empties them here, and are zeroed in the signer after use.
 */
export type SignerAdmin = Pick<
  KeyRing,
  'unlock' | 'changePassphrase' | 'addPasskey' | 'removePasskey' | 'exportVault'
> & {
  readonly report: () => Promise<SignerReport>
  /** Tests network isolation, signing and database again, without any data of the operator. */
  readonly selfTest: () => Promise<SignerTest>
  readonly keys: KeyRing['list']
  /**
   * Makes a new key in the signer. Without a place, it is stored on this device if possible. `services`, here and below, are
   * the only services that the key may sign for, with their current settings.
   */
  readonly makeKey: KeyRing['make']
  /**
   * Lets a key sign for this service with the given settings. A vault key requires its passphrase or passkey, even if the vault
   * is open. Other keys require none, so a script in the page can call this for them as well.
   */
  readonly allowSigning: KeyRing['grant']
  readonly stopSigning: KeyRing['revoke']
  /**
   * Reads a key in any format and reports its facts without storing it. The signer holds one such key for each page, for five
   * minutes at most. A file is read in the signer, so its bytes never reach the page; pasted bytes are transferred, which
   * empties `source`.
   */
  readonly inspectKey: Inspection['inspect']
  /** Decrypts the pending key with its passphrase (UTF-8). May take several seconds. */
  readonly openInspected: Inspection['open']
  /** Stores the pending key if it has this public key. */
  readonly keepInspected: Inspection['keep']
  readonly dropInspected: () => Promise<void>
  /** Changes a key's notes; without `notAfterMs` it has no last day. */
  readonly noteKey: KeyRing['note']
  /** Services with a token, and where each token is stored. Tokens cannot be read. */
  readonly tokens: TokenRing['list']
  /** Stores the token (UTF-8, as typed) that requests to a configured service carry, for all tabs. */
  readonly keepToken: (
    serviceId: ServiceId,
    token: Uint8Array<ArrayBuffer>,
    place: TokenPlace,
  ) => Promise<Result<undefined, KeepTokenProblem | 'not-configured'>>
  /** Also works for a service that is no longer configured. */
  readonly forgetToken: TokenRing['forget']
  readonly lock: () => Promise<void>
  /** With `replace`, overwrites an existing key; otherwise that fails with `exists`. */
  readonly importVault: (
    file: Blob,
    passphrase: Uint8Array<ArrayBuffer>,
    label: string,
    replace?: boolean,
    services?: readonly Service[],
  ) => Promise<Result<KeyInfo, MoveProblem>>
  readonly presence: (isHere: boolean) => Promise<LockState>
  /**
   * Stored in this browser, out of reach of imported settings. `not-kept`: holds only until the last tab closes. 0 (never)
   * requires the passphrase or passkey of a vault.
   */
  readonly setLockMinutes: (
    minutes: number,
    publicKey?: string,
    secret?: VaultSecret,
  ) => Promise<'kept' | 'not-kept' | 'needs-secret' | 'wrong-secret'>
  readonly removeKey: KeyRing['remove']
  /**
   * Approves signing for this service with the signer's time shifted by `correctionMs`; see `mayCorrect`. Holds for this page
   * until it is closed. `too-far`: no operator can approve such a shift.
   */
  readonly agreeToCorrection: (
    serviceId: ServiceId,
    correctionMs: number,
  ) => Promise<Result<undefined, 'too-far' | 'not-configured'>>
  /**
   * Sets the only services that this page can have requests signed for; other tabs have their own. Lets no key sign for a
   * service; see `allowSigning`.
   */
  readonly configure: (services: readonly Service[]) => Promise<void>
  /**
   * Sets the service of a connection test, which need not be configured; undefined ends the test. Polls are never signed for
   * it. Each test of this page has its own `draftId`. Beyond `DRAFTS_MAX` concurrent tests the oldest ends.
   */
  readonly configureDraft: (draftId: number, service: Service | undefined) => Promise<void>
  /**
   * Lets the engine sign once with each profile in `PROFILE_TRIES` for a configured service. One round an hour for each
   * service, for all tabs.
   */
  readonly openTryRound: (
    serviceId: ServiceId,
  ) => Promise<Result<undefined, { readonly retryInMs: number } | 'not-configured'>>
  /**
   * Gives the holder of the port's other end the right to have status requests signed, and nothing else. The page's previous
   * port is closed.
   */
  readonly openEnginePort: (port: MessagePort) => Promise<void>
}

/** Opening the storage may take 5 s before the signer continues without it, plus time for a slow computer. */
const QUICK_MS = 15_000
/** A passphrase at the highest accepted cost takes minutes on a slow computer. */
const DERIVING_MS = 600_000

/** Timeout of each call in ms. */
export const SIGNER_CALLS: { readonly [Name in keyof SignerAdmin]: number } = {
  report: QUICK_MS,
  selfTest: QUICK_MS,
  keys: QUICK_MS,
  makeKey: DERIVING_MS,
  allowSigning: DERIVING_MS,
  stopSigning: QUICK_MS,
  inspectKey: DERIVING_MS,
  openInspected: DERIVING_MS,
  keepInspected: DERIVING_MS,
  dropInspected: QUICK_MS,
  noteKey: QUICK_MS,
  lock: QUICK_MS,
  unlock: DERIVING_MS,
  changePassphrase: DERIVING_MS,
  addPasskey: DERIVING_MS,
  removePasskey: QUICK_MS,
  exportVault: QUICK_MS,
  importVault: DERIVING_MS,
  presence: QUICK_MS,
  setLockMinutes: DERIVING_MS,
  tokens: QUICK_MS,
  keepToken: QUICK_MS,
  forgetToken: QUICK_MS,
  removeKey: QUICK_MS,
  agreeToCorrection: QUICK_MS,
  configure: QUICK_MS,
  configureDraft: QUICK_MS,
  openTryRound: QUICK_MS,
  openEnginePort: QUICK_MS,
}

export type StatusRequest = Readonly<Parameters<Signer['signStatusRequest']>>

/** Far more than an engine sends in one turn. */
export const SIGNED_AT_ONCE_MAX = 1_024

export type EngineSigner = {
  /** All in one message, because a message costs more than a signature. At most `SIGNED_AT_ONCE_MAX`. */
  readonly signStatusRequests: (
    requests: readonly StatusRequest[],
  ) => Promise<readonly Result<SignedHeaders, SignFailure>[]>
}
