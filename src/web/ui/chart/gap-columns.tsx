import { useId } from 'react'
import type { ChartSpan } from './chart-types.ts'
import type { Plotted } from './plotted.ts'
import { rowSlots } from './slots.ts'
import type { Slot } from './use-chart-geometry.ts'
import { Hatch, visibleSpans, type VisibleSpan } from './spans.tsx'

/** Estimated width of a letter, and the padding of a label. A label that would not fit is left out. */
const LETTER_PX = 5.1
const LABEL_SPACE_PX = 6

/** Gaps, drawn in every row: hatched where a poll failed, empty where no poll was sent. */
export function GapColumns({ spans, rows, geometry, fromMs, toMs }: Plotted) {
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
