import type { Result } from '#base/result.ts'
import type { Place, KeyNotes } from '#keys/key-store.ts'
import type { KeyInfo, KeyProblem, GrantProblem, KeyRing, MoveProblem } from '#keys/key-ring.ts'
import type { Inspected, KeepInspectedProblem } from '#keys/inspection.ts'
export type { KeyProblem, KeyInfo, GrantProblem, MoveProblem, UnlockProblem } from '#keys/key-ring.ts'
import type { KeepTokenProblem, TokenInfo, TokenPlace } from '#keys/token-ring.ts'
import type { VaultSecret } from '#keys/vault.ts'
export type { VaultSecret } from '#keys/vault.ts'
import type { SignedHeaders, SignFailure } from '#signing/signer.ts'
import type { Service } from '#settings/schema.ts'

export { LOCK_WARNING_MS } from '#keys/auto-lock.ts'
export { PASSPHRASE_BYTES_MIN } from '#keys/key-store.ts'
export type { Place } from '#keys/key-store.ts'
export type { Inspected, InspectedKey, KeepInspectedProblem } from '#keys/inspection.ts'
export type { KeyNotes } from '#keys/key-store.ts'
export type { KeepTokenProblem, TokenInfo, TokenPlace } from '#keys/token-ring.ts'

/** What the signer found out about itself at start. */
export type SignerReport = {
  /** `blocked` is what must be: a request was tried and could not leave. `possible`: isolation is not in force. */
  readonly network: 'blocked' | 'possible'
  /** `webcrypto`, or `javascript` where this page is not a secure context. */
  readonly cryptography: 'webcrypto' | 'javascript'
  readonly worker: 'shared' | 'dedicated'
  /** The lock that the signer holds as long as it lives; absent where there are none. */
  readonly life?: string | undefined
  /** Whether keys can be kept; false leaves session custody only. */
  readonly storage: boolean
}

