import { ownMember } from '#base/own-member.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { parseJsonRecord, type JsonRecord } from '#record/json-record.ts'
import type { HttpReply } from './transport.ts'

/** Each part is one visible line; absent if the answer has none. */
export type AnswerWords = {
  readonly status: number
  /** A machine-readable code from a JSON error body of any common shape; at most 64 characters plus a cut mark. */
  readonly code?: string
  /** A human-readable sentence from such a body; at most 120 characters plus a cut mark. */
  readonly text?: string
  /** Set if the body is a web page: its title, which may be empty; at most 64 characters plus a cut mark. */
  readonly page?: string
  /**
   * The scheme of the first challenge, and whether it names an error. By RFC 6750 it names none if the request had no
   * credentials.
   */
  readonly challenge?: { readonly scheme: string; readonly namesError: boolean }
}

/** Enough of a page to find its title. */
const PAGE_CHARS = 4_096

export function wordsOf({ status, body, contentType, challenge }: HttpReply): AnswerWords {
  const json = parseJsonRecord(body)
  const words = json.ok ? errorOf(json.value) : {}
  const page = json.ok ? undefined : titleOf(body.slice(0, PAGE_CHARS), contentType)
  const challenged = challenge === undefined ? undefined : challengeOf(challenge)
  return {
    status,
    ...words,
    ...(page !== undefined && { page }),
    ...(challenged !== undefined && { challenge: challenged }),
  }
}

/** Undefined if neither has words to compare. */
export function haveSameWords(a: AnswerWords, b: AnswerWords): boolean | undefined {
  if (a.status !== b.status) return false
  const parts = ({ code, text, page, challenge }: AnswerWords) => [
    code,
    text,
    page,
    challenge?.scheme.toLowerCase(),
    challenge?.namesError,
  ]
  const [ofA, ofB] = [parts(a), parts(b)]
  if ([...ofA, ...ofB].every((part) => part === undefined)) return undefined
  return ofA.every((part, index) => part === ofB[index])
}

function errorOf(body: JsonRecord): Pick<AnswerWords, 'code' | 'text'> {
  const error = body.value('error')
  const inner = (name: string): unknown => ownMember(error, name)
  const text = [body.value('detail'), body.value('title'), body.value('message'), inner('message'), error]
    .concat(body.value('error_description'))
    .find(isText)
  const code = [body.value('code'), inner('code'), body.value('error_code'), error].find(isText)
  return {
    ...(code !== undefined && code !== text && { code: toVisibleText(code) }),
    ...(text !== undefined && { text: toVisibleText(inOneLine(text), DEFAULTS.answerCharsMax) }),
  }
}

/** Line breaks in a sentence have no meaning. */
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function titleOf(body: string, contentType: string | undefined): string | undefined {
  const isPage =
    /^\s*<(!doctype\s+html|html|head|body)\b/i.test(body) || /^text\/html\b/i.test(contentType ?? '')
  if (!isPage) return undefined
  const title = /<title[^>]{0,200}>([^<]{0,400})/i.exec(body)?.[1] ?? ''
  return toVisibleText(inOneLine(title))
}

function challengeOf(header: string): AnswerWords['challenge'] {
  const scheme = /^\s*([A-Za-z0-9-]{1,32})/.exec(header)?.[1]
  return scheme === undefined ? undefined : { scheme, namesError: /\berror\s*=/i.test(header) }
}
