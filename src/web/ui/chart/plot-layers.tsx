import { use } from 'react'
import { GapColumns } from './gap-columns.tsx'
import { HealthStrip } from './health-strip.tsx'
import { laneRows } from './lane-rows.ts'
import { LaneSeries } from './lane-series.tsx'
import { LimitWords } from './lane-words.tsx'
import { MarkLine } from './mark-line.tsx'
import { PlottedContext } from './plotted.ts'
import { TickSeries } from './tick-series.tsx'

/** Everything that the frame does not draw itself, from below to above. */
export function PlotLayers() {
  const plotted = use(PlottedContext)
  if (plotted === undefined) return null
  const { placed, lanes, spans, marks = [], health, geometry, fromMs, toMs } = plotted
  const rightPx = geometry.plotLeftPx + geometry.plotWidthPx
  return (
    <>
      {placed.map((place) => (
        <LimitWords key={place.lane.id} place={place} x={rightPx} />
      ))}
      {health !== undefined && <HealthStrip spans={spans} geometry={geometry} fromMs={fromMs} toMs={toMs} />}
      {placed.map((place) => (
        <LaneSeries key={place.lane.id} place={place} fromMs={fromMs} toMs={toMs} />
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
    </>
  )
}
