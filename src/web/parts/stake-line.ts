import { shiftedText } from '#record/amount.ts'
import type { LineSeries } from '#history/history.ts'
import { formatCharted } from '#texts/format-charted.ts'
import { formatCompact, formatExact } from '#texts/format.ts'
import type { StepLine } from '#ui/chart/chart-types.ts'

/** How stakes are drawn and told: to the last digit where it is known. `decimals`: digits that are a fraction of the unit. */
export const stakeLine = ({ exact, points }: LineSeries, decimals: number) =>
  ({
    kind: 'steps',
    points:
      decimals === 0 ? points : { ...points, value: points.value.map((value) => value / 10 ** decimals) },
    exactAt: (atMs: number) => {
      const text = exact.get(atMs)
      return text === undefined ? undefined : formatExact(shiftedText(text, decimals))
    },
    format: formatCharted,
    tickFormat: formatCompact,
  }) satisfies StepLine & {
    readonly format: (value: number) => string
    readonly tickFormat: (value: number) => string
  }
