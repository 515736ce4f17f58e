/**
 * A number as the service wrote it. `text` is exact, in plain decimal notation without
 * exponent; `value` is the nearest double, for charts and comparisons only.
 */
export type ExactNumber = { readonly text: string; readonly value: number }

/** Maximum number of digits on either side of the point; 1e400 has more and is refused. */
const DIGITS_MAX = 80
/** Smaller values become 0: 5e-324 breaks a chart. */
const NOTHING_BELOW = 1e-80

/** Reads a JSON number token. Undefined if the token is invalid or has more than 80 digits before or after the point. */
export function parseExactNumber(token: string): ExactNumber | undefined {
  const match = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match
  const exponent = Number(exponentText)
  const isZero = !/[1-9]/.test(whole + fraction) || Math.abs(Number(token)) < NOTHING_BELOW
  if (isZero) return { text: '0', value: 0 } // Covers -0 and 0e999, which are the same amount.
  if (Math.abs(exponent) > DIGITS_MAX || token.length > 2 * DIGITS_MAX) return undefined
  const digits = whole + fraction
  const pointAt = whole.length + exponent
  const padded = pointAt <= 0 ? '0'.repeat(1 - pointAt) + digits : digits.padEnd(pointAt, '0')
  const split = Math.max(1, pointAt)
  const wholePart = padded.slice(0, split).replace(/^0+(?=\d)/, '')
  const fractionPart = padded.slice(split).replace(/0+$/, '')
  if (wholePart.length > DIGITS_MAX || fractionPart.length > DIGITS_MAX) return undefined
  return { text: sign + wholePart + (fractionPart === '' ? '' : `.${fractionPart}`), value: Number(token) }
}

export const isWhole = (number: ExactNumber): boolean => !number.text.includes('.')

/** If a double cannot show the number exactly, charts round it and the screen says so. */
export const isExactAsDouble = (number: ExactNumber): boolean => {
  const shown = Number.isSafeInteger(number.value) || !isWhole(number)
  return shown && parseExactNumber(String(number.value))?.text === number.text
}
