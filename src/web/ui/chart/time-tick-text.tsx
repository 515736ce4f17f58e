import type { TimeFormats } from './time-format.ts'
import type { ChartGeometry } from './use-chart-geometry.ts'

type TimeTickTextProps = {
  /** Middle of the axis row. The axis hands in `x` and `payload`, and would hand in its own `y`. */
  readonly rowY: number
  readonly dates: ReadonlySet<number>
  readonly formats: TimeFormats
  readonly plot: ChartGeometry
  readonly nowText: string | undefined
  readonly x?: number
  readonly payload?: { readonly value: number }
}

/** A label closer to the left edge than this would be cut, and at the right it would touch the word for now. */
const EDGE_PX = 16
const NOW_PX = 52

export function TimeTickText({ rowY, dates, formats, plot, nowText, x, payload }: TimeTickTextProps) {
  if (x === undefined || payload === undefined) return null
  const rightPx = plot.plotLeftPx + plot.plotWidthPx - (nowText === undefined ? 0 : NOW_PX)
  if (x < plot.plotLeftPx + EDGE_PX || x > rightPx) return null
  const isDate = dates.has(payload.value)
  return (
    <text className={isDate ? 'xt date' : 'xt'} x={x} y={rowY} dy="0.35em" textAnchor="middle">
      {isDate ? formats.date(payload.value) : formats.tick(payload.value)}
    </text>
  )
}
