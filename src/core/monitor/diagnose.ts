import { isFarApart, type ClockOffset, type ByHeartbeats } from '#record/clock-offset.ts'
import type { Clue, Correction, Diagnosis, LikelyCause, ProbeAnswer, Probes } from '#fleet/diagnosis.ts'
import { haveSameWords, type AnswerWords } from '#protocol/answer-words.ts'
import { isOwnServerSilent, type FailureKind, type PollFailure } from '#protocol/failure.ts'
import { correctionOf } from '#signing/status-request.ts'

export type Findings = {
  readonly failure: PollFailure
  /** Text of the answer to the signed request, if it could be read. */
  readonly signed: AnswerWords | undefined
  readonly probes: Probes
  readonly offset: ClockOffset | undefined
  readonly correction: Correction | undefined
  /** The address uses neither https nor this computer, so anything on the network path may answer in its place. */
  readonly isPlain: boolean
  /** This page has read answers from this service before. */
  readonly wasReadable: boolean
  /** Nobody chose a signing profile for the service, and it has never accepted a request. */
  readonly isProfileGuessed: boolean
} & ByHeartbeats

/** Failures that look alike to the page but have different causes, by what they look like. */
export const AMBIGUOUS: Readonly<Partial<Record<FailureKind, 'refusal' | 'silence' | 'foreign'>>> = {
  unauthorized: 'refusal',
  forbidden: 'refusal',
  unreachable: 'silence',
  timeout: 'silence',
  redirected: 'foreign',
  'not-json': 'foreign',
  'unexpected-status': 'foreign',
}

/** Undefined if the probes add nothing to the failure itself. */
export function diagnose(findings: Findings): Diagnosis | undefined {
  const [first, ...others] = likelyCauses(findings)
  return first === undefined ? undefined : { likely: [first, ...others], clues: cluesOf(findings) }
}

function likelyCauses(findings: Findings): readonly LikelyCause[] {
  switch (AMBIGUOUS[findings.failure.kind]) {
    case 'refusal':
      return findings.isProfileGuessed ? withKeyLast(refusalCauses(findings)) : refusalCauses(findings)
    case 'silence':
      return silenceCauses(findings)
    case 'foreign':
      return foreignCauses(findings)
    default:
      return []
  }
}

function silenceCauses({ failure, probes, wasReadable }: Findings): readonly LikelyCause[] {
  const { unsigned, headersWithoutSignature, opaque, permission, ownServer } = probes
  // For requests through the dashboard server, only that server was probed.
  if (isOwnServerSilent(failure)) return [ownServer === 'answers' ? 'too-slow' : 'own-server']
  if (unsigned !== undefined && ['answered', 'too-large', 'cut-off'].includes(unsigned.kind)) {
    if (failure.kind === 'timeout' && !isSilence(headersWithoutSignature)) return ['too-slow']
    if (wasReadable) return ['was-readable']
    return isSilence(headersWithoutSignature) ? ['preflight'] : ['cors-signed']
  }
  if (unsigned?.kind === 'redirected') return ['redirect']
  const isSlow = unsigned?.kind === 'timeout'
  if (opaque === 'answered') return isSlow ? ['too-slow'] : [wasReadable ? 'was-readable' : 'cors']
  if (permission === 'denied' || permission === 'prompt') return ['local-network']
  if (isSlow || opaque === 'timeout') return ['too-slow']
  const usual: readonly LikelyCause[] =
    opaque === 'nothing' || wasReadable ? ['nothing-answers'] : ['nothing-answers', 'cors']
  // A browser that has this permission but does not report its state looks the same.
  return permission === 'unknown' ? [...usual, 'local-network'] : usual
}

const isSilence = (answer: ProbeAnswer | undefined): boolean =>
  answer?.kind === 'unreachable' || answer?.kind === 'timeout'

function foreignCauses({ failure, signed, probes, isPlain }: Findings): readonly LikelyCause[] {
  const { unsigned } = probes
  const isRedirect = failure.kind === 'redirected'
  const isPage = signed?.page !== undefined || (failure.kind === 'not-json' && failure.problem === 'web-page')
  if (!isRedirect && !isPage) return []
  const sameUnsigned = isRedirect
    ? unsigned?.kind === 'redirected'
    : unsigned?.kind === 'answered' && unsigned.words.page !== undefined
  const usual = isRedirect ? 'redirect' : 'sign-in-page'
  // Over https nothing on the network path can answer in the service's name.
  return sameUnsigned && isPlain ? ['captive-portal', usual] : [usual]
}

