import { unreachable } from '#base/result.ts'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'
import type { LikelyCause } from '#fleet/diagnosis.ts'
import type { Cause } from '#fleet/cause.ts'

export type Remedy =
  | 'try-now'
  | 'settings'
  | 'signing'
  | 'keys'
  | 'units'
  | 'copy-key'
  | 'unlock'
  | 'open-node'
  | 'open-in-tab'
  | 'copy-report'
  | 'use-service-time'
  | 'say-meaning'
  | 'give-token'
  | 'sign-in'

export function remediesOf(cause: Cause): readonly Remedy[] {
  const { evidence } = cause
  if (evidence.kind !== 'failure') return ownRemediesOf(evidence)
  if (evidence.alternates === true) return ['try-now', 'copy-report']
  const asksForTime = evidence.diagnosed?.diagnosis.clues.some(
    (clue) => clue.kind === 'correction' && clue.correction.state === 'ask',
  )
  const offered = remediesOfFailure(evidence.failure, evidence.diagnosed?.diagnosis.likely[0])
  return [
    ...(asksForTime === true ? (['use-service-time'] as const) : []),
    ...offered,
    ...(FAILURES[evidence.failure.kind].scope === 'screen' ? [] : (['copy-report'] as const)),
  ]
}

function ownRemediesOf(
  evidence: Exclude<Cause['evidence'], { readonly kind: 'failure' }>,
): readonly Remedy[] {
  switch (evidence.kind) {
    case 'no-network':
    case 'portal':
    case 'overdue':
      return ['try-now']
    case 'unknown-status':
      return ['say-meaning', 'open-node']
    case 'bad-fields':
    case 'odd-record':
    case 'counter-restarted':
    case 'timestamp-ahead':
    case 'cached':
      return ['open-node']
    case 'proof':
      return ['open-node', 'signing']
    case 'out-of-unit':
      return ['units']
    case 'behind':
    case 'round-too-long':
      return ['settings']
    case 'clock-offset':
    case 'gap':
      return []
    default:
      return unreachable(evidence)
  }
}

/** Remedies for a rejected request by likely cause; registering the key if the cause is unknown. */
function remediesOfRefusal(likely: LikelyCause | undefined): readonly Remedy[] {
  switch (likely) {
    case 'encoding':
    case 'message':
      return ['signing', 'copy-key', 'try-now']
    case 'header-stripped':
    case 'repeated':
    case 'in-front':
    case 'clock':
      return ['try-now', 'signing']
    default:
      return ['copy-key', 'signing', 'try-now']
  }
}

function remediesOfSigner(
  reason: Extract<PollFailure, { readonly kind: 'signer-failed' }>['reason'],
): readonly Remedy[] {
  switch (reason) {
    case 'key-not-allowed':
      return ['keys']
    case 'chain-key':
    case 'profile-not-accepted':
    case 'text-refused':
      return ['signing']
    case 'not-configured':
    case 'no-answer':
    case 'error':
      return ['try-now']
  }
}

function remediesOfFailure(failure: PollFailure, likely: LikelyCause | undefined): readonly Remedy[] {
  switch (failure.kind) {
    case 'unauthorized':
      return remediesOfRefusal(likely)
    case 'forbidden':
      return ['copy-key', 'keys', 'try-now']
    case 'node-unknown':
    case 'node-id-invalid':
    case 'redirected':
    case 'mixed-content':
      return failsForGood(failure) ? ['settings'] : ['settings', 'try-now']
    case 'signed-out':
      return ['sign-in', 'try-now']
    case 'no-key':
      return ['keys']
    case 'no-token':
      return ['give-token']
    case 'key-locked':
      return ['unlock', 'keys']
    case 'unreachable':
      return failure.detail === undefined && failure.hop === 'service'
        ? ['open-in-tab', 'try-now']
        : ['try-now', 'settings']
    case 'timeout':
    case 'rate-limited':
    case 'unexpected-status':
      return ['try-now', 'settings']
    case 'not-json':
    case 'not-a-record':
    case 'wrong-node':
    case 'repeated':
      return ['open-node', 'try-now']
    case 'server-error':
    case 'cut-off':
    case 'too-large':
    case 'offline':
      return ['try-now']
    case 'signer-failed':
      return remediesOfSigner(failure.reason)
    default:
      return unreachable(failure)
  }
}

/** Failures that another poll cannot fix. */
const failsForGood = ({ kind }: PollFailure): boolean => FAILURES[kind].again === 'wait'
