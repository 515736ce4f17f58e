/*
 * Rules for what the product may show, store and export. They are written independently of the product, so this file
 * imports nothing from it.
 */

/** Control, bidi and other format characters, private use, unassigned, lone surrogates and separators. */
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/u
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/
/** Spreadsheets treat these as formulas, full-width ones too, and skip white space and their own quotes before them. */
const FORMULA = /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/
const KEPT_CHARS_MAX = 1_200
const AMOUNT_MAX = 1e30
const SMALLEST = 1e-80

class NotGood extends Error {}

function holds(isGood: boolean, what: string, value: unknown): void {
  if (!isGood) throw new NotGood(`${what}: ${JSON.stringify(value)?.slice(0, 300) ?? 'undefined'}`)
}

/** Text on the screen, in a notification or in a file that people read. */
export function shown(text: string, what: string, charsMax = 1_000): void {
  holds(text.length <= charsMax, `${what} is too long`, text)
  holds(!NOT_SHOWN.test(text), `${what} has invisible characters`, text)
}

/** A value that the product formatted. It must not be the name of a missing value, such as NaN. */
export function figure(text: string, what: string): void {
  shown(text, what, KEPT_CHARS_MAX)
  holds(!/NaN|Infinity|undefined|null|\[object/.test(text), `${what} has no value`, text)
}

/** Any other rule that must hold. */
export const rule: (isHeld: boolean, what: string, value: unknown) => void = holds

/** An amount in the service's own notation. */
export function amount(
  { value, text }: { readonly value: number; readonly text: string },
  what: string,
): void {
  holds(Number.isFinite(value) && value >= 0 && value <= AMOUNT_MAX, `${what} is out of range`, value)
  holds(value === 0 || value >= SMALLEST, `${what} is smaller than a chart can draw`, value)
  holds(/^\d{1,80}(\.\d{1,80})?$/.test(text), `${what} is not a plain decimal`, text)
  holds(Math.abs(Number(text) - value) <= Math.abs(value) * 1e-12, `${what} is a different number`, [
    text,
    value,
  ])
}

/** Any stored or exported value: finite numbers, bounded texts and no inherited members. */
export function kept(value: unknown, what: string, charsMax = KEPT_CHARS_MAX): void {
  if (typeof value === 'number') holds(Number.isFinite(value), `${what} is not a number`, String(value))
  if (typeof value === 'string') holds(value.length <= charsMax, `${what} is too long`, value)
  if (typeof value !== 'object' || value === null) return
  const proto: unknown = Object.getPrototypeOf(value)
  holds(
    proto === Object.prototype || proto === Array.prototype || proto === null || value instanceof Map,
    `${what} has a foreign prototype`,
    value,
  )
  for (const [name, member] of value instanceof Map ? value : Object.entries(value))
    kept(member, `${what}.${String(name).slice(0, 80)}`, charsMax)
}

/** A number that a chart draws; NaN interrupts a line. */
export function drawn(value: number, what: string): void {
  holds(
    !Number.isFinite(value) ? Number.isNaN(value) : Math.abs(value) <= 8.64e15 || value <= AMOUNT_MAX,
    what,
    value,
  )
  holds(
    !(Math.abs(value) > 0 && Math.abs(value) < SMALLEST),
    `${what} is smaller than a chart can draw`,
    value,
  )
}

/** A complete CSV file (RFC 4180): rows of equal length, no formulas and no invisible characters. */
export function csv(text: string, what: string): number {
  const rows = rowsOf(text.replace(/^\ufeff/, ''))
  for (const cells of rows) {
    holds(cells.length === rows[0]?.length, `${what} has a row of a different length`, cells)
    for (const cell of cells) {
      holds(PLAIN_NUMBER.test(cell) || !FORMULA.test(cell), `${what} has a formula`, cell)
      // A spreadsheet that splits cells at semicolons or tabs ignores our quotes.
      for (const inner of cell.split(/[;\t\r\n]/).slice(1))
        holds(!FORMULA.test(inner), `${what} has a formula within a cell`, cell)
      // Line breaks and tabs are layout within a cell.
      holds(!NOT_SHOWN.test(cell.replaceAll(/[\t\r\n]/g, ' ')), `${what} has invisible characters`, cell)
    }
  }
  return rows.length
}

function rowsOf(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let cells: string[] = []
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (quoted === undefined && plain === '' && end === '' && cells.length === 0) break
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    rows.push(cells)
    cells = []
  }
  return rows
}