function cluesOf({ failure, signed, probes, offset, correction, isPlain, by }: Findings): readonly Clue[] {
  const { unsigned, headersWithoutSignature, opaque, permission, ownServer } = probes
  const isRefusal = AMBIGUOUS[failure.kind] === 'refusal'
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

/*
 * Words with which services refuse, including the codes of the reference service. The code and the sentence of an
 * answer are searched in lower case, with a space for every separator, and the first match counts.
 */
const SAID: readonly (readonly [RegExp, LikelyCause])[] = [
  [
    /\bmissing\b|not signed|unsigned|\bno (authori[sz]ation|credentials?|token|signature)\b|(credentials?|authori[sz]ation|authentication|token|signature|header) (is |are )?required|did not include/,
    'header-stripped',
  ],
  [
    /\b(nonce|jti)\b.*(accepted|already|used|reuse)|stale nonce|replay|(used|seen|accepted) (before|already)/,
    'repeated',
  ],
  [
    /key (is )?(not|un) ?(registered|known|found|enrolled|authori[sz]ed|recogni[sz]ed)|(un(known|registered|recogni[sz]ed)) (public )?(key|client|caller|signer)|no such key|key is revoked|untrusted key|\b(key|credentials?|client|certificate|registration|enrol(l)?ment|subscription|access|licen[cs]e)\b[^.]*\b(expired|ended|revoked)/,
    'key-not-registered',
  ],
  [
    /outside (the )?(time )?window|outside window|clock|\btime ?stamp\b.*(old|new|range|expired|future|past|skew|invalid)|(too old|in the future|expired|stale|skew)|time outside/,
    'clock',
  ],
  [
    /malformed|\bencod|\bbase ?64|\bhex(adecimal)?\b|wrong (length|format)|invalid (length|format)|can ?not be (parsed|decoded|read)|\bparse\b|decod/,
    'encoding',
  ],
  [
    /signature.*(invalid|wrong|bad|mismatch|fail|does not (fit|match|verify))|(invalid|wrong|bad) signature|verif(y|ication).*fail/,
    'message',
  ],
]

/**
 * Why the service refused a signature. Uses the service's own words first, then its answers without a signature, then the
 * clocks.
 */
function refusalCauses(findings: Findings): readonly LikelyCause[] {
  const { failure, signed, probes, correction } = findings
  if (correction?.state === 'ask') return ['clock']
  if (signed?.page !== undefined || isForeignChallenge(signed)) return ['in-front']
  // A service that answers 403 has recognized the signer.
  if (failure.kind === 'forbidden') return []
  const said = saidOf(signed)
  const likeUnsigned = sameAs(signed, probes.unsigned)
  const likeWithoutSignature = sameAs(signed, probes.headersWithoutSignature)
  // If the same text answers a signed and an unsigned request, it says nothing about the signature.
  if (said === 'header-stripped')
    return likeUnsigned === false ? ['encoding', 'header-stripped'] : ['header-stripped']
  if (said === 'clock' && correction?.state === 'refused') return ['clock', 'message']
  // The clocks agree, so the service probably reads another time than the one that was signed.
  if (said === 'clock' && doAgree(findings)) return ['encoding', 'clock']
  if (said === 'message')
    return likeWithoutSignature === true
      ? ['encoding', 'message', 'key-not-registered']
      : ['message', 'key-not-registered']
  return said === undefined ? comparedCauses(findings, likeUnsigned, likeWithoutSignature) : [said]
}

/** By the service's own Date; heartbeats give only a rough offset. */
const doAgree = ({ offset, by }: Findings): boolean =>
  offset !== undefined && by === undefined && correctionOf(offset) === undefined

/** While the profile is a guess, a refusal does not show whether the key is registered. */
const withKeyLast = (causes: readonly LikelyCause[]): readonly LikelyCause[] =>
  causes.toSorted((a, b) => Number(a === 'key-not-registered') - Number(b === 'key-not-registered'))

/** For a service that gave no reason: compares its answers without a signature, and the clocks. */
function comparedCauses(
  { offset, correction, by }: Findings,
  likeUnsigned: boolean | undefined,
  likeWithoutSignature: boolean | undefined,
): readonly LikelyCause[] {
  if (likeUnsigned === true && likeWithoutSignature === false) return ['header-stripped']
  if (likeWithoutSignature === true && likeUnsigned === false) return ['encoding']
  // Heartbeats give only a rough offset, so only a large difference points to the clock.
  const isOff =
    offset !== undefined && (by === 'heartbeats' ? isFarApart(offset) : correctionOf(offset) !== undefined)
  // The clock is off, but no request was signed with a corrected time: that was not possible, or there was no time left.
  if (isOff && correction === undefined) return ['clock', 'key-not-registered', 'message']
  if (likeWithoutSignature === false && likeUnsigned === false) return ['key-not-registered', 'message']
  return ['key-not-registered', 'message', 'encoding']
}

function saidOf(signed: AnswerWords | undefined): LikelyCause | undefined {
  if (signed === undefined) return undefined
  const text = `${signed.code ?? ''}  ${signed.text ?? ''}`.toLowerCase().replace(/[^a-z0-9]/g, ' ')
  const words = text.replace(/ {3,}/g, '  ')
  return SAID.find(([pattern]) => pattern.test(words))?.[1]
}

/** A service with signed requests never asks for a user name and password. */
const isForeignChallenge = (signed: AnswerWords | undefined): boolean =>
  /^(basic|digest|negotiate|ntlm)$/i.test(signed?.challenge?.scheme ?? '')

/** Whether a probe got the same answer as the signed request; undefined if there is nothing to compare. */
const sameAs = (signed: AnswerWords | undefined, answer: ProbeAnswer | undefined): boolean | undefined =>
  signed === undefined || answer?.kind !== 'answered' ? undefined : haveSameWords(signed, answer.words)
