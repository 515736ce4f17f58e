/** Amounts in a smallest unit have up to 30 digits. Beyond this bound, differences overflow and the scales come out empty. */
const CHART_ABS_MAX = 1e31
/** Smaller values are drawn as zero. No measurement here is finer, and scales divide by the value. */
const CHART_ABS_MIN = 1e-9

/** The value for a scale: NaN (a gap) if it cannot be drawn, 0 if it is too small to see. */
export function chartable(value: number): number {
  if (!Number.isFinite(value)) return Number.NaN
  const size = Math.abs(value)
  if (size > CHART_ABS_MAX) return Number.NaN
  return size < CHART_ABS_MIN ? 0 : value
}
