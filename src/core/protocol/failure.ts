import type { SignFailure } from '#signing/signer.ts'
import type { AnswerWords } from './answer-words.ts'
import type { UnreachableDetail } from './transport.ts'

/** Screens show it by shape and words, never by colour alone. */
export type Severity = 'critical' | 'warning' | 'info' | 'none'

export type Hop = 'service' | 'proxy'

/** Every way a poll can fail. Nothing else is thrown. */
export type PollFailure =
  /** `page`: title of a web page with this status, which a status service does not send; may be empty. */
  | { readonly kind: 'node-id-invalid'; readonly answer?: string; readonly page?: string }
  | { readonly kind: 'unauthorized'; readonly answer?: string }
  | { readonly kind: 'forbidden'; readonly answer?: string }
  | { readonly kind: 'node-unknown'; readonly answer?: string; readonly page?: string }
  /** `retryAfterMs`: as the service named it, capped; undefined if missing or unreadable. */
  | { readonly kind: 'rate-limited'; readonly retryAfterMs?: number }
  | {
      readonly kind: 'server-error'
      readonly status: number
      readonly answer?: string
      readonly page?: string
      readonly retryAfterMs?: number
    }
  | { readonly kind: 'unexpected-status'; readonly status: number; readonly answer?: string }
  | { readonly kind: 'redirected' }
  /** A browser does not reveal whether the cause is DNS, TLS, CORS or a refused connection; the proxy does. */
  | {
      readonly kind: 'unreachable'
      readonly hop: Hop
      readonly detail?: UnreachableDetail
      readonly front?: AnswerWords
    }
  | { readonly kind: 'timeout'; readonly afterMs: number; readonly hop: Hop }
  /** `encoding`: the declared compression of a body that could not be decoded; the body may be complete. */
  | { readonly kind: 'cut-off'; readonly hop: Hop; readonly encoding?: string }
  | { readonly kind: 'mixed-content' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'not-json'; readonly problem: 'empty' | 'web-page' | 'not-json' | 'not-an-object' }
  | { readonly kind: 'too-large'; readonly limitBytes: number; readonly part?: 'headers' }
  /** At most one field of the record could be read. */
  | { readonly kind: 'not-a-record'; readonly fields: readonly string[]; readonly answer?: string }
  | { readonly kind: 'wrong-node'; readonly asked: string; readonly answered: string }
  /** An answer whose Date shows that it is an earlier one: a cache answers in place of the service. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'no-key' }
  | { readonly kind: 'no-token' }
  | { readonly kind: 'key-locked' }
  /** The signer does not answer, or refuses to sign for this service. */
  | {
      readonly kind: 'signer-failed'
      readonly reason: Exclude<SignFailure, 'no-key' | 'no-token' | 'key-locked' | 'time-not-allowed'>
    }

export type FailureKind = PollFailure['kind']

export type FailureScope = 'node' | 'service' | 'key' | 'screen'

type FailureFacts = {
  /** Shown to the operator and used in reports; never translated. */
  readonly code: string
  readonly severity: Severity
  /** Its scope if every node of the service has it; a `node` failure always concerns single nodes. */
  readonly scope: FailureScope
  /**
   * When to poll again. `grid`: at the next slot. `double`: after waits that double from one interval up to the cap. `refusal`:
   * slowly after a few in a row, because services lock out keys. `named`: at the time that the service named. `wait`: not until
   * a key or a setting changes.
   */
  readonly again: 'grid' | 'double' | 'refusal' | 'named' | 'wait'
}

export const FAILURES: Readonly<Record<FailureKind, FailureFacts>> = {
  'node-id-invalid': { code: 'node/400', severity: 'warning', scope: 'node', again: 'double' },
  unauthorized: { code: 'auth/401', severity: 'critical', scope: 'key', again: 'refusal' },
  forbidden: { code: 'auth/403', severity: 'critical', scope: 'key', again: 'refusal' },
  'node-unknown': { code: 'node/404', severity: 'warning', scope: 'node', again: 'double' },
  'rate-limited': { code: 'service/429', severity: 'info', scope: 'service', again: 'named' },
  'server-error': { code: 'service/5xx', severity: 'warning', scope: 'service', again: 'named' },
  'unexpected-status': { code: 'service/status', severity: 'warning', scope: 'service', again: 'double' },
  redirected: { code: 'service/redirect', severity: 'warning', scope: 'service', again: 'double' },
  unreachable: { code: 'net/unreachable', severity: 'critical', scope: 'service', again: 'double' },
  timeout: { code: 'net/timeout', severity: 'warning', scope: 'service', again: 'double' },
  'cut-off': { code: 'net/cut-off', severity: 'warning', scope: 'service', again: 'double' },
  'mixed-content': { code: 'net/mixed', severity: 'critical', scope: 'service', again: 'wait' },
  offline: { code: 'net/offline', severity: 'none', scope: 'screen', again: 'grid' },
  'not-json': { code: 'data/not-json', severity: 'critical', scope: 'service', again: 'double' },
  'too-large': { code: 'data/too-large', severity: 'critical', scope: 'service', again: 'double' },
  'not-a-record': { code: 'data/record', severity: 'critical', scope: 'service', again: 'double' },
  repeated: { code: 'service/repeated', severity: 'warning', scope: 'service', again: 'grid' },
  'wrong-node': { code: 'data/wrong-node', severity: 'critical', scope: 'node', again: 'double' },
  // At the next slot: polling one's own server costs nothing, and polling then resumes right after signing in.
  'signed-out': { code: 'net/signed-out', severity: 'critical', scope: 'screen', again: 'grid' },
  'no-key': { code: 'key/none', severity: 'critical', scope: 'screen', again: 'wait' },
  'no-token': { code: 'key/token', severity: 'critical', scope: 'service', again: 'wait' },
  'key-locked': { code: 'key/locked', severity: 'critical', scope: 'screen', again: 'wait' },
  'signer-failed': { code: 'key/signer', severity: 'critical', scope: 'screen', again: 'double' },
}

/** The dashboard server did not answer. By itself this does not show whose fault it is. */
export const isOwnServerSilent = (failure: PollFailure): boolean =>
  'hop' in failure && failure.hop === 'proxy'

export const withHop = (failure: PollFailure, hop: Hop): PollFailure =>
  'hop' in failure && failure.hop !== hop ? { ...failure, hop } : failure

export const isFailureKind = (text: string): text is FailureKind => Object.hasOwn(FAILURES, text)

/** A server error has its own status in the code, e.g. "service/503". */
export const failureCode = (failure: PollFailure): string =>
  failure.kind === 'server-error' ? `service/${failure.status}` : FAILURES[failure.kind].code

/**
 * What a failure's words depend on, apart from times, sizes and the text of an answer. Failures that differ in it are different
 * failures, even if they share a code.
 */
export function failureLook(failure: PollFailure): string {
  const values: Readonly<Record<string, unknown>> = failure
  const facts = ['hop', 'detail', 'problem', 'part', 'reason'].map((fact) => values[fact])
  return [failureCode(failure), ...facts.filter((fact) => typeof fact === 'string')].join(' ')
}

/** Answers that a service gives only after it has read the node id, so it accepted the signature or did not check it. */
export const isAboutNode = (failure: PollFailure): boolean =>
  failure.kind === 'wrong-node' ||
  // A web page with status 404 comes from a web server that did not check the signature.
  ((failure.kind === 'node-id-invalid' || failure.kind === 'node-unknown') && failure.page === undefined)
