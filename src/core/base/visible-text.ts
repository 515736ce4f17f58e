import { textFingerprint } from './fingerprint.ts'

/** One run of text as it may be shown: plain, or a character that would be invisible or misleading. */
export type TextRun =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'escape'; readonly codePoint: string }

/** Controls, format characters (bidi, zero width), private use, unassigned, lone surrogates, odd spaces, fillers and selectors. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u00a0\u2000-\u200a\u202f\u205f\u3000\u2800]/u

const NON_ASCII = /[^\x20-\x7e]/u

/** What a cut ends with: "… (5,000 characters)", which is how long the whole was. */
const cutMark = (chars: number): string => `… (${chars.toLocaleString('en-GB')} characters)`
const CUT = /… \([\d,]{1,12} characters(?:, fingerprint [\da-f]{16})?\)$/u

/** A text that was cut before keeps the length of its whole. */
export function cutText(text: string, charsMax: number): string {
  const { shown, mark } = cutParts(text, charsMax)
  return shown + mark
}

/** The same where texts are compared: the mark has the fingerprint of the whole, so that no two cut texts are equal. */
export function cutComparable(text: string, charsMax: number): string {
  const { shown, mark } = cutParts(text, charsMax)
  return mark === '' ? text : `${shown}${mark.slice(0, -1)}, fingerprint ${textFingerprint(text)})`
}

/** `mark` is '' for a text that was not cut. */
export function splitCut(text: string): { readonly shown: string; readonly mark: string } {
  const [mark = ''] = CUT.exec(text) ?? []
  return { shown: text.slice(0, text.length - mark.length), mark }
}

/** By characters, not code units, so that no half of a pair is left behind. */
function cutParts(text: string, charsMax: number): { readonly shown: string; readonly mark: string } {
  let chars = 0
  let end = text.length
  let at = 0
  for (const char of text) {
    if (chars++ === charsMax) end = at
    at += char.length
  }
  const before = splitCut(text).mark
  if (chars - before.length <= charsMax) return { shown: text, mark: '' }
  return { shown: text.slice(0, end), mark: before === '' ? cutMark(chars) : before }
}

export type Spaces = 'odd-named' | 'as-written'

/** Spaces at either end, and several in a row. */
const ODD_SPACES = /^ +| +$| {2,}/g

/** More marks on one letter than any language has; they cover the lines around it. */
const MARKS = /\p{M}{5,}/gu

type Places = readonly (readonly [from: number, to: number])[]

const placesOf = (pattern: RegExp, text: string): Places =>
  Array.from(text.matchAll(pattern), ({ index, 0: found }) => [index, index + found.length])

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const LATIN = /[A-Za-z]/
/** Scripts that have letters which look like Latin ones, as the Cyrillic "І" in "ACTІVE". */
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

/** No language mixes them in one word. A word in one script is fine. */
const mixedWords = (text: string): Places =>
  ALIKE.test(text)
    ? Array.from(text.matchAll(WORD)).flatMap(({ index, 0: word }) =>
        LATIN.test(word) && ALIKE.test(word) ? [[index, index + word.length] as const] : [],
      )
    : []

const isIn = (places: Places, at: number): boolean => places.some(([from, to]) => at >= from && at < to)

/**
 * Splits a service's text into what may be shown as is and what must be shown as a code
 * point, so that "ACTIVE" can't be made to read otherwise, not by a space at its end either. At most `charsMax` characters
 * are read; `mark` says that the rest is cut, and how long the whole is; otherwise it is ''.
 */
export function toVisibleRuns(
  text: string,
  charsMax = 64,
  spaces: Spaces = 'odd-named',
): { readonly runs: readonly TextRun[]; readonly mark: string } {
  const { shown, mark } = cutParts(text, charsMax)
  const runs: TextRun[] = []
  let plain = ''
  const odd = [...(spaces === 'as-written' ? [] : placesOf(ODD_SPACES, shown)), ...placesOf(MARKS, shown)]
  const mixed = mixedWords(shown)
  let end = 0
  for (const char of shown) {
    const at = end
    end += char.length
    if (!HIDDEN.test(char) && !isIn(odd, at) && !(isIn(mixed, at) && ALIKE.test(char))) {
      plain += char
      continue
    }
    if (plain !== '') runs.push({ kind: 'plain', text: plain })
    plain = ''
    runs.push({ kind: 'escape', codePoint: codePointName(char) })
  }
  if (plain !== '') runs.push({ kind: 'plain', text: plain })
  return { runs, mark }
}

/** The same as one line of plain text, for titles, labels, notifications and logs: hidden characters as ⟨U+202E⟩. */
export function toVisibleText(text: string, charsMax = 64, spaces?: Spaces): string {
  const { runs, mark } = toVisibleRuns(text, charsMax, spaces)
  return runs.map((run) => (run.kind === 'plain' ? run.text : `⟨${run.codePoint}⟩`)).join('') + mark
}

const HIDDEN_IN_FILES = /(?![\t\r\n])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu

/** The whole text for a file that people read: hidden characters as ⟨U+202E⟩. */
export const visibleInFile = (text: string): string =>
  text.replace(HIDDEN_IN_FILES, (char) => `⟨${codePointName(char)}⟩`)

/** Hidden characters, but for lines as they are; and lines and spaces in runs so long that what follows could be out of sight. */
const HIDDEN_IN_BYTES = new RegExp(`\\n{4,}| {8,}| +(?=\\n|$)|\\p{M}{5,}|(?!\\n)${HIDDEN.source}`, 'gu')

/** The whole text of bytes to agree to, line by line: hidden characters as ⟨U+202E⟩, long runs as ⟨300 × U+000A⟩. */
export const visibleBytes = (text: string): string =>
  text.replace(HIDDEN_IN_BYTES, (found) => {
    const chars = Array.from(found)
    const isRun = chars.length > 1 && chars.every((char) => char === chars[0])
    return isRun
      ? `⟨${chars.length} × ${codePointName(found)}⟩`
      : chars.map((char) => `⟨${codePointName(char)}⟩`).join('')
  })

/** The first character that hides something, as its code point; undefined where all can be seen. */
export const hiddenIn = (text: string): string | undefined => {
  const found = HIDDEN_IN_TEXT.exec(text)
  return found === null ? undefined : codePointName(found[0])
}
const HIDDEN_IN_TEXT = new RegExp(`(?!\\r?\\n|\\t)${HIDDEN.source}|\\p{M}{5,}`, 'u')

/** Letters outside ASCII, as code points: only these reveal a word written in look-alikes alone. At most 8. */
export const lookAlikes = (text: string): readonly string[] =>
  Array.from(splitCut(text).shown.slice(0, 256))
    .filter((char) => NON_ASCII.test(char))
    .slice(0, 8)
    .map((char) => `${HIDDEN.test(char) ? '' : `${char} `}${codePointName(char)}`)

const codePointName = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
