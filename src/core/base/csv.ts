/** What a spreadsheet would run as a formula when a cell begins with it. */
const FORMULA = /^[=+\-@\t\r]/

/**
 * A cell of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula gets an
 * apostrophe before it; a number is written as it is. Undefined is an empty cell.
 */
export function csvCell(value: string | number | boolean | undefined): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value)
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line with its end. */
export const csvLine = (cells: readonly (string | number | boolean | undefined)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`
