import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textFingerprint } from '#base/fingerprint.ts'
import { anyCharacter } from '#test/support/any-character.ts'
import {
  cutComparable,
  cutText,
  hiddenIn,
  lookAlikes,
  toVisibleRuns,
  toVisibleText,
  visibleBytes,
} from '#base/visible-text.ts'

const char = (codePoint: number): string => String.fromCodePoint(codePoint)

describe('visible text', () => {
  it.each(['', 'ACTIVE', 'a b', 'Grüße', '活动', '👍', 'e\u0301'])('shows %j as it is', (text) => {
    expect(toVisibleText(text)).toBe(text)
    expect(toVisibleRuns(text).runs).toEqual(text === '' ? [] : [{ kind: 'plain', text }])
  })

  it.each([
    ['null', 0x0000],
    ['line feed', 0x000a],
    ['delete', 0x007f],
    ['C1 control', 0x0085],
    ['no-break space', 0x00a0],
    ['soft hyphen', 0x00ad],
    ['Hangul filler', 0x115f],
    ['Hangul jungseong filler', 0x1160],
    ['en quad', 0x2000],
    ['hair space', 0x200a],
    ['zero width space', 0x200b],
    ['right-to-left mark', 0x200f],
    ['line separator', 0x2028],
    ['paragraph separator', 0x2029],
    ['right-to-left override', 0x202e],
    ['narrow no-break space', 0x202f],
    ['medium mathematical space', 0x205f],
    ['word joiner', 0x2060],
    ['right-to-left isolate', 0x2067],
    ['braille blank', 0x2800],
    ['ideographic space', 0x3000],
    ['Hangul letter filler', 0x3164],
    ['private use', 0xe000],
    ['byte order mark', 0xfeff],
    ['halfwidth Hangul filler', 0xffa0],
    ['lone surrogate', 0xd800],
    ['noncharacter', 0xffff],
    ['tag letter', 0xe0041],
    ['variation selector', 0xfe0f],
    ['supplementary variation selector', 0xe0100],
    ['combining grapheme joiner', 0x034f],
    ['Mongolian selector', 0x180b],
    ['invisible Khmer vowel', 0x17b4],
  ])('shows %s (%d) as its code point', (_name, codePoint) => {
    const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
    expect(toVisibleText(`a${char(codePoint)}b`)).toBe(`a⟨${name}⟩b`)
    expect(toVisibleRuns(char(codePoint)).runs).toEqual([{ kind: 'escape', codePoint: name }])
  })

  it.each([
    ['a\u202eb', 'a⟨U+202E⟩b', 'U+202E'],
    [`a${'\n'.repeat(300)}b`, 'a⟨300 × U+000A⟩b', undefined],
    ['a\n\n\nb', 'a\n\n\nb', undefined],
    [`a${' '.repeat(80)}b`, 'a⟨80 × U+0020⟩b', undefined],
    ['a  b', 'a  b', undefined],
    ['a \nb ', 'a⟨U+0020⟩\nb⟨U+0020⟩', undefined],
    ['a\tb\r\n', 'a⟨U+0009⟩b⟨U+000D⟩\n', undefined],
    ['a\rb', 'a⟨U+000D⟩b', 'U+000D'],
    ['\u{e0041}\u{e0042}', '⟨U+E0041⟩⟨U+E0042⟩', 'U+E0041'],
    [`a${'\u0301'.repeat(5)}`, 'a⟨5 × U+0301⟩', 'U+0301'],
    ['ệ\u0301\u0302', 'ệ\u0301\u0302', undefined],
  ])('reveals the hidden characters of %j in bytes that a person approves', (text, shown, hidden) => {
    expect(visibleBytes(text)).toBe(shown)
    expect(hiddenIn(text)).toBe(hidden)
  })

  it('shows more combining marks than any language uses as code points', () => {
    expect(toVisibleText('a\u0301\u0302')).toBe('a\u0301\u0302')
    expect(toVisibleText(`a${'\u0301'.repeat(5)}`)).toBe(`a${'⟨U+0301⟩'.repeat(5)}`)
  })

  it('keeps the runs in order', () => {
    expect(toVisibleRuns('ab\u202e\u202ccd\u0000')).toEqual({
      runs: [
        { kind: 'plain', text: 'ab' },
        { kind: 'escape', codePoint: 'U+202E' },
        { kind: 'escape', codePoint: 'U+202C' },
        { kind: 'plain', text: 'cd' },
        { kind: 'escape', codePoint: 'U+0000' },
      ],
      mark: '',
    })
  })

  it.each([
    ['ACTIVE ', 'ACTIVE⟨U+0020⟩'],
    [' ACTIVE', '⟨U+0020⟩ACTIVE'],
    ['NOT  ACTIVE', 'NOT⟨U+0020⟩⟨U+0020⟩ACTIVE'],
    [' ', '⟨U+0020⟩'],
    ['  ACTIVE', '⟨U+0020⟩⟨U+0020⟩ACTIVE'],
    ['NOT ACTIVE', 'NOT ACTIVE'],
  ])('shows leading, trailing and repeated spaces of %j as code points', (text, shown) => {
    expect(toVisibleText(text)).toBe(shown)
    expect(toVisibleText(text, 64, 'as-written')).toBe(text)
  })

  it('shows 64 characters by default, and marks a cut with the full length', () => {
    expect(toVisibleText('x'.repeat(64))).toBe('x'.repeat(64))
    expect(toVisibleText('x'.repeat(65))).toBe(`${'x'.repeat(64)}… (65 characters)`)
    expect(toVisibleText('x'.repeat(5_000), 3)).toBe('xxx… (5,000 characters)')
  })

  it('counts characters, not UTF-16 units', () => {
    expect(toVisibleText('👍👍👍', 3)).toBe('👍👍👍')
    expect(toVisibleText('👍👍👍', 2)).toBe('👍👍… (3 characters)')
    expect(toVisibleText('\u0000a', 1)).toBe('⟨U+0000⟩… (2 characters)')
  })

  it('distinguishes long texts that differ only after the cut by a fingerprint', () => {
    const one = `${'x'.repeat(64)}1`
    const other = `${'x'.repeat(64)}2`
    expect(cutText(one, 64)).toBe(cutText(other, 64))
    expect(cutComparable(one, 64)).not.toBe(cutComparable(other, 64))
    expect(cutComparable(one, 64)).toBe(
      `${'x'.repeat(64)}… (65 characters, fingerprint ${textFingerprint(one)})`,
    )
    expect(cutComparable(one, 65)).toBe(one)
    expect(cutComparable(cutComparable(one, 64), 64)).toBe(cutComparable(one, 64))
  })

  it.each([
    ['a Cyrillic letter in a Latin word', 'ACT\u0406VE', 'ACT⟨U+0406⟩VE'],
    [
      'a Cyrillic letter in one word of several',
      'node n\u043ede-\u043e\u0434\u0438\u043d',
      'node n⟨U+043E⟩de-\u043e\u0434\u0438\u043d',
    ],
    ['a Greek letter in a Latin word', '\u0391CTIVE', '⟨U+0391⟩CTIVE'],
    ['a Cyrillic letter after accents', 'Gr\u00fc\u00dfe \u0430dmin', 'Gr\u00fc\u00dfe ⟨U+0430⟩dmin'],
  ])('shows the code point of %s', (_what, text, shown) => {
    expect(toVisibleText(text)).toBe(shown)
  })

  it.each(['Привет', 'узел 7', 'κόμβος', '节点node', 'Grüße', 'naïve'])(
    'shows %s as it is, with one script per word or two that look different',
    (text) => {
      expect(toVisibleText(text)).toBe(text)
    },
  )

  it('never lets a control or format character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(toVisibleText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
      }),
    )
  })

  it('cuts a text of a million characters', () => {
    expect(toVisibleText('\u202e'.repeat(1_000_000), 2)).toBe('⟨U+202E⟩⟨U+202E⟩… (1,000,000 characters)')
  })
})

it.each<[string, readonly string[]]>([
  ['ACTIVE', []],
  [' ~', []],
  ['ACTІVE', ['І U+0406']],
  ['А\u200bЕ', ['А U+0410', 'U+200B', 'Е U+0415']],
  ['\u001f', ['U+001F']],
  // The mark of a cut does not come from the service.
  ['ACTIVE… (80 characters)', []],
  ['\u007f', ['U+007F']],
])('look-alikes of %j are %j', (text, found) => {
  expect(lookAlikes(text)).toEqual(found)
})
