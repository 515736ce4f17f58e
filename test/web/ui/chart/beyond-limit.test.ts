import { describe, expect, it } from 'vitest'
import { isReached, onlyBeyond } from '#ui/chart/beyond-limit.ts'
import type { ChartBar, LimitLine, ValueRow } from '#ui/chart/chart-types.ts'

const GAP = Number.NaN
const above: LimitLine = { value: 10, level: 'warning', label: 'warn', bad: 'above' }
const below: LimitLine = { ...above, bad: 'below' }

const head = { id: 'lane', title: '', value: [], format: String }
const points = (values: readonly number[]) => ({
  atMs: Float64Array.from(values, (_, at) => at),
  value: Float64Array.from(values),
})
const line = (...values: readonly number[]): ValueRow => ({ ...head, kind: 'line', points: points(values) })
const steps = (...values: readonly number[]): ValueRow => ({
  ...head,
  kind: 'steps',
  points: points(values),
})
const band = (values: readonly number[], upper: readonly number[]): ValueRow => ({
  ...head,
  kind: 'band',
  points: points(values),
  upper: Float64Array.from(upper),
  formatBand: String,
})
const bar = (value: number): ChartBar => ({ fromMs: 0, toMs: 1, value })

const shown = (row: ValueRow, limit: LimitLine): readonly number[] => {
  const left = onlyBeyond(row, limit)
  return left.kind === 'bars' ? left.bars.map(({ value }) => value) : Array.from(left.points.value)
}

describe('the part of a row beyond a limit', () => {
  it.each<[string, ValueRow, LimitLine, readonly number[]]>([
    ['for a line, with a point on either side', line(1, 2, 10, 3, 4), above, [GAP, 2, 10, 3, GAP]],
    ['for a line below a lower limit', line(20, 10, 20, 20), below, [20, 10, 20, GAP]],
    ['for a line at its ends and next to a gap', line(11, 2, GAP, 3, 12), above, [11, 2, GAP, 3, 12]],
    ['for steps, up to the next one', steps(1, 2, 10, 3, 4), above, [GAP, GAP, 10, 3, GAP]],
    ['for a band, by its upper edge too', band([1, 1, 1, 1], [2, 2, 2, 10]), above, [GAP, GAP, 1, 1]],
    ['for bars', { ...head, kind: 'bars', bars: [bar(9), bar(10)] }, above, [10]],
  ])('is kept %s', (_, row, limit, left) => {
    expect(isReached(row, limit)).toBe(true)
    expect(shown(row, limit)).toEqual(left)
  })

  it.each<[ValueRow, LimitLine]>([
    [line(1, GAP, 9.9), above],
    [line(10.1, GAP), below],
    [band([1], [9]), above],
    [{ ...head, kind: 'bars', bars: [bar(9)] }, above],
  ])('is empty when all values are within it', (row, limit) => {
    expect(isReached(row, limit)).toBe(false)
  })
})
