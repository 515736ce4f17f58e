import { describe, expect, it } from 'vitest'
import { csvCell, csvLine } from '#base/csv.ts'

describe('a cell of a CSV file', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['back\rhere', '"back\rhere"'],
    ['', ''],
  ])('holds %j as %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell)
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])('is no formula: %j', (value) => {
    expect(csvCell(value)).toBe(`'${value}`)
  })

  it('keeps a return that begins it in quotes too', () => {
    expect(csvCell('\rx')).toBe('"\'\rx"')
  })

  it('writes numbers and truths as they are, and nothing for what is missing', () => {
    expect(csvLine([-5, true, undefined, 'x'])).toBe('-5,true,,x\r\n')
  })
})
