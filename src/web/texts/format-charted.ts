import type { Metric } from '#metrics/metric.ts'
import { nodeHistoryTexts } from './en-node-history.ts'
import { formatAge, formatCompact, formatCount, formatLatency, formatPercent, formatSpan } from './format.ts'

/** Significant digits that every double preserves. */
const DIGITS = 15
const AMOUNT = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: DIGITS })

/**
 * A charted amount in full, with grouping: "1,250,000.25". If the double may stand for another amount, as beyond 2^53, the text
 * says "about".
 */
export function formatCharted(value: number): string {
  if (!Number.isFinite(value) || Number.isSafeInteger(value)) return formatCount(value)
  const text = AMOUNT.format(value)
  const isExact = !Number.isInteger(value) && Number(value.toPrecision(DIGITS)) === value
  return isExact ? text : nodeHistoryTexts.chart.about(text)
}

/** Number formats of a chart: in full, on the axis, and at a limit, where nine characters fit. */
export type Scale = {
  readonly format: (value: number) => string
  readonly tickFormat: (value: number) => string
  readonly limitFormat: (value: number) => string
  /** Ticks are shown in seconds, minutes and so on. */
  readonly tickUnit?: 'ms'
}

/** Shortens 99.90 % to 99.9 %. */
const shortPercent = (ratio: number): string => formatPercent(ratio).replace(/\.?0+(?=\D*$)/, '')

export function scaleOf({ kind, unit }: Pick<Metric, 'kind' | 'unit'>): Scale {
  if (unit === 'ratio') return { format: formatPercent, tickFormat: formatPercent, limitFormat: shortPercent }
  if (kind === 'timestamp')
    return { format: formatAge, tickFormat: formatSpan, limitFormat: formatSpan, tickUnit: 'ms' }
  if (unit === 'ms')
    return {
      format: formatLatency,
      tickFormat: formatLatency,
      limitFormat: formatLatency,
      tickUnit: 'ms',
    }
  return { format: formatCharted, tickFormat: formatCompact, limitFormat: formatCompact }
}
