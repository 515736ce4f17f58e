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

/** Exact sum of two plain decimal texts. */
export function sumText(a: string, b: string): string {
  const [wholeA = '', fractionA = ''] = a.split('.')
  const [wholeB = '', fractionB = ''] = b.split('.')
  const digits = Math.max(fractionA.length, fractionB.length)
  const scaled = (whole: string, fraction: string) => BigInt(whole + fraction.padEnd(digits, '0'))
  return shiftedText(String(scaled(wholeA, fractionA) + scaled(wholeB, fractionB)), digits)
}

/** Compares two unsigned plain decimal texts exactly. */
export function isLess(a: string, b: string): boolean {
  const [wholeA = '', fractionA = ''] = a.replace(/^0+(?=\d)/, '').split('.')
  const [wholeB = '', fractionB = ''] = b.replace(/^0+(?=\d)/, '').split('.')
  if (wholeA.length !== wholeB.length) return wholeA.length < wholeB.length
  if (wholeA !== wholeB) return wholeA < wholeB
  return fractionA.padEnd(fractionB.length, '0') < fractionB
}

/** Exact difference between the highest and the lowest of plain decimal texts. */
export function spreadText(texts: readonly string[]): string {
  const digits = Math.max(0, ...texts.map((text) => text.split('.')[1]?.length ?? 0))
  const scaled = texts.map((text) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(digits, '0'))
  })
  let low = scaled[0] ?? 0n
  let high = low
  for (const each of scaled) {
    if (each < low) low = each
    if (each > high) high = each
  }
  return shiftedText(String(high - low), digits)
}
