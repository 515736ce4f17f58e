import type { ExactNumber } from './exact-number.ts'

/** Divides a plain decimal text by 10^decimals exactly: "1250000" with 6 is "1.25". */
export function shiftedText(text: string, decimals: number): string {
  if (decimals === 0) return text
  const [whole = '', fraction = ''] = text.split('.')
  const digits = whole.padStart(decimals + 1, '0')
  const pointAt = digits.length - decimals
  const rest = (digits.slice(pointAt) + fraction).replace(/0+$/, '')
  const lead = digits.slice(0, pointAt).replace(/^0+(?=\d)/, '')
  return rest === '' ? lead : `${lead}.${rest}`
}

/** An amount in the displayed unit. `value` is for charts only. */
export const shifted = ({ text, value }: ExactNumber, decimals: number): ExactNumber => ({
  text: shiftedText(text, decimals),
  value: value / 10 ** decimals,
})

/** Plain decimal texts as whole numbers of the smallest digit that any of them has. */
function scaled(texts: readonly string[]): { readonly digits: number; readonly whole: readonly bigint[] } {
  const parts = texts.map((text) => text.split('.'))
  const digits = Math.max(0, ...parts.map(([, fraction = '']) => fraction.length))
  return {
    digits,
    whole: parts.map(([whole = '', fraction = '']) => BigInt(whole + fraction.padEnd(digits, '0'))),
  }
}

/** Exact sum of two plain decimal texts. */
export function sumText(a: string, b: string): string {
  const { digits, whole } = scaled([a, b])
  return shiftedText(String(whole.reduce((sum, each) => sum + each, 0n)), digits)
}

/** Compares two unsigned plain decimal texts exactly. */
export function isLess(a: string, b: string): boolean {
  const [one = 0n, other = 0n] = scaled([a, b]).whole
  return one < other
}

/** Exact difference between the highest and the lowest of plain decimal texts. */
export function spreadText(texts: readonly string[]): string {
  const { digits, whole } = scaled(texts)
  const [first = 0n] = whole
  const low = whole.reduce((least, each) => (each < least ? each : least), first)
  const high = whole.reduce((most, each) => (each > most ? each : most), first)
  return shiftedText(String(high - low), digits)
}
