import { DAY_MS } from '#base/time.ts'
/*
 * What a profile may say in its own words. Every number could be a time to somebody, so that this allows what a
 * template needs (a tag, a version, a short number, the day of an interface's version) and refuses all else, however it is written.
 */

/** Where digits or letters could be escaped (\u0039, %39, &#57;), or are other ones (full width, other scripts). */
const NOT_PLAIN = /\r(?!\n)|[^\t\r\n\x20-\x7e]|[\\%]|&#/u

/** A character that no template needs in what is signed. */
export const oddCharacterIn = (text: string): string | undefined => NOT_PLAIN.exec(text)?.[0]

/** Digits, also in groups, as of a time in ISO 8601. */
const GROUPED = /\d+(?:[,._':/t-]\d+| \d{3}(?!\d))*/gi
/** Every Unix time since 1973 has as many. */
const DIGITS_MAX = 8
const EXPONENT = /\d\.?\d*e[+-]?\d+|0[xob][\da-f]+/i
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const MONTH_AND_NUMBER = new RegExp(
  `(?<![a-z])${MONTH}[^a-z\\d\\n]{0,4}\\d+|\\d(?:st|nd|rd|th)?[^a-z\\d\\n]{0,4}(?:of )?${MONTH}(?![a-z])`,
  'i',
)
const DAY = /(?<!\d)(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)/g
const NUMBER_ALONE = /(?<![a-z\d])(\d{4}|\d{8})(?![a-z\d])(?:[-/.]\d+)*/gi
const SHORT_DATE = /(?<!\d)(\d{1,2})([/. -])(\d{1,2})\2(\d{1,2})(?!\d)/g

/** A time that is written out, as it stands there; `nowMs`: a day that is over makes nothing last longer. */
export function writtenTimeIn(text: string, nowMs: number): string | undefined {
  const fresh = text.replace(DAY, (found, year: string, _, month: string, day: string) =>
    isOver(Date.UTC(Number(year), Number(month) - 1, Number(day)), nowMs) ? '\n' : found,
  )
  const grouped = text.match(GROUPED)?.find((found) => found.replace(/\D/g, '').length > DIGITS_MAX)
  return grouped ?? EXPONENT.exec(text)?.[0] ?? MONTH_AND_NUMBER.exec(fresh)?.[0] ?? dateIn(fresh, nowMs)
}

const isOver = (atMs: number, nowMs: number): boolean => atMs < nowMs - DAY_MS

/** A year to come, alone or in a date. */
function dateIn(text: string, nowMs: number): string | undefined {
  const year = new Date(nowMs).getUTCFullYear()
  const isYear = (digits: string): boolean => Number(digits) >= year
  for (const [found, digits = ''] of text.matchAll(NUMBER_ALONE)) {
    const [first, last] = [digits.slice(0, 4), digits.slice(4)]
    if (isYear(first) && (last === '' || isMonthAndDay(last.slice(0, 2), last.slice(2)))) return found
    if (isYear(last) && isMonthAndDay(first.slice(0, 2), first.slice(2))) return found
  }
  for (const [found, first = '', , second = '', third = ''] of text.matchAll(SHORT_DATE)) {
    const isShortYear = (digits: string): boolean => digits.length === 2 && Number(digits) >= year % 100
    if (isShortYear(third) && isMonthAndDay(first, second)) return found
    if (isShortYear(first) && isMonthAndDay(second, third)) return found
  }
  return undefined
}

/** In either order. */
const isMonthAndDay = (one: string, other: string): boolean => {
  const [low = 0, high = 0] = [Number(one), Number(other)].toSorted((a, b) => a - b)
  return low >= 1 && low <= 12 && high <= 31
}

/** As long as a number with which an end could be written in hex. */
const WORD = /[A-Za-z\d]{8,}/g
const HEX_OR_BASE32 = /^(?:(?=.*\D)(?:[\da-f]+|[\dA-F]+)|(?=.*\d)[A-Z2-7]{14,})$|A{4}/
const SYLLABLES = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g
/** Letters to a change of case or to a number: words have more (agentId), base64 has fewer. */
const SYLLABLE_MIN = 2.2

/** What is no word: it could be a time in hex, base32 or base64. */
export const encodedIn = (text: string): string | undefined =>
  text
    .match(WORD)
    ?.find(
      (word) => HEX_OR_BASE32.test(word) || word.length / (word.match(SYLLABLES)?.length ?? 1) < SYLLABLE_MIN,
    )

const TIME_WORDS: ReadonlySet<string> = new Set(
  'exp expires expiry expiration nbf iat issued created ts time timestamp date until'.split(' '),
)

/** Whether a member or header of this name says a time. */
export const isNameOfTime = (name: string): boolean =>
  name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).some((word) => TIME_WORDS.has(word.toLowerCase()))
