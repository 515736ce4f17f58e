import type { AnswerWords } from '#protocol/answer-words.ts'
import type { ByHeartbeats } from '#record/heartbeat-offset.ts'
import type { ClockOffset } from '#record/clock-offset.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { Clue, Correction, Diagnosis, LikelyCause, Probes } from '#fleet/diagnosis.ts'
import { refusalCauses } from './refusal-causes.ts'
import { sameAs } from './same-as.ts'

export type Findings = {
  readonly failure: PollFailure
  /** What the answer to the signed request said, where it could be read. */
  readonly signed: AnswerWords | undefined
  readonly probes: Probes
  readonly offset: ClockOffset | undefined
  readonly correction: Correction | undefined
  /** The service's own address is not https, so whoever is on the way may answer. */
  readonly isPlain: boolean
} & ByHeartbeats

/** What was found, put together. Undefined where it adds nothing to the failure itself. */
export function diagnose(findings: Findings): Diagnosis | undefined {
  const likely = likelyCauses(findings)
  const [first, ...others] = likely
  return first === undefined ? undefined : { likely: [first, ...others], clues: cluesOf(findings) }
}

function likelyCauses(findings: Findings): readonly LikelyCause[] {
  switch (findings.failure.kind) {
    case 'unauthorized':
    case 'forbidden':
      return refusalCauses(findings)
    case 'unreachable':
    case 'timeout':
      return silenceCauses(findings)
    case 'redirected':
    case 'not-json':
    case 'unexpected-status':
      return foreignCauses(findings)
    default:
      return []
  }
}

/** Nothing that this page may read came back. */
function silenceCauses({ failure, probes }: Findings): readonly LikelyCause[] {
  const { unsigned, headersWithoutSignature, opaque, permission } = probes
  if (unsigned?.kind === 'answered' || unsigned?.kind === 'too-large' || unsigned?.kind === 'cut-off') {
    if (headersWithoutSignature?.kind !== 'unreachable' && headersWithoutSignature?.kind !== 'timeout')
      return failure.kind === 'timeout' ? ['too-slow'] : ['cors-signed']
    return ['preflight']
  }
  if (unsigned?.kind === 'redirected') return ['redirect']
  if (opaque === 'answered') return unsigned?.kind === 'timeout' ? ['too-slow'] : ['cors']
  if (permission === 'denied' || permission === 'prompt') return ['local-network']
  if (unsigned?.kind === 'timeout' || opaque === 'timeout') return ['too-slow']
  const usual: readonly LikelyCause[] =
    opaque === 'nothing' ? ['nothing-answers'] : ['nothing-answers', 'cors']
  // A browser that has such a permission, and does not tell how it stands, looks no different.
  return permission === 'unknown' ? [...usual, 'local-network'] : usual
}

/** An answer came, and it is not the service's. */
function foreignCauses({ failure, signed, probes, isPlain }: Findings): readonly LikelyCause[] {
  const { unsigned } = probes
  const isPage = signed?.page !== undefined || (failure.kind === 'not-json' && failure.problem === 'web-page')
  const sameUnsigned =
    failure.kind === 'redirected'
      ? unsigned?.kind === 'redirected'
      : unsigned?.kind === 'answered' && unsigned.words.page !== undefined
  if (failure.kind === 'redirected' && !sameUnsigned) return ['redirect']
  if (failure.kind !== 'redirected' && !isPage) return []
  // Over https nobody on the way can answer in the service's name.
  if (sameUnsigned && isPlain)
    return ['captive-portal', failure.kind === 'redirected' ? 'redirect' : 'sign-in-page']
  return [failure.kind === 'redirected' ? 'redirect' : 'sign-in-page']
}

function cluesOf({ failure, signed, probes, offset, correction, isPlain, by }: Findings): readonly Clue[] {
  const { unsigned, headersWithoutSignature, opaque, permission, ownServer } = probes
  const isRefusal = failure.kind === 'unauthorized' || failure.kind === 'forbidden'
  const clues: (Clue | false | undefined)[] = [
    signed && { kind: 'said', words: signed },
    unsigned && { kind: 'unsigned', answer: unsigned, same: sameAs(signed, unsigned) },
    headersWithoutSignature && {
      kind: 'headersWithoutSignature',
      answer: headersWithoutSignature,
      same: sameAs(signed, headersWithoutSignature),
    },
    opaque && { kind: 'opaque', answer: opaque },
    permission && { kind: 'permission', state: permission },
    ownServer && { kind: 'own-server', state: ownServer },
    isRefusal && { kind: 'clocks', offset, ...(by && { by }) },
    isRefusal && correction !== undefined && { kind: 'correction', correction },
    !isRefusal &&
      isPlain &&
      unsigned !== undefined &&
      unsigned.kind !== 'unreachable' && { kind: 'plain-http' },
  ]
  return clues.filter((clue) => clue !== false && clue !== undefined)
}
