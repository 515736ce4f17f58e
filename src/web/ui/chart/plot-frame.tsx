import { useMemo, useState } from 'react'
import { ComposedChart, XAxis } from 'recharts'
import type { StripChartProps } from './chart-types.ts'
import { isSameFrame, RowFrame } from './row-frame.tsx'
import { placeRow, type PlacedRow } from './placed-row.ts'
import { PlotLayers } from './plot-layers.tsx'
import { PlottedContext } from './plotted.ts'
import { AXIS_SLOT } from './slots.ts'
import type { TimeFormats } from './time-format.ts'
import { timeTicks } from './time-ticks.ts'
import type { ChartGeometry } from './use-chart-geometry.ts'

type PlotFrameProps = StripChartProps & { readonly geometry: ChartGeometry; readonly formats: TimeFormats }

/** Width of an axis label with its padding; narrow plots use less. */
const TICK_PX = 88
const TICK_NARROW_PX = 60
const NARROW_PX = 480
/** The axis uses its domain, and paths draw the series, so Recharts needs no data. */
const NO_DATA: never[] = []

export function PlotFrame({ geometry, formats, ...props }: PlotFrameProps) {
  const { fromMs, toMs, timeZone, rows, nowText } = props
  const placed = useMemo(
    () =>
      rows.flatMap((row) => (row.kind === 'ticks' || row.kind === 'strip' ? [] : placeRow(row, geometry))),
    [rows, geometry],
  )
  const framed = useSameFrame(placed)
  const frame = useMemo(
    () => <Frame {...{ fromMs, toMs, timeZone, nowText, geometry, formats }} placed={framed} />,
    [fromMs, toMs, timeZone, nowText, geometry, formats, framed],
  )
  return <PlottedContext value={{ ...props, placed, geometry }}>{frame}</PlottedContext>
}

/** Each row as it was while its frame would look the same, so that React skips the redraw. */
function useSameFrame(placed: readonly PlacedRow[]): readonly PlacedRow[] {
  const [kept, keep] = useState(placed)
  const same = placed.map((place) => kept.find((one) => isSameFrame(one, place)) ?? place)
  if (same.length === kept.length && same.every((place, at) => place === kept[at])) return kept
  keep(same)
  return same
}

type FrameProps = Pick<PlotFrameProps, 'fromMs' | 'toMs' | 'timeZone' | 'geometry' | 'formats'> & {
  readonly nowText: string | undefined
  readonly placed: readonly PlacedRow[]
}

function Frame({ fromMs, toMs, timeZone, nowText, geometry, formats, placed }: FrameProps) {
  const { widthPx, heightPx, plotLeftPx, plotWidthPx } = geometry
  const rightPx = plotLeftPx + plotWidthPx
  const ticks = timeTicks(
    fromMs,
    toMs,
    timeZone,
    Math.max(2, Math.floor(plotWidthPx / (plotWidthPx < NARROW_PX ? TICK_NARROW_PX : TICK_PX))),
  )
  const dates = new Set(ticks.filter((tick) => tick.isDate).map((tick) => tick.atMs))
  const axis = geometry.slots[AXIS_SLOT]
  const axisY = axis === undefined ? 0 : axis.topPx + axis.heightPx / 2
  return (
    <ComposedChart
      width={widthPx}
      height={heightPx}
      margin={{ top: 0, bottom: 0, left: plotLeftPx, right: widthPx - rightPx }}
      data={NO_DATA}
      accessibilityLayer={false}
    >
      <XAxis
        // Without a key, a time axis counts data rows and ignores its domain.
        dataKey="atMs"
        type="number"
        orientation="top"
        mirror
        allowDataOverflow
        interval={0}
        domain={[fromMs, toMs]}
        ticks={ticks.map((tick) => tick.atMs)}
        axisLine={false}
        tickLine={false}
        tick={<TimeTickText rowY={axisY} dates={dates} formats={formats} plot={geometry} nowText={nowText} />}
      />
      {placed.map((place) => (
        <RowFrame key={place.row.id} place={place} plotRightPx={rightPx} />
      ))}
      <PlotLayers />
      {nowText !== undefined && (
        <text className="plot-time date" x={rightPx} y={axisY} textAnchor="end" dy="0.35em">
          {nowText}
        </text>
      )}
    </ComposedChart>
  )
}

type TimeTickTextProps = {
  /** Middle of the axis row. Recharts passes `x` and `payload`, and would overwrite a prop named `y`. */
  readonly rowY: number
  readonly dates: ReadonlySet<number>
  readonly formats: TimeFormats
  readonly plot: ChartGeometry
  readonly nowText: string | undefined
  readonly x?: number
  readonly payload?: { readonly value: number }
}

/** A label closer to the left edge is cut off; a label closer to the right edge touches the "now" label. */
const EDGE_PX = 16
const NOW_PX = 52

function TimeTickText({ rowY, dates, formats, plot, nowText, x, payload }: TimeTickTextProps) {
  if (x === undefined || payload === undefined) return null
  const rightPx = plot.plotLeftPx + plot.plotWidthPx - (nowText === undefined ? 0 : NOW_PX)
  if (x < plot.plotLeftPx + EDGE_PX || x > rightPx) return null
  const isDate = dates.has(payload.value)
  return (
    <text className={isDate ? 'plot-time date' : 'plot-time'} x={x} y={rowY} dy="0.35em" textAnchor="middle">
      {isDate ? formats.date(payload.value) : formats.tick(payload.value)}
    </text>
  )
}
