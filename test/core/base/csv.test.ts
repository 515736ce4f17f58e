import { describe, expect, it } from 'vitest'
import { csvLine } from '#base/csv.ts'

const cellOf = (text: string): string => csvLine([text]).slice(0, -2)

/** As a program does that parts cells at something else than we do, and to which our quotes are none, or are some. */
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

  it.each(['=1+1', '+1+1', '-a', '@SUM(A1)', ' =a', '＝1'])('is no formula: %j', (value) => {
    expect(cellOf(value)).toBe(`'${value}`)
  })

  it.each(['\tx', '\rx'])('keeps white space that begins it in quotes: %j', (value) => {
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
  ])('is no formula to a reader that parts cells elsewhere: %j', (value) => {
    const line = csvLine(['first', value, 'last'])
    for (const separator of [';', '\t'])
      expect(cellsBy(separator, line).filter((cell) => /^[=+\-@]/.test(cell))).toEqual([])
  })

  it('names what hides or turns text, and leaves lines and spaces', () => {
    expect(cellOf('ACTIVE\u202e\u200b')).toBe('ACTIVE⟨U+202E⟩⟨U+200B⟩')
    expect(cellOf('1\u00a0m\nnote')).toBe('"1\u00a0m\nnote"')
  })

  it('writes numbers and exact amounts as they are, and nothing for what is missing', () => {
    expect(csvLine([-5, '-5.25', '9007199254740993', true, false, undefined, 'x'])).toBe(
      '-5,-5.25,9007199254740993,yes,no,,x\r\n',
    )
    expect(csvLine(['-7', '-12', '-12.75', '12'])).toBe('-7,-12,-12.75,12\r\n')
    expect(csvLine([-1e21, 1e-7])).toBe('-1e+21,1e-7\r\n')
  })

  it('changes nothing of what begins no cell', () => {
    expect(cellOf('a=b-c@d+e {"x":-1}')).toBe('"a=b-c@d+e {""x"":-1}"')
  })
})
