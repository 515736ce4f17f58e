/** Amounts in a smallest unit have up to 30 digits; beyond that, differences overflow and scales come out empty. */
const CHART_ABS_MAX = 1e31
/** Below this a value is drawn as zero: no measurement here is finer, and scales divide by it. */
const CHART_ABS_MIN = 1e-9

/** The value as it may enter a scale: NaN (a gap) for what can't be drawn, zero for what is too small to see. */
export function chartable(value: number): number {
  if (!Number.isFinite(value)) return Number.NaN
  const size = Math.abs(value)
  if (size > CHART_ABS_MAX) return Number.NaN
  return size < CHART_ABS_MIN ? 0 : value
}
