import { textFingerprint } from './fingerprint.ts'

/** A run of displayable text, or a character that would be invisible or misleading. */
export type TextRun =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'escape'; readonly codePoint: string }

/**
 * Controls, format characters (bidi, zero width), private use, unassigned, lone surrogates, unusual spaces, fillers and
 * selectors.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u00a0\u2000-\u200a\u202f\u205f\u3000\u2800]/u

const NON_ASCII = /[^\x20-\x7e]/u

/** The end of a cut text: "… (5,000 characters)", with the length of the whole. */
const cutMark = (chars: number): string => `… (${chars.toLocaleString('en-GB')} characters)`
const CUT = /… \([\d,]{1,12} characters(?:, fingerprint [\da-f]{16})?\)$/u

/** A text that was cut before keeps the length of its whole. */
export function cutText(text: string, charsMax: number): string {
  const { shown, mark } = cutParts(text, charsMax)
  return shown + mark
}

/** For texts that are compared: the mark has the fingerprint of the whole, so that no two cut texts are equal. */
export function cutComparable(text: string, charsMax: number): string {
  const { shown, mark } = cutParts(text, charsMax)
  return mark === '' ? text : `${shown}${mark.slice(0, -1)}, fingerprint ${textFingerprint(text)})`
}

/** `mark` is '' for a text that was not cut. */
export function splitCut(text: string): { readonly shown: string; readonly mark: string } {
  const [mark = ''] = CUT.exec(text) ?? []
  return { shown: text.slice(0, text.length - mark.length), mark }
}

/** Counts characters instead of code units, so that no surrogate pair is split. */
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
/** Scripts with letters that look like Latin ones, as the Cyrillic "І" in "ACTІVE". */
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

/** No language mixes these scripts with Latin in one word. A word in one script is fine. */
const mixedWords = (text: string): Places =>
  ALIKE.test(text)
    ? Array.from(text.matchAll(WORD)).flatMap(({ index, 0: word }) =>
        LATIN.test(word) && ALIKE.test(word) ? [[index, index + word.length] as const] : [],
      )
    : []

const isIn = (places: Places, at: number): boolean => places.some(([from, to]) => at >= from && at < to)

/**
 * Splits a service's text into runs that can be shown as they are and characters that must be shown as code points, so that
 * nothing can imitate "ACTIVE", not even with a trailing space. Reads at most `charsMax` characters; `mark` then gives the full
 * length, otherwise it is ''.
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

/** One line of plain text for titles, labels, notifications and logs: hidden characters as ⟨U+202E⟩. */
export function toVisibleText(text: string, charsMax = 64, spaces?: Spaces): string {
  const { runs, mark } = toVisibleRuns(text, charsMax, spaces)
  return runs.map((run) => (run.kind === 'plain' ? run.text : `⟨${run.codePoint}⟩`)).join('') + mark
}

const HIDDEN_IN_FILES = /(?![\t\r\n])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu

/** The whole text for a file that people read: hidden characters as ⟨U+202E⟩. */
export const visibleInFile = (text: string): string =>
  text.replace(HIDDEN_IN_FILES, (char) => `⟨${codePointName(char)}⟩`)

/** Hidden characters except line breaks, and runs of lines or spaces long enough to push text out of sight. */
const HIDDEN_IN_BYTES = new RegExp(`\\n{4,}| {8,}| +(?=\\n|$)|\\p{M}{5,}|(?!\\n)${HIDDEN.source}`, 'gu')

/** The whole text of bytes that a person approves, line by line: hidden characters as ⟨U+202E⟩, long runs as ⟨300 × U+000A⟩. */
export const visibleBytes = (text: string): string =>
  text.replace(HIDDEN_IN_BYTES, (found) => {
    const chars = Array.from(found)
    const isRun = chars.length > 1 && chars.every((char) => char === chars[0])
    return isRun
      ? `⟨${chars.length} × ${codePointName(found)}⟩`
      : chars.map((char) => `⟨${codePointName(char)}⟩`).join('')
  })

/** The first hidden character as its code point; undefined if all are visible. */
export const hiddenIn = (text: string): string | undefined => {
  const found = HIDDEN_IN_TEXT.exec(text)
  return found === null ? undefined : codePointName(found[0])
}
const HIDDEN_IN_TEXT = new RegExp(`(?!\\r?\\n|\\t)${HIDDEN.source}|\\p{M}{5,}`, 'u')

/** Non-ASCII letters as code points, at most 8: only these reveal a word written entirely in look-alikes. */
export const lookAlikes = (text: string): readonly string[] =>
  Array.from(splitCut(text).shown.slice(0, 256))
    .filter((char) => NON_ASCII.test(char))
    .slice(0, 8)
    .map((char) => `${HIDDEN.test(char) ? '' : `${char} `}${codePointName(char)}`)

const codePointName = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
