import { CartesianGrid, ComposedChart, ReferenceArea, ReferenceLine, XAxis, YAxis } from 'recharts'
import { useMemo } from 'react'
import type { StripChartProps, ValueLane } from './chart-types.ts'
import { GapColumns } from './gap-columns.tsx'
import { HealthStrip } from './health-strip.tsx'
import { placeLane, type PlacedLane } from './placed-lane.ts'
import { MarkLine } from './mark-line.tsx'
import { laneRows } from './lane-rows.ts'
import { LaneSeries } from './lane-series.tsx'
import { TickSeries } from './tick-series.tsx'
import { AXIS_SLOT } from './slots.ts'
import type { TimeFormats } from './time-format.ts'
import { timeTicks } from './time-ticks.ts'
import type { ChartGeometry } from './use-chart-geometry.ts'
import { LimitWords, LaneTick } from './lane-words.tsx'
import { TimeTickText } from './time-tick-text.tsx'

type PlotFrameProps = StripChartProps & { readonly geometry: ChartGeometry; readonly formats: TimeFormats }

/** Layers from below; 0 is where series, marks and gaps are drawn in their order. */
const Z = { usual: -300, beyond: -250, grid: -200, limit: -150 }
/** Width of one axis label with its space; narrow plots can spare less space. */
const TICK_PX = 88
const TICK_NARROW_PX = 60
const NARROW_PX = 480
/** The axis reads its data from its domain; the series are drawn by paths. */
const NO_DATA: never[] = []

/** Recharts' frame: one time axis and one value axis a lane, grid, limits and usual ranges, in one drawing. */
export function PlotFrame(props: PlotFrameProps) {
  const { geometry, fromMs, toMs, timeZone, formats, lanes, spans, marks = [], health, nowText } = props
  const { widthPx, heightPx, plotLeftPx, plotWidthPx } = geometry
  const placed = useMemo(
    () => lanes.flatMap((lane) => (lane.kind === 'ticks' ? [] : placeLane(lane, geometry))),
    [lanes, geometry],
  )
  const ticks = useMemo(
    () =>
      timeTicks(
        fromMs,
        toMs,
        timeZone,
        Math.max(2, Math.floor(plotWidthPx / (plotWidthPx < NARROW_PX ? TICK_NARROW_PX : TICK_PX))),
      ),
    [fromMs, toMs, timeZone, plotWidthPx],
  )
  const dates = useMemo(() => new Set(ticks.filter((tick) => tick.isDate).map((tick) => tick.atMs)), [ticks])
  const range = useMemo(() => [fromMs, toMs] as const, [fromMs, toMs])
  const axisSlot = geometry.slots[AXIS_SLOT]
  return (
    <ComposedChart
      width={widthPx}
      height={heightPx}
      margin={{ top: 0, bottom: 0, left: plotLeftPx, right: widthPx - plotLeftPx - plotWidthPx }}
      data={NO_DATA}
      accessibilityLayer={false}
    >
      <XAxis
        // Without a key a time axis would count the rows of the data instead of using its domain.
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
        tick={
          <TimeTickText
            rowY={midOf(axisSlot)}
            dates={dates}
            formats={formats}
            plot={geometry}
            nowText={nowText}
          />
        }
      />
      {placed.map((place) => laneFrame(place, plotLeftPx + plotWidthPx))}
      {health !== undefined && <HealthStrip spans={spans} geometry={geometry} fromMs={fromMs} toMs={toMs} />}
      {placed.map((place) => (
        <LaneSeries key={place.lane.id} place={place} atMsRange={range} />
      ))}
      {lanes.map((lane) =>
        lane.kind === 'ticks' ? (
          <TickSeries key={lane.id} lane={lane} slot={geometry.slots[lane.id]} />
        ) : null,
      )}
      {marks
        .filter((mark) => mark.atMs >= fromMs && mark.atMs <= toMs)
        .map((mark) => (
          <MarkLine key={`${mark.atMs} ${mark.label}`} mark={mark} rows={laneRows(geometry)} />
        ))}
      <GapColumns spans={spans} geometry={geometry} fromMs={fromMs} toMs={toMs} />
      <NowText text={nowText} geometry={geometry} />
    </ComposedChart>
  )
}

/** The word at the end of an axis that ends now. */
function NowText({
  text,
  geometry,
}: {
  readonly text: string | undefined
  readonly geometry: ChartGeometry
}) {
  if (text === undefined) return null
  const x = geometry.plotLeftPx + geometry.plotWidthPx
  return (
    <text className="xt date" x={x} y={midOf(geometry.slots[AXIS_SLOT])} textAnchor="end" dy="0.35em">
      {text}
    </text>
  )
}

const midOf = (slot: { topPx: number; heightPx: number } | undefined) =>
  slot === undefined ? 0 : slot.topPx + slot.heightPx / 2

/** The axis of a lane spans the whole drawing; its domain is stretched so that the lane's own part falls into its row. */
function laneFrame(place: PlacedLane, plotRightPx: number) {
  const { lane, domain, axisDomain, ticks } = place
  const id = lane.id
  return [
    <YAxis
      key={`${id} axis`}
      yAxisId={id}
      type="number"
      orientation="right"
      mirror
      allowDataOverflow
      interval={0}
      domain={[...axisDomain]}
      ticks={[...ticks]}
      axisLine={false}
      tickLine={false}
      tick={<LaneTick wordX={plotRightPx} place={place} />}
    />,
    <CartesianGrid key={`${id} grid`} yAxisId={id} vertical={false} syncWithTicks zIndex={Z.grid} />,
    lane.usual !== undefined && (
      <ReferenceArea
        key={`${id} usual`}
        yAxisId={id}
        y1={within(lane.usual[0], domain)}
        y2={within(lane.usual[1], domain)}
        className="band"
        zIndex={Z.usual}
      />
    ),
    ...limitLines(lane, place),
    <LimitWords key={`${id} words`} place={place} x={plotRightPx} />,
  ]
}

function limitLines(lane: ValueLane, place: PlacedLane) {
  const [low, high] = place.domain
  return (lane.limits ?? [])
    .filter((limit) => limit.value >= low && limit.value <= high)
    .flatMap((limit) => [
      <ReferenceArea
        key={`${lane.id} beyond ${limit.label}`}
        yAxisId={lane.id}
        y1={limit.value}
        y2={limit.bad === 'above' ? place.edges[1] : place.edges[0]}
        className="over"
        zIndex={Z.beyond}
      />,
      <ReferenceLine
        key={`${lane.id} limit ${limit.label}`}
        yAxisId={lane.id}
        y={limit.value}
        className="lim"
        zIndex={Z.limit}
      />,
    ])
}

const within = (value: number, [low, high]: readonly [number, number]) => Math.min(high, Math.max(low, value))
