import { isOwnServerSilent, type FailureKind, type PollFailure } from '#protocol/failure.ts'

/** Failures in two or three words, for strips and tables. */
export const failureShort: Readonly<Record<FailureKind, string>> = {
  'node-id-invalid': 'id rejected',
  unauthorized: 'unauthorized',
  forbidden: 'not permitted',
  'node-unknown': 'node not found',
  'rate-limited': 'rate limited',
  'server-error': 'server error',
  'unexpected-status': 'unexpected status',
  redirected: 'redirected',
  unreachable: 'unreachable',
  timeout: 'timeout',
  'cut-off': 'incomplete answer',
  'mixed-content': 'mixed content',
  offline: 'computer offline',
  'not-json': 'not a record',
  'too-large': 'answer too large',
  'not-a-record': 'not a record',
  repeated: 'repeated answer',
  'wrong-node': 'another node’s record',
  'signed-out': 'signed out',
  'no-key': 'no key',
  'no-token': 'token needed',
  'key-locked': 'key locked',
  'signer-failed': 'signing failed',
}

/** Names the dashboard server if that did not answer, because the state of the service is then unknown. */
export const failureText = (failure: PollFailure): string =>
  `${isOwnServerSilent(failure) ? 'dashboard server: ' : ''}${failureShort[failure.kind]}`
