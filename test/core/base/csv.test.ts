import { describe, expect, it } from 'vitest'
import { csvLine } from '#base/csv.ts'

const cellOf = (text: string): string => csvLine([text]).slice(0, -2)

/** Splits cells like a program with another separator that may ignore our quotes. */
const cellsBy = (separator: string, line: string): readonly string[] =>
  line.split(/\r\n|\r|\n/).flatMap((row) => row.split(separator).map((cell) => cell.replace(/^[\s"]+/, '')))

describe('a cell of a CSV file', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['back\rhere', '"back\rhere"'],
    ['1;2', '"1;2"'],
    ['', ''],
  ])('holds %j as %j', (value, cell) => {
    expect(cellOf(value)).toBe(cell)
  })

  it.each(['=1+1', '+1+1', '-a', '@SUM(A1)', ' =a', '＝1'])('is never a formula: %j', (value) => {
    expect(cellOf(value)).toBe(`'${value}`)
  })

  it.each(['\tx', '\rx'])('has leading white space quoted after an apostrophe: %j', (value) => {
    expect(cellOf(value)).toBe(`"'${value}"`)
  })

  it.each([
    'a;=cmd()',
    'a\t=cmd()',
    'a\n=cmd()',
    'a\r\n-cmd()',
    ';=cmd()',
    '\t\t@cmd()',
    'a; =cmd()',
    'a;"=cmd()"',
    'a;;+cmd()',
    'a;\n=cmd()',
    '=a;=cmd()',
    "a;'\t=cmd()",
  ])('is never a formula to a reader with another separator: %j', (value) => {
    const line = csvLine(['first', value, 'last'])
    for (const separator of [';', '\t'])
      expect(cellsBy(separator, line).filter((cell) => /^[=+\-@]/.test(cell))).toEqual([])
  })

  it('shows invisible and bidirectional characters as code points, and keeps lines and spaces', () => {
    expect(cellOf('ACTIVE\u202e\u200b')).toBe('ACTIVE⟨U+202E⟩⟨U+200B⟩')
    expect(cellOf('1\u00a0m\nnote')).toBe('"1\u00a0m\nnote"')
  })

  it('holds numbers and exact amounts unchanged, yes or no, and nothing for undefined', () => {
    expect(csvLine([-5, '-5.25', '9007199254740993', true, false, undefined, 'x'])).toBe(
      '-5,-5.25,9007199254740993,yes,no,,x\r\n',
    )
    expect(csvLine(['-7', '-12', '-12.75', '12'])).toBe('-7,-12,-12.75,12\r\n')
    expect(csvLine([-1e21, 1e-7])).toBe('-1e+21,1e-7\r\n')
  })

  it('keeps formula characters that do not start it', () => {
    expect(cellOf('a=b-c@d+e {"x":-1}')).toBe('"a=b-c@d+e {""x"":-1}"')
  })
})
