import { unreachable } from '#base/never.ts'
import { FAILURES, type PollFailure } from '#protocol/failure.ts'
import type { Cause } from '#monitor/causes.ts'

/** What an operator can do about a cause right from its message, the likeliest first. */
export type Remedy = 'try-now' | 'settings' | 'copy-key' | 'unlock' | 'open-node' | 'open-in-tab'

export function remediesOf({ evidence }: Cause): readonly Remedy[] {
  switch (evidence.kind) {
    case 'failure':
      return remediesOfFailure(evidence.failure)
    case 'no-network':
      return ['try-now']
    case 'bad-fields':
    case 'unknown-status':
    case 'counter-restarted':
    case 'heartbeat-ahead':
    case 'cached':
      return ['open-node']
    case 'out-of-unit':
    case 'behind':
      return ['settings']
    case 'clock-offset':
    case 'gap':
      return []
    default:
      return unreachable(evidence)
  }
}

function remediesOfFailure(failure: PollFailure): readonly Remedy[] {
  switch (failure.kind) {
    case 'unauthorized':
    case 'forbidden':
      return ['copy-key', 'try-now', 'settings']
    case 'node-unknown':
    case 'node-id-invalid':
    case 'redirected':
    case 'mixed-content':
    case 'no-key':
      return failsForGood(failure) ? ['settings'] : ['settings', 'try-now']
    case 'key-locked':
      return ['unlock', 'settings']
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
      return ['open-node', 'try-now']
    case 'server-error':
    case 'cut-off':
    case 'too-large':
    case 'offline':
    case 'signer-failed':
      return ['try-now']
    default:
      return unreachable(failure)
  }
}

/** Asking again changes nothing until something else does. */
const failsForGood = ({ kind }: PollFailure): boolean => FAILURES[kind].again === 'wait'
