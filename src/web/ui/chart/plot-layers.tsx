import { Fragment, use, useId } from 'react'
import { useXAxisScale } from 'recharts'
import { classNames } from '#ui/class-names.ts'
import type { ChartMark, ChartSpan, TickRow } from './chart-types.ts'
import { ticksPath } from './row-path.ts'
import type { Slot } from './use-chart-geometry.ts'
import { Hatch, Spans, type VisibleSpan, visibleSpans } from './spans.tsx'
import { HEALTH_SLOT, rowSlots } from './slots.ts'
import { LinesSeries, RowSeries } from './row-series.tsx'
import { LimitWords } from './row-words.tsx'
import { type Plotted, PlottedContext } from './plotted.ts'
import { lookOf, placeOf } from './compared.tsx'

export function PlotLayers() {
  const plotted = use(PlottedContext)
  if (plotted === undefined) return null
  const { placed, rows, spans, marks = [], health, geometry, fromMs, toMs, compared } = plotted
  const rightPx = geometry.plotLeftPx + geometry.plotWidthPx
  const strip = (of: readonly ChartSpan[], slot: Slot | undefined) =>
    slot && (
      <Spans
        spans={of}
        rangeMs={[fromMs, toMs]}
        across={[geometry.plotLeftPx, rightPx]}
        midPx={slot.topPx + slot.heightPx / 2}
        thinPx={8}
        tallPx={18}
      />
    )
  return (
    <>
      {placed.map((place) => (
        <LimitWords key={place.row.id} place={place} x={rightPx} />
      ))}
      {health !== undefined && strip(spans, geometry.slots[HEALTH_SLOT])}
      {placed.map((place) =>
        place.row.kind === 'lines' ? (
          <LinesSeries key={place.row.id} place={place} row={place.row} {...{ fromMs, toMs, compared }} />
        ) : (
          <RowSeries key={place.row.id} place={place} row={place.row} fromMs={fromMs} toMs={toMs} />
        ),
      )}
      {rows.map((row) => {
        const slot = geometry.slots[row.id]
        if (row.kind === 'ticks') return <TickSeries key={row.id} row={row} slot={slot} compared={compared} />
        const item = row.kind === 'strip' ? compared?.items.find(({ id }) => id === row.of) : undefined
        return item && <Fragment key={row.id}>{strip(item.spans, slot)}</Fragment>
      })}
      {marks
        .filter((mark) => mark.atMs >= fromMs && mark.atMs <= toMs)
        .map((mark) => (
          <MarkLine key={`${mark.atMs} ${mark.label}`} mark={mark} slots={rowSlots(geometry)} />
        ))}
      <GapColumns {...plotted} />
    </>
  )
}

const TOP_SHARE = 0.28

type TickSeriesProps = {
  readonly row: TickRow
  readonly slot: Slot | undefined
  readonly compared: Plotted['compared']
}

function TickSeries({ row, slot, compared }: TickSeriesProps) {
  const toX = useXAxisScale()
  if (toX === undefined || slot === undefined) return null
  const topY = slot.topPx + slot.heightPx * TOP_SHARE
  const bottomY = slot.topPx + slot.heightPx * (1 - TOP_SHARE)
  const look = row.of === undefined ? 'two' : `ticks ${lookOf(placeOf(compared, row.of))}`
  return (
    <path className={`plot-line ${look}`} d={ticksPath(row.atMs, (atMs) => toX(atMs) ?? 0, topY, bottomY)} />
  )
}

function MarkLine({ mark, slots }: { readonly mark: ChartMark; readonly slots: readonly Slot[] }) {
  const toX = useXAxisScale()
  const x = toX?.(mark.atMs)
  if (x === undefined) return null
  const at = Math.round(x) + 0.5
  const path = slots.map(({ topPx, heightPx }) => `M${at} ${topPx}v${heightPx}`).join('')
  const topPx = slots[0]?.topPx ?? 0
  return (
    <>
      <path className={classNames('plot-mark', mark.level)} d={path} />
      {mark.isPinned === true && <path className="plot-now" d={`M${at - 5} ${topPx}h10l-5 7Z`} />}
    </>
  )
}

/** Estimated width of a letter, and the padding of a label. A label that would not fit is left out. */
const LETTER_PX = 5.1
const LABEL_SPACE_PX = 6

/** Gaps, drawn in every row: hatched where a poll failed, empty where no poll was sent. */
function GapColumns({ spans, rows, geometry, fromMs, toMs }: Plotted) {
  const hatchId = useId()
  const slots = rowSlots(geometry)
  const left = geometry.plotLeftPx
  const visible = (all: readonly ChartSpan[]) =>
    visibleSpans(all, [fromMs, toMs], [left, left + geometry.plotWidthPx])
  const gaps = visible(spans).filter(({ span }) => span.kind !== 'answered')
  // A row's own text for a gap replaces the gap's duration.
  const labels = rows.flatMap((row, place) => {
    const slot = geometry.slots[row.id]
    const own = row.kind === 'bars' ? (row.gaps ?? []) : []
    const said = own.length > 0 || place > 0 ? own : spans.filter(({ kind }) => kind === 'not-watched')
    if (slot === undefined) return []
    return visible(said.map((gap) => ({ ...gap, kind: 'not-watched' })))
      .filter(isRoomy)
      .map((gap) => ({ gap, slot, key: `${row.id} ${gap.span.fromMs}` }))
  })
  return (
    <>
      <Hatch id={hatchId} />
      {gaps.map((gap) => (
        <g key={`${gap.span.fromMs} ${gap.span.kind}`}>
          <path className="plot-gap" d={columnPath(gap, slots)} />
          {gap.span.kind === 'no-answer' ? (
            <path d={columnPath(gap, slots)} fill={`url(#${hatchId})`} />
          ) : (
            <path className="plot-gap-edge" d={edgesPath(gap, slots)} />
          )}
        </g>
      ))}
      {labels.map(({ gap, slot, key }) => (
        <text
          key={key}
          className="plot-label"
          x={gap.x + gap.widthPx / 2}
          y={slot.topPx + slot.heightPx / 2}
          dy="0.35em"
          textAnchor="middle"
        >
          {gap.span.label}
        </text>
      ))}
    </>
  )
}

const isRoomy = ({ span, widthPx }: VisibleSpan) => span.label.length * LETTER_PX + LABEL_SPACE_PX <= widthPx

const columnPath = ({ x, widthPx }: VisibleSpan, slots: readonly Slot[]) =>
  slots.map(({ topPx, heightPx }) => `M${x} ${topPx}h${widthPx}v${heightPx}h${-widthPx}Z`).join('')

/** A narrower gap is one line. */
const TWO_EDGES_PX = 6

const edgesPath = ({ x, widthPx }: VisibleSpan, slots: readonly Slot[]) =>
  (widthPx < TWO_EDGES_PX ? [x + widthPx / 2] : [x, x + widthPx])
    .flatMap((edge) => slots.map(({ topPx, heightPx }) => `M${edge} ${topPx}v${heightPx}`))
    .join('')
