import type { TimeRange } from '#base/time.ts'
import type { Points } from './charts.ts'

export type Columns = TimeRange & {
  /** The number of pixel columns in the range. */
  readonly count: number
}

export const columnOf = ({ fromMs, toMs, count }: Columns, atMs: number): number =>
  Math.min(count - 1, Math.floor(((atMs - fromMs) / (toMs - fromMs)) * count))

/**
 * M4 decimation: keeps the first, lowest, highest and last value of each pixel column, so that the line covers the same pixels.
 * A NaN, or a hole longer than `maxGapAt` of the row before it, breaks the line, except within a column, where a break is
 * invisible. So a column has at most five points.
 */
export function decimate(
  { atMs, value }: Points,
  columns: Columns,
  maxGapAt: (row: number) => number,
): Points {
  const most = Math.min(5 * columns.count, 2 * atMs.length)
  const keptAtMs = new Float64Array(most)
  const keptValue = new Float64Array(most)
  let size = 0
  const keep = (at: number, kept: number): void => {
    keptAtMs[size] = at
    keptValue[size] = kept
    size++
  }

  let column = -1
  const run = { first: 0, lowest: 0, highest: 0, last: 0 }
  const valueAt = (index: number): number => value[index] ?? Number.NaN
  const timeAt = (index: number): number => atMs[index] ?? Number.NaN
  const closeColumn = (): void => {
    if (column === -1) return
    const { first, lowest, highest, last } = run
    keep(timeAt(first), valueAt(first))
    const [earlier, later] = lowest < highest ? [lowest, highest] : [highest, lowest]
    if (earlier !== first && earlier !== last) keep(timeAt(earlier), valueAt(earlier))
    if (later !== earlier && later !== first && later !== last) keep(timeAt(later), valueAt(later))
    if (last !== first) keep(timeAt(last), valueAt(last))
  }

  let broken = false
  for (let index = 0; index < value.length; index++) {
    const current = valueAt(index)
    if (Number.isNaN(current)) {
      broken = true
      continue
    }
    const here = columnOf(columns, timeAt(index))
    if (here !== column) {
      closeColumn()
      const far = column !== -1 && timeAt(index) - timeAt(run.last) > maxGapAt(run.last)
      if (column !== -1 && (broken || far)) keep((timeAt(run.last) + timeAt(index)) / 2, Number.NaN)
      column = here
      run.first = run.lowest = run.highest = index
    }
    broken = false
    if (current < valueAt(run.lowest)) run.lowest = index
    if (current > valueAt(run.highest)) run.highest = index
    run.last = index
  }
  closeColumn()
  return { atMs: keptAtMs.slice(0, size), value: keptValue.slice(0, size) }
}
