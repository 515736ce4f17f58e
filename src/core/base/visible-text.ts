/** One run of text as it may be shown: plain, or a character that would be invisible or misleading. */
export type TextRun =
  | { readonly kind: 'plain'; readonly text: string }
  /** Shown as its code point, e.g. "U+202E", never as itself. */
  | { readonly kind: 'escape'; readonly codePoint: string }

/** Controls, format characters (bidi, zero width), private use, unassigned, lone surrogates, odd spaces and fillers. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u00a0\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0\u2800]/u

/** Letters that are not Latin but stand in for Latin ones are not hidden; they are marked where a known word is expected. */
const NON_ASCII = /[^\x20-\x7e]/u

/**
 * Splits a service's text into what may be shown as is and what must be shown as a code
 * point, so that "ACTIVE" can't be made to read otherwise. At most `charsMax` characters
 * are read; the rest is cut and reported.
 */
export function toVisibleRuns(
  text: string,
  charsMax = 64,
): { readonly runs: readonly TextRun[]; readonly cut: boolean } {
  const runs: TextRun[] = []
  let plain = ''
  let count = 0
  for (const char of text) {
    if (++count > charsMax) break
    if (!HIDDEN.test(char)) {
      plain += char
      continue
    }
    if (plain !== '') runs.push({ kind: 'plain', text: plain })
    plain = ''
    runs.push({ kind: 'escape', codePoint: codePointName(char) })
  }
  if (plain !== '') runs.push({ kind: 'plain', text: plain })
  return { runs, cut: count > charsMax }
}

/** The same as one line of plain text, for titles, labels, notifications and logs: hidden characters as ⟨U+202E⟩, a cut as "…". */
export function toVisibleText(text: string, charsMax = 64): string {
  const { runs, cut } = toVisibleRuns(text, charsMax)
  return (
    runs.map((run) => (run.kind === 'plain' ? run.text : `⟨${run.codePoint}⟩`)).join('') + (cut ? '…' : '')
  )
}

/** Letters outside ASCII, as code points: a look-alike such as Cyrillic "І" in "ACTІVE" is only told apart this way. At most 8. */
export const lookAlikes = (text: string): readonly string[] =>
  Array.from(text.slice(0, 256))
    .filter((char) => NON_ASCII.test(char))
    .slice(0, 8)
    .map((char) => `${HIDDEN.test(char) ? '' : `${char} `}${codePointName(char)}`)

const codePointName = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
