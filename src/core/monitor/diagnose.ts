import type { AnswerWords } from '#protocol/answer-words.ts'
import type { ByBeats } from '#record/beat-offset.ts'
import type { ClockOffset } from '#record/clock-offset.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { Correction } from './poll.ts'
import type { ProbeAnswer, Probes } from './probes.ts'
import { refusalCauses } from './refusal-causes.ts'
import { sameAs } from './same-as.ts'

/** Why a poll failed, as far as it can be told from here. */
export type LikelyCause =
  /** The service refuses the time that was signed. */
  | 'clock'
  | 'key-not-registered'
  /** The service can't read the credentials. */
  | 'encoding'
  /** The signature is read, and is not the one that the service expects. */
  | 'message'
  /** The headers that carry the signature did not get there. */
  | 'header-stripped'
  /** Something in front of the service answers in its place. */
  | 'in-front'
  /** The browser's own question before a request with such headers (OPTIONS) is refused or not answered. */
  | 'preflight'
  /** The service answers, and does not let this page read it. */
  | 'cors'
  /** It lets this page read other answers, but not those to signed requests. */
  | 'cors-signed'
  | 'local-network'
  /** Refused, no such name, or a certificate that is not trusted. */
  | 'nothing-answers'
  | 'too-slow'
  | 'redirect'
  | 'captive-portal'
  | 'sign-in-page'

/** One thing that was seen and speaks for a cause. */
export type Clue =
  /** The service's own words. */
  | { readonly kind: 'said'; readonly words: AnswerWords }
  /** How the answer without a signature compares, and the one with headers that carry none. */
  | { readonly kind: 'unsigned'; readonly answer: ProbeAnswer; readonly same: boolean | undefined }
  | { readonly kind: 'dressed'; readonly answer: ProbeAnswer; readonly same: boolean | undefined }
  | { readonly kind: 'opaque'; readonly answer: NonNullable<Probes['opaque']> }
  | { readonly kind: 'permission'; readonly state: NonNullable<Probes['permission']> }
  | { readonly kind: 'own-server'; readonly state: NonNullable<Probes['ownServer']> }
  /** Undefined: the service's time can't be read. */
  | ({ readonly kind: 'clocks'; readonly offset: ClockOffset | undefined } & ByBeats)
  /** Signed once more with the service's time, which was refused too; or not, because it is too far away. */
  | { readonly kind: 'correction'; readonly correction: Correction }
  | { readonly kind: 'plain-http' }

/** Likeliest first. More than one: what was seen does not decide between them. */
export type Diagnosis = {
  readonly likely: readonly [LikelyCause, ...LikelyCause[]]
  readonly clues: readonly Clue[]
}

export type Findings = {
  readonly failure: PollFailure
  /** What the answer to the signed request said, where it could be read. */
  readonly signed: AnswerWords | undefined
  readonly probes: Probes
  readonly offset: ClockOffset | undefined
  readonly correction: Correction | undefined
  /** The service's own address is not https, so whoever is on the way may answer. */
  readonly isPlain: boolean
} & ByBeats

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
  const { unsigned, dressed, opaque, permission } = probes
  if (unsigned?.kind === 'answered' || unsigned?.kind === 'too-large' || unsigned?.kind === 'cut-off') {
    if (dressed?.kind !== 'unreachable' && dressed?.kind !== 'timeout')
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
  const { unsigned, dressed, opaque, permission, ownServer } = probes
  const isRefusal = failure.kind === 'unauthorized' || failure.kind === 'forbidden'
  const clues: (Clue | false | undefined)[] = [
    signed && { kind: 'said', words: signed },
    unsigned && { kind: 'unsigned', answer: unsigned, same: sameAs(signed, unsigned) },
    dressed && { kind: 'dressed', answer: dressed, same: sameAs(signed, dressed) },
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
