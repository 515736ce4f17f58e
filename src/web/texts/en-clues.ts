import { isFarApart } from '#evaluate/clock-causes.ts'
import { CORRECTION_ALONE_MAX_MS, correctionOf } from '#signing/clock-correction.ts'
import { offsetMs, offsetUncertaintyMs } from '#record/clock-offset.ts'
import type { AnswerWords } from '#protocol/answer-words.ts'
import type { Clue } from '#fleet/diagnosis.ts'
import type { ProbeAnswer } from '#fleet/diagnosis.ts'
import { clockByHeartbeats } from './en-clock.ts'
import { formatApart, formatOffset, formatSpan, formatUncertainty } from './format.ts'

type Of<K extends Clue['kind']> = Extract<Clue, { readonly kind: K }>

/** One thing that was seen, in a sentence; none where it adds nothing. */
export function clueWords(clue: Clue): readonly string[] {
  switch (clue.kind) {
    case 'said':
      return [`The signed request was answered ${saidWords(clue.words)}.`]
    case 'unsigned':
      return [unsignedWords(clue)]
    case 'headersWithoutSignature':
      return [headersWithoutSignatureWords(clue)]
    case 'opaque':
      return [OPAQUE[clue.answer]]
    case 'permission':
      return [PERMISSION[clue.state]]
    case 'own-server':
      return [OWN_SERVER[clue.state]]
    case 'clocks':
      return [clockWords(clue)]
    case 'correction':
      return [correctionWords(clue)]
    case 'plain-http':
      return ['The address is plain http, so anybody on the way can answer in its place.']
  }
}

/** "401, “not registered” (key-not-registered)". */
export function saidWords({ status, code, text, page, challenge }: AnswerWords): string {
  const parts = [
    String(status),
    text !== undefined && `“${text}”`,
    page !== undefined && (page === '' ? 'a web page' : `a web page called “${page}”`),
    challenge !== undefined &&
      !/^bearer$/i.test(challenge.scheme) &&
      `asking for ${challenge.scheme} credentials`,
  ].filter((part) => part !== false)
  return parts.join(', ') + (code === undefined ? '' : ` (${code})`)
}

const SILENT: Readonly<Record<Exclude<ProbeAnswer['kind'], 'answered'>, string>> = {
  unreachable: 'gets no answer that this page may read',
  timeout: 'gets no answer in time',
  'cut-off': 'gets an answer that breaks off',
  'too-large': 'gets an answer that is far too large',
  redirected: 'is redirected',
}

function unsignedWords({ answer, same }: Of<'unsigned'>): string {
  if (answer.kind === 'redirected')
    return 'A request without a signature is redirected too: it is not about the key.'
  if (answer.kind !== 'answered') return `A request without a signature ${SILENT[answer.kind]} either.`
  if (same === true) return 'A request without a signature is answered in the same words.'
  const said = saidWords(answer.words)
  return same === false
    ? `A request without a signature is answered otherwise: ${said}.`
    : `A request without a signature, which needs no leave, is answered ${said}.`
}

function headersWithoutSignatureWords({ answer, same }: Of<'headersWithoutSignature'>): string {
  const what = 'A request with the same headers and no signature in them'
  if (answer.kind !== 'answered') return `${what} ${SILENT[answer.kind]}.`
  if (same === true) return `${what} is answered in the same words, so ours are taken for no better.`
  const said = saidWords(answer.words)
  return same === false
    ? `${what} is answered otherwise, so ours arrive and are read: ${said}.`
    : `${what} is answered ${said}.`
}

const OPAQUE: Readonly<Record<Of<'opaque'>['answer'], string>> = {
  answered: 'Something answers there when nobody wants to read the answer.',
  nothing: 'Nothing answers there, not even when nobody wants to read the answer.',
  timeout: 'Nothing answers there in time, not even when nobody wants to read the answer.',
  unknown: 'This browser does not tell whether anything answers there at all.',
}

const PERMISSION: Readonly<Record<Of<'permission'>['state'], string>> = {
  denied: 'The browser says that this page’s permission for the local network is denied.',
  prompt: 'The browser says that this page’s permission for the local network was not given yet.',
  granted: 'This page has the permission for the local network.',
  unknown: 'This browser does not tell whether the page may reach the local network.',
}

const OWN_SERVER: Readonly<Record<Of<'own-server'>['state'], string>> = {
  answers: 'This dashboard’s own server answers, so this computer’s network works as far as there.',
  silent: 'This dashboard’s own server does not answer either.',
}

function clockWords({ offset, by: source }: Of<'clocks'>): string {
  if (offset === undefined) return 'The time of the service can’t be read, so the clocks are not compared.'
  if (source === 'heartbeats')
    return `The time of its answers can’t be read; ${clockByHeartbeats(offset, 'the service')}${isFarApart(offset) ? '' : ', which is no sure difference'}.`
  const by = `${formatOffset(offsetMs(offset))} ± ${formatUncertainty(offsetUncertaintyMs(offset))}`
  return correctionOf(offset) === undefined
    ? `The clocks agree: the Date of its answers is off by ${by}.`
    : `The Date of its answers says that this screen’s clock is ${formatApart(offsetMs(offset))} ${offsetMs(offset) > 0 ? 'slow' : 'fast'} (${by}).`
}

function correctionWords({ correction: { ms, state } }: Of<'correction'>): string {
  const moved = `moved by ${formatApart(ms)}`
  if (state === 'ask')
    return `Nothing was signed with the service’s time: beyond ${formatSpan(CORRECTION_ALONE_MAX_MS)} only you may say so.`
  return state === 'refused'
    ? `Signed once more with the service’s time, ${moved}: refused too.`
    : `Signed with the service’s time, ${moved}.`
}
