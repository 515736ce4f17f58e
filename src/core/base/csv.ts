import { visibleInFile } from './visible-text.ts'

export type CsvCell = string | number | boolean | undefined

/** Begins a file: by it a spreadsheet knows UTF-8. */
export const CSV_MARK = '\ufeff'

/** Exact amounts are texts, and stay numbers. */
const NUMBER = /^-?\d+(\.\d+)?$/
/** What a spreadsheet would run as a formula, */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r]/
/** and where a cell begins for one that splits cells at semicolons or tabs: our quotes mean nothing to it. */
const INNER_FORMULA = /([;\t\r\n](?:[^\S\t\r\n]|["'])*)(?=[=+\-@＝＋－＠])/g

/**
 * One line of a CSV file (RFC 4180), with its end. A text that would be a formula gets an apostrophe before it, and
 * characters that hide or turn text are named.
 */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(cell: CsvCell): string {
  if (cell === undefined) return ''
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  if (typeof cell === 'number' || NUMBER.test(cell)) return String(cell)
  const inner = visibleInFile(cell).replace(INNER_FORMULA, "$1'")
  const safe = FORMULA.test(inner) ? `'${inner}` : inner
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
