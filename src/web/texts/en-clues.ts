import { isFarApart, offsetMs, offsetUncertaintyMs } from '#record/clock-offset.ts'
import { CORRECTION_ALONE_MAX_MS, correctionOf } from '#signing/status-request.ts'
import type { AnswerWords } from '#protocol/answer-words.ts'
import type { Clue, ProbeAnswer } from '#fleet/diagnosis.ts'
import { clockByHeartbeats } from './en-clock.ts'
import { formatSpan, joined } from './format.ts'
import { formatApart, formatOffset, formatUncertainty } from './format-clock.ts'

type Of<K extends Clue['kind']> = Extract<Clue, { readonly kind: K }>

/** One clue as sentences; empty if it adds nothing. */
export function clueWords(clue: Clue): readonly string[] {
  switch (clue.kind) {
    case 'said':
      return [`The answer to the signed request was ${saidWords(clue.words)}.`]
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
      return ['Plain http: anyone on the network path can answer instead.']
  }
}

/** For example "HTTP 401, “not registered” (key-not-registered)". */
export function saidWords({ status, code, text, page, challenge }: AnswerWords): string {
  const said = joined(', ', [
    `HTTP ${status}`,
    text !== undefined && `“${text}”`,
    page !== undefined && (page === '' ? 'a web page' : `a web page titled “${page}”`),
    challenge !== undefined &&
      !/^bearer$/i.test(challenge.scheme) &&
      `a request for ${challenge.scheme} credentials`,
  ])
  return said + (code === undefined ? '' : ` (${code})`)
}

const SILENT: Readonly<Record<Exclude<ProbeAnswer['kind'], 'answered'>, string>> = {
  unreachable: 'gets no readable answer',
  timeout: 'gets no answer in time',
  'cut-off': 'gets an incomplete answer',
  'too-large': 'gets an answer that is too large',
  redirected: 'is redirected',
}

function unsignedWords({ answer, same }: Of<'unsigned'>): string {
  if (answer.kind === 'redirected')
    return 'An unsigned request is redirected too, so the key is not the cause.'
  if (answer.kind !== 'answered') return `An unsigned request also ${SILENT[answer.kind]}.`
  if (same === true) return 'An unsigned request gets the same answer.'
  const said = saidWords(answer.words)
  return same === false
    ? `An unsigned request gets a different answer: ${said}.`
    : `An unsigned request, which needs no preflight, gets the answer ${said}.`
}

function headersWithoutSignatureWords({ answer, same }: Of<'headersWithoutSignature'>): string {
  const what = 'A request with the same headers but no signature'
  if (answer.kind !== 'answered') return `${what} ${SILENT[answer.kind]}.`
  if (same === true) return `${what} gets the same answer, so the signature makes no difference.`
  const said = saidWords(answer.words)
  return same === false
    ? `${what} gets a different answer: ${said}. So the service receives and reads the signature.`
    : `${what} gets the answer ${said}.`
}

const OPAQUE: Readonly<Record<Of<'opaque'>['answer'], string>> = {
  answered: 'An opaque (no-cors) request is answered.',
  nothing: 'An opaque (no-cors) request is not answered.',
  timeout: 'An opaque (no-cors) request is not answered in time.',
  unknown: 'This browser does not reveal whether anything answers.',
}

const PERMISSION: Readonly<Record<Of<'permission'>['state'], string>> = {
  denied: 'Permission for local network access: denied.',
  prompt: 'Permission for local network access: not granted yet.',
  granted: 'Permission for local network access: granted.',
  unknown: 'Permission for local network access: unknown.',
}

const OWN_SERVER: Readonly<Record<Of<'own-server'>['state'], string>> = {
  answers: 'The dashboard server answers, so the network works as far as that server.',
  silent: 'The dashboard server does not answer.',
}

function clockWords({ offset, by: source }: Of<'clocks'>): string {
  if (offset === undefined) return 'The service’s time can’t be read, so the clocks can’t be compared.'
  if (source === 'heartbeats')
    return `The time of the service’s answers can’t be read; ${clockByHeartbeats(offset, 'the service')}.${isFarApart(offset) ? '' : ' That is within the uncertainty.'}`
  const by = `${formatOffset(offsetMs(offset))} ± ${formatUncertainty(offsetUncertaintyMs(offset))}`
  return correctionOf(offset) === undefined
    ? `The clocks agree: offset ${by}, from the Date header of the service’s answers.`
    : `The clocks disagree: offset ${by}, from the Date header of the service’s answers.`
}

function correctionWords({ correction: { ms, state } }: Of<'correction'>): string {
  const time = `the service’s time (this computer’s, shifted by ${formatApart(ms)})`
  if (state === 'ask')
    return `Not signed with the service’s time: a shift of more than ${formatSpan(CORRECTION_ALONE_MAX_MS)} needs your approval.`
  return state === 'refused'
    ? `A request signed again with ${time} was also rejected.`
    : `Signed with ${time}.`
}
