import type { AnswerWords } from '#protocol/answer-words.ts'
import { correctionOf } from '#signing/clock-correction.ts'
import { isFarApart } from '#evaluate/clock-causes.ts'
import type { Findings } from './diagnose.ts'
import type { LikelyCause } from '#fleet/diagnosis.ts'
import { sameAs } from './same-as.ts'

/*
 * Words by which services refuse, the reference service's codes among them. They are looked for
 * in the code and the sentence, in lower case with every separator a space, and the first that fits counts.
 */
const SAID: readonly (readonly [RegExp, LikelyCause])[] = [
  [
    /\bmissing\b|not signed|unsigned|\bno (authori[sz]ation|credentials?|token|signature)\b|(credentials?|authori[sz]ation|authentication|token|signature|header) (is |are )?required|did not include/,
    'header-stripped',
  ],
  [
    /key (is )?(not|un) ?(registered|known|found|enrolled|authori[sz]ed|recogni[sz]ed)|(un(known|registered|recogni[sz]ed)) (public )?(key|client|caller|signer)|no such key|key (has )?(expired|ended|revoked)|key (is )?revoked|untrusted key/,
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

/** Why a signature was refused: by the service's own words first, then by how it answers without one, then by the clocks. */
export function refusalCauses({
  failure,
  signed,
  probes,
  offset,
  correction,
  by,
}: Findings): readonly LikelyCause[] {
  const { unsigned, headersWithoutSignature } = probes
  if (correction?.state === 'ask') return ['clock']
  if (signed?.page !== undefined || isForeignChallenge(signed)) return ['in-front']
  // Whoever is told that permission is lacking was recognised.
  if (failure.kind === 'forbidden') return []
  const said = saidOf(signed)
  const likeUnsigned = sameAs(signed, unsigned)
  const likeWithoutSignature = sameAs(signed, headersWithoutSignature)
  // The same sentence for a request that was signed and for one that was not can't speak of what was signed.
  if (said === 'header-stripped')
    return likeUnsigned === false ? ['encoding', 'header-stripped'] : ['header-stripped']
  if (said === 'clock' && correction?.state === 'refused') return ['clock', 'message']
  if (said === 'message')
    return likeWithoutSignature === true
      ? ['encoding', 'message', 'key-not-registered']
      : ['message', 'key-not-registered']
  if (said !== undefined) return [said]
  if (likeUnsigned === true && likeWithoutSignature === false) return ['header-stripped']
  if (likeWithoutSignature === true && likeUnsigned === false) return ['encoding']
  // Heartbeats tell only roughly, so that only a large difference speaks for the clock.
  const isOff =
    offset !== undefined && (by === 'heartbeats' ? isFarApart(offset) : correctionOf(offset) !== undefined)
  // Off and not corrected: it could not be tried, or not in time.
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

/** A service of signed requests does not ask a person for a name and a password. */
const isForeignChallenge = (signed: AnswerWords | undefined): boolean =>
  /^(basic|digest|negotiate|ntlm)$/i.test(signed?.challenge?.scheme ?? '')
