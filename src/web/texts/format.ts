import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'

/** Units and short words for figures. The format functions add the spaces around them. */
export const unit = {
  ms: 'ms',
  s: 's',
  m: 'm',
  min: 'min',
  h: 'h',
  d: 'd',
  percent: '%',
  utc: 'UTC',
  /** Shown for an unknown value. Screen readers skip a dash, so screens add text beside it. */
  none: '–',
} as const

/**
 * Separates a figure from its unit and the parts of an age. The typeface's narrow no-break space is too narrow to be visible.
 */
export const NO_BREAK = '\u00a0'

const SECOND_MS = 1_000

export type FigurePart = { readonly figure: string; readonly unit: string }

export const withUnit = (part: FigurePart): string => `${part.figure}${NO_BREAK}${part.unit}`

/**
 * An age or a duration in one or two units, never rounded up and never negative: "4 s", "1 m 34 s", "2 h 06 m", "8 d 5 h". A
 * dash if `ms` is not finite.
 */
export function formatAge(ms: number): string {
  const parts = ageParts(ms)
  return parts.length === 0
    ? unit.none
    : parts.map((part) => withUnit(part.unit === unit.min ? { ...part, unit: unit.m } : part)).join(NO_BREAK)
}

/** Like `formatAge`, with figures and units apart for large type; minutes are "min". Empty if `ms` is not finite. */
export function ageParts(ms: number): readonly FigurePart[] {
  if (!Number.isFinite(ms)) return []
  const seconds = Math.floor(Math.max(0, ms) / SECOND_MS)
  const two = (value: number): string => String(value).padStart(2, '0')
  if (seconds < 60) return [{ figure: String(seconds), unit: unit.s }]
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60)
    return [
      { figure: String(minutes), unit: unit.min },
      { figure: two(seconds % 60), unit: unit.s },
    ]
  const hours = Math.floor(minutes / 60)
  if (hours < 24)
    return [
      { figure: String(hours), unit: unit.h },
      { figure: two(minutes % 60), unit: unit.min },
    ]
  return [
    { figure: String(Math.floor(hours / 24)), unit: unit.d },
    { figure: String(hours % 24), unit: unit.h },
  ]
}

/** A configured duration, without parts that are zero, and in ms below a second: "1 m", "15 s", "500 ms". */
export function formatSpan(ms: number): string {
  if (!Number.isFinite(ms)) return unit.none
  if (ms !== 0 && ms < SECOND_MS)
    return withUnit({ figure: formatCount(Math.max(0, Math.round(ms))), unit: unit.ms })
  if (ms < MINUTE_MS) return withUnit({ figure: decimal(ms / SECOND_MS, 1), unit: unit.s })
  const halves = [
    { figure: Math.floor(ms / DAY_MS), unit: unit.d },
    { figure: Math.floor((ms % DAY_MS) / HOUR_MS), unit: unit.h },
    { figure: Math.floor((ms % HOUR_MS) / MINUTE_MS), unit: unit.m },
    { figure: Math.floor((ms % MINUTE_MS) / SECOND_MS), unit: unit.s },
  ]
  return halves
    .filter((half) => half.figure > 0)
    .slice(0, 2)
    .map((half) => withUnit({ figure: String(half.figure), unit: half.unit }))
    .join(NO_BREAK)
}

/** A response time: "184 ms", or "12.4 s" from ten seconds on. */
export const latencyParts = (ms: number): FigurePart => {
  if (!Number.isFinite(ms)) return { figure: unit.none, unit: '' }
  const safe = Math.max(0, ms)
  return safe < 10 * SECOND_MS
    ? { figure: formatCount(Math.round(safe)), unit: unit.ms }
    : { figure: decimal(safe / SECOND_MS, 1), unit: unit.s }
}

export const formatLatency = (ms: number): string => withUnit(latencyParts(ms))

const COUNT = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })

/** A whole number with grouping: "1,204,882". Only for numbers that a double holds exactly; `formatExact` formats amounts. */
export const formatCount = (value: number): string =>
  Number.isFinite(value) ? COUNT.format(value) : unit.none

/** A count with its noun: "1 node", "1,200 nodes". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

/** A decimal text with grouping and otherwise unchanged: "9007199254740993.5" to "9,007,199,254,740,993.5". */
export function formatExact(text: string): string {
  const { whole, fraction } = exactParts(text)
  return whole + fraction
}

/** Like `formatExact`, with the fraction (including its point, or empty) apart for large type. */
export function exactParts(text: string): { readonly whole: string; readonly fraction: string } {
  const pointAt = text.indexOf('.')
  const whole = pointAt === -1 ? text : text.slice(0, pointAt)
  return {
    whole: whole.replace(/\B(?=(\d{3})+$)/g, ','),
    fraction: pointAt === -1 ? '' : text.slice(pointAt),
  }
}

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 4 })
const SCIENTIFIC = new Intl.NumberFormat('en-GB', { notation: 'scientific', maximumSignificantDigits: 3 })

/** Rounded to four digits, for axes and large figures: "1.25 M". Uses a power of ten for very small values and for values too large for a unit letter. */
export function formatCompact(value: number): string {
  if (!Number.isFinite(value)) return unit.none
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e15 || size < 1e-3)) return SCIENTIFIC.format(value)
  return COMPACT.format(value).replace(/(\d)([A-Za-z]+)$/, `$1${NO_BREAK}$2`)
}

/**
 * A ratio as a percentage with two decimals, truncated so that 0.99999 is not "100 %". The small addition prevents 0.9842,
 * which a double stores slightly lower, from becoming 98.41.
 */
export function percentParts(
  ratio: number,
  digits = 2,
): { readonly whole: string; readonly fraction: string } {
  if (!Number.isFinite(ratio)) return { whole: unit.none, fraction: '' }
  const scale = 10 ** digits
  const parts = Math.floor(Math.max(0, ratio) * 100 * scale + 1e-6)
  return {
    whole: formatCount(Math.floor(parts / scale)),
    fraction: `.${String(parts % scale).padStart(digits, '0')}`,
  }
}

export function formatPercent(ratio: number): string {
  const { whole, fraction } = percentParts(ratio)
  return fraction === '' ? whole : withUnit({ figure: whole + fraction, unit: unit.percent })
}

/** With three digits, because availability targets such as 99.95 % and 99.99 % are close together: "99.987 %". */
export function formatAvailability(ratio: number): string {
  const { whole, fraction } = percentParts(ratio, 3)
  return withUnit({ figure: whole + fraction, unit: unit.percent })
}

/** A size used as a limit: "64 KiB". */
export const formatBytes = (bytes: number): string =>
  bytes >= 1_024 && bytes % 1_024 === 0
    ? withUnit({ figure: formatCount(bytes / 1_024), unit: 'KiB' })
    : withUnit({ figure: formatCount(bytes), unit: 'bytes' })

/** At most `digits` decimals, truncated, without trailing zeros. */
const decimal = (value: number, digits: number): string => {
  const scale = 10 ** digits
  return String(Math.floor(value * scale + 1e-6) / scale)
}

/** Joins the parts that say something; false, undefined and empty ones are left out. */
export const joined = (between: string, parts: readonly (string | false | undefined)[]): string =>
  parts.filter(Boolean).join(between)

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