/** What the signer found when it was asked to test itself. */
export type SignerTest = {
  readonly network: SignerReport['network']
  /** A published key gave its published signature, made as the operator's keys are. */
  readonly signing: 'right' | 'wrong'
  /** Whether bytes written to its database could be read and deleted; `none`: keys are not kept here. */
  readonly storage: 'works' | 'fails' | 'none'
  readonly tookMs: number
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
export type SignerAdmin = Pick<
  KeyRing,
  'unlock' | 'changePassphrase' | 'addPasskey' | 'removePasskey' | 'exportVault'
> & {
  readonly report: () => Promise<SignerReport>
  /** Tries its network, its signing and its database anew, with nothing of the operator's. */
  readonly selfTest: () => Promise<SignerTest>
  readonly keys: () => Promise<readonly KeyInfo[]>
  /**
   * Makes a new key in the signer. Without a place it is kept on this device where that is possible.
   * `services`, here and below: what it signs for, as these are now, and nothing else.
   */
  readonly makeKey: (
    label: string,
    place?: Place,
    services?: readonly Service[],
  ) => Promise<Result<KeyInfo, KeyProblem>>
  /**
   * Has a key sign for this service in the way that stands in it. Takes the secret of a key in a
   * vault, also of one that is open; for other keys there is none, so a script in the page can call
   * this for them as well.
   */
  readonly allowSigning: (
    publicKey: string,
    service: Service,
    secret?: VaultSecret,
  ) => Promise<Result<KeyInfo, GrantProblem>>
  readonly stopSigning: (publicKey: string, serviceId: string) => Promise<Result<undefined, 'not-kept'>>
  /**
   * Reads a key in any form and says what it is. Nothing is kept yet: it waits in the signer, one
   * for each page and for five minutes at most. A file is read in the signer, so that its bytes
   * never are in the page; the bytes of a paste are moved there, which empties `source` here.
   */
  readonly inspectKey: (source: Uint8Array<ArrayBuffer> | Blob) => Promise<Inspected>
  /** Opens what waits for its passphrase (UTF-8). May take some seconds. */
  readonly openInspected: (passphrase: Uint8Array<ArrayBuffer>) => Promise<Inspected>
  /** Keeps the key that waits, if it is the one with this public key. */
  readonly keepInspected: (
    publicKey: string,
    label: string,
    place?: Place,
    services?: readonly Service[],
  ) => Promise<Result<KeyInfo, KeepInspectedProblem>>
  readonly dropInspected: () => Promise<void>
  /** Changes what is noted down about a key; without `notAfterMs` it has no date. */
  readonly noteKey: (
    publicKey: string,
    notes: Pick<KeyNotes, 'label' | 'notAfterMs'>,
  ) => Promise<Result<undefined, 'not-kept'>>
  /** Which services have a token, and where it is kept. There is no way to read one. */
  readonly tokens: () => Promise<readonly TokenInfo[]>
  /** The token (UTF-8, as typed) that requests of this service carry, for all tabs; the service is configured. */
  readonly keepToken: (
    serviceId: string,
    token: Uint8Array<ArrayBuffer>,
    place: TokenPlace,
  ) => Promise<Result<undefined, KeepTokenProblem | 'not-configured'>>
  /** Also of a service that is no longer configured. */
  readonly forgetToken: (serviceId: string) => Promise<Result<undefined, 'not-removed'>>
  /** Locks every vault, for all tabs. */
  readonly lock: () => Promise<void>
  /** With `replace` also where the key is here already; else that is `exists`. */
  readonly importVault: (
    file: Blob,
    passphrase: Uint8Array<ArrayBuffer>,
    label: string,
    replace?: boolean,
    services?: readonly Service[],
  ) => Promise<Result<KeyInfo, MoveProblem>>
  /** Says whether somebody is at this computer, and is told how vaults stand. */
  readonly presence: (isHere: boolean) => Promise<LockState>
  /**
   * Kept in this browser, out of reach of imported settings. `not-kept`: holds only until the last
   * tab closes. 0, never, takes the secret of one of the vaults.
   */
  readonly setLockMinutes: (
    minutes: number,
    publicKey?: string,
    secret?: VaultSecret,
  ) => Promise<'kept' | 'not-kept' | 'needs-secret' | 'wrong-secret'>
  readonly removeKey: (publicKey: string) => Promise<Result<undefined, 'not-removed'>>
  /**
   * The operator lets requests of this service be signed with the signer's time moved by so
   * many ms; see `mayCorrect`. Holds for this page until it is closed. `too-far`: no operator can.
   */
  readonly agreeToCorrection: (
    serviceId: string,
    correctionMs: number,
  ) => Promise<Result<undefined, 'too-far' | 'not-configured'>>
  /**
   * The only services that requests are signed for, from now on and for this page; other tabs have
   * their own. Makes no key sign for a service: see `allowSigning`.
   */
  readonly configure: (services: readonly Service[]) => Promise<void>
  /**
   * The service that a test is of, which need not be one of these; undefined: the test is over.
   * Polls are never signed for it. `draftId`: another number for each test of this page. Of more
   * than `DRAFTS_MAX` at once the oldest is over.
   */
  readonly configureDraft: (draftId: number, service: Service | undefined) => Promise<void>
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

/** Opening storage may take 5 s before the signer goes on without it, and a slow computer its own time. */
const QUICK_MS = 15_000
/** A passphrase at the highest cost that is accepted takes minutes on a slow computer. */
const DERIVING_MS = 600_000

/** Each call, and how long the page waits for its answer. */
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

/** The engine's side: see `Signer`. */
export type EngineSigner = {
  readonly signStatusRequest: (
    serviceId: string,
    nodeId: string | undefined,
    correctionMs?: number,
  ) => Promise<Result<SignedHeaders, SignFailure>>
  /** See `DraftSigner`; refused as not configured while there is no such test. */
  readonly signDraft: (
    draftId: number,
    ...request: Parameters<EngineSigner['signStatusRequest']>
  ) => ReturnType<EngineSigner['signStatusRequest']>
  /** See `TrySigner`; refused as not configured outside of a round. */
  readonly signTry: (
    serviceId: string,
    nodeId: string | undefined,
    tryId: string,
    correctionMs?: number,
  ) => Promise<Result<SignedHeaders, SignFailure>>
}
