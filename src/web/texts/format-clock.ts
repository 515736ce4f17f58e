import { MINUTE_MS } from '#base/time.ts'
import { formatAge, unit, withUnit } from './format.ts'

const SECOND_MS = 1_000

/** A signed clock offset: "+0.08 s", "−4 m 10 s". */
export function formatOffset(ms: number): string {
  if (!Number.isFinite(ms)) return unit.none
  const sign = ms < 0 ? '−' : '+'
  const size = Math.abs(ms)
  if (size >= MINUTE_MS) return sign + formatAge(size)
  return sign + withUnit({ figure: (Math.floor(size / 10) / 100).toFixed(2), unit: unit.s })
}

/** Distance between two clocks, unsigned: in seconds up to two minutes, "73 s"; then "4 m 10 s". */
export function formatApart(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / SECOND_MS)
  return seconds < 120 ? withUnit({ figure: String(seconds), unit: unit.s }) : formatAge(seconds * SECOND_MS)
}

/** Half the width of the uncertainty, rounded up so that it is never understated: "0.53 s". */
export const formatUncertainty = (ms: number): string =>
  Number.isFinite(ms)
    ? withUnit({ figure: (Math.ceil(Math.max(0, ms) / 10) / 100).toFixed(2), unit: unit.s })
    : unit.none
