import { unreachable } from '#base/never.ts'
import type { Failure, TestedService, Words } from './en-connection-test-failures.ts'

/** The service answered, and would not tell: what a test says of it. */
export function refusalWords(
  failure: Failure<'unauthorized' | 'forbidden' | 'node-unknown' | 'node-id-invalid'>,
  { credential = 'key' }: TestedService,
): Words {
  switch (failure.kind) {
    case 'unauthorized':
      if (credential !== 'key') return UNSIGNED_REFUSED[credential]
      return {
        title: 'Signature refused: 401',
        note: 'Most often the service does not know this public key yet: register it there and test again. Else it expects another message or encoding than the signing profile, or the clocks disagree.',
      }
    case 'forbidden':
      if (credential !== 'key') return UNSIGNED_FORBIDDEN
      return {
        title: 'Key known, reading refused: 403',
        note: 'The service accepts the signature but does not let this key read status. Ask whoever runs it.',
      }
    case 'node-unknown':
      return {
        title: 'Node not known: 404',
        note: 'The signature was not the problem. Compare the ids with what the nodes print; if every node gets this, the base URL may be wrong or the key may have no node.',
      }
    case 'node-id-invalid':
      return {
        title: 'Node id called invalid: 400',
        note: 'Ids are sent exactly as typed; the service may want lower-case digits or another length.',
      }
    default:
      return unreachable(failure)
  }
}

const UNSIGNED_FORBIDDEN: Words = {
  title: 'Reading refused: 403',
  note: 'The service does not let this page read status. Ask whoever runs it.',
}

const UNSIGNED_REFUSED: Readonly<Record<'token' | 'none', Words>> = {
  token: {
    title: 'Token refused: 401',
    note: 'The service does not take this token: compare it with the one that its owner gave you, and the header with the one that it expects.',
  },
  none: {
    title: 'Refused: 401',
    note: 'The service wants to know who asks, and this profile sends neither a signature nor a token: choose another one.',
  },
}
