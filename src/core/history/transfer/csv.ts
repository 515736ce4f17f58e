import type { Cell } from './export-columns.ts'

/**
 * One line of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an
 * apostrophe before it; numbers stay numbers.
 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(cell: Cell): string {
  if (cell === undefined) return ''
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  if (typeof cell === 'number') return String(cell)
  // Exact amounts are texts that are numbers.
  const isNumber = /^-?\d+(\.\d+)?$/.test(cell)
  const safe = !isNumber && /^[\s]*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
