import type { FailureKind } from '#protocol/failure.ts'

/** The same in two or three words, for strips and tables. */
export const failureShort: Readonly<Record<FailureKind, string>> = {
  'node-id-invalid': 'id called invalid',
  unauthorized: 'signature refused',
  forbidden: 'not permitted',
  'node-unknown': 'node unknown there',
  'rate-limited': 'asked to go slower',
  'server-error': 'server error',
  'unexpected-status': 'unexpected answer',
  redirected: 'redirected',
  unreachable: 'not reachable',
  timeout: 'no answer in time',
  'cut-off': 'answer broke off',
  'mixed-content': 'blocked by the browser',
  offline: 'computer offline',
  'not-json': 'no record',
  'too-large': 'answer too large',
  'not-a-record': 'no record',
  'wrong-node': 'another node’s record',
  'no-key': 'no key',
  'no-token': 'token needed',
  'key-locked': 'key locked',
  'signer-failed': 'not signed',
}
