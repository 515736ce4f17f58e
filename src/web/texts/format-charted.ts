import { nodeHistoryTexts } from './en-node-history.ts'
import { formatCount } from './format.ts'

/** As many digits as every double keeps. */
const DIGITS = 15
const AMOUNT = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: DIGITS })

/**
 * A charted amount in full, grouped: "1,250,000.25". Where the double may stand for another
 * amount, as beyond 2^53, it is said to be about that.
 */
export function formatCharted(value: number): string {
  if (!Number.isFinite(value) || Number.isSafeInteger(value)) return formatCount(value)
  const text = AMOUNT.format(value)
  const isExact = !Number.isInteger(value) && Number(value.toPrecision(DIGITS)) === value
  return isExact ? text : nodeHistoryTexts.lanes.about(text)
}
