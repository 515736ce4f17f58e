import { use } from 'react'
import { useXAxisScale } from 'recharts'
import { classNames } from '#ui/class-names.ts'
import type { ChartMark, TickRow } from './chart-types.ts'
import { ticksPath } from './row-path.ts'
import type { Slot } from './use-chart-geometry.ts'
import { GapColumns } from './gap-columns.tsx'
import { HealthStrip } from './health-strip.tsx'
import { rowSlots } from './slots.ts'
import { RowSeries } from './row-series.tsx'
import { LimitWords } from './row-words.tsx'
import { PlottedContext } from './plotted.ts'

/** Everything that the frame does not draw itself, from below to above. */
export function PlotLayers() {
  const plotted = use(PlottedContext)
  if (plotted === undefined) return null
  const { placed, rows, spans, marks = [], health, geometry, fromMs, toMs } = plotted
  const rightPx = geometry.plotLeftPx + geometry.plotWidthPx
  return (
    <>
      {placed.map((place) => (
        <LimitWords key={place.row.id} place={place} x={rightPx} />
      ))}
      {health !== undefined && <HealthStrip spans={spans} geometry={geometry} fromMs={fromMs} toMs={toMs} />}
      {placed.map((place) => (
        <RowSeries key={place.row.id} place={place} fromMs={fromMs} toMs={toMs} />
      ))}
      {rows.map((row) =>
        row.kind === 'ticks' ? <TickSeries key={row.id} row={row} slot={geometry.slots[row.id]} /> : null,
      )}
      {marks
        .filter((mark) => mark.atMs >= fromMs && mark.atMs <= toMs)
        .map((mark) => (
          <MarkLine key={`${mark.atMs} ${mark.label}`} mark={mark} slots={rowSlots(geometry)} />
        ))}
      <GapColumns spans={spans} geometry={geometry} fromMs={fromMs} toMs={toMs} />
    </>
  )
}

const TOP_SHARE = 0.28

/** Moments without a value: one stroke each, in the middle of the row. */
function TickSeries({ row, slot }: { readonly row: TickRow; readonly slot: Slot | undefined }) {
  const toX = useXAxisScale()
  if (toX === undefined || slot === undefined) return null
  const topY = slot.topPx + slot.heightPx * TOP_SHARE
  const bottomY = slot.topPx + slot.heightPx * (1 - TOP_SHARE)
  return <path className="pl two" d={ticksPath(row.atMs, (atMs) => toX(atMs) ?? 0, topY, bottomY)} />
}

/** Something that happened, as a thin line in every row. */
function MarkLine({ mark, slots }: { readonly mark: ChartMark; readonly slots: readonly Slot[] }) {
  const toX = useXAxisScale()
  const x = toX?.(mark.atMs)
  if (x === undefined) return null
  const at = Math.round(x) + 0.5
  const path = slots.map(({ topPx, heightPx }) => `M${at} ${topPx}v${heightPx}`).join('')
  const topPx = slots[0]?.topPx ?? 0
  return (
    <>
      <path className={classNames('mark', mark.level)} d={path} />
      {mark.isPinned === true && <path className="now" d={`M${at - 5} ${topPx}h10l-5 7Z`} />}
    </>
  )
}
