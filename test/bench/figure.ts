/** One measured figure: the median of slices that alternate with the rival's in the same run. */
export type Figure = {
  readonly name: string
  readonly unit: string
  readonly ours: number
  readonly rival: number | null
  readonly rivalName: string | null
  /** How many times better our figure is than the rival's. */
  readonly ratio: number | null
  /** Null means that the figure is reported but has no limit. */
  readonly limit: number | null
  /** `higher`: `ratio` must be at least `limit`. `lower`: `ours` must be at most `limit`. */
  readonly direction: 'higher' | 'lower'
}

/** A figure without a rival, limited by its own value. */
export const alone = (name: string, unit: string, ours: number, limit: number | null): Figure => ({
  name,
  unit,
  ours: rounded(ours),
  rival: null,
  rivalName: null,
  ratio: null,
  limit,
  direction: 'lower',
})

/** A figure with a rival. The ratio is the rival's value divided by ours. */
export const beside = (
  name: string,
  unit: string,
  ours: number,
  rival: number,
  rivalName: string,
  limit: number | null,
): Figure => ({
  ...alone(name, unit, ours, limit),
  rival: rounded(rival),
  rivalName,
  ratio: ours === 0 ? null : rounded(rival / ours),
  direction: 'higher',
})

export function isMissed({ ours, ratio, limit, direction }: Figure): boolean {
  if (limit === null) return false
  // NaN counts as a miss, because a broken measurement must not pass.
  return direction === 'higher' ? !(ratio !== null && ratio >= limit) : !(ours <= limit)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const low = sorted[Math.floor((sorted.length - 1) / 2)]
  const high = sorted[Math.ceil((sorted.length - 1) / 2)]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

/** Rounds to four significant digits, the precision of the measurement. */
export const rounded = (value: number): number => Number(value.toPrecision(4))

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${figure.ours} ${figure.unit}`,
    figure.rival === null ? '' : `${figure.rival} (${figure.rivalName ?? ''})`,
    figure.ratio === null ? '' : `${figure.ratio} times`,
    limitText(figure),
    isMissed(figure) ? 'MISSED' : 'ok',
  ])
  const all = [['figure', 'ours', 'rival', 'ratio', 'limit', ''], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const limitText = ({ limit, direction, unit }: Figure): string => {
  if (limit === null) return 'none'
  return direction === 'higher' ? `at least ${limit} times` : `at most ${limit} ${unit}`
}
