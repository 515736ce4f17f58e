import { visibleInFile } from './visible-text.ts'

/** Undefined means unknown. */
export type CsvCell = string | number | boolean | undefined

/** Byte order mark, by which a spreadsheet recognizes UTF-8. */
export const CSV_MARK = '\ufeff'

/** Exact amounts are texts; they are written as numbers. */
const NUMBER = /^-?\d+(\.\d+)?$/
/** Text that a spreadsheet would run as a formula. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r]/
/** Starts of formulas in programs that split cells at semicolons or tabs and ignore our quotes. */
const INNER_FORMULA = /([;\t\r\n](?:[^\S\t\r\n]|["'])*)(?=[=+\-@＝＋－＠])/g

/**
 * One line of a CSV file (RFC 4180) with its line end. A text that would be a formula gets a leading apostrophe; characters
 * that hide or reverse text are written by name.
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
