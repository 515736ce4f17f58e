import { useId } from 'react'
import { classNames } from '#ui/class-names.ts'
import type { ChartSpan } from './chart-types.ts'
import type { ChartGeometry, Slot } from './use-chart-geometry.ts'
import { Hatch, visibleSpans, type VisibleSpan } from './spans.tsx'

type SpanStripProps = {
  readonly spans: readonly ChartSpan[]
  readonly slot: Slot | undefined
  readonly geometry: ChartGeometry
  readonly fromMs: number
  readonly toMs: number
}

const THIN_PX = 8
const TALL_PX = 18

/**
 * Status over time: thin grey within limits, tall and coloured during an alarm, hatched (in the alarm's colour) without an
 * answer, dotted while not watched.
 */
export function SpanStrip({ spans, slot, geometry, fromMs, toMs }: SpanStripProps) {
  const hatchId = useId()
  if (slot === undefined) return null
  const left = geometry.plotLeftPx
  const midPx = slot.topPx + slot.heightPx / 2
  return (
    <>
      <Hatch id={hatchId} />
      {visibleSpans(spans, [fromMs, toMs], [left, left + geometry.plotWidthPx]).map((visible) => (
        <HealthSpan
          key={`${visible.span.fromMs} ${visible.span.kind}`}
          {...visible}
          midPx={midPx}
          hatchId={hatchId}
        />
      ))}
    </>
  )
}

type HealthSpanProps = VisibleSpan & { readonly midPx: number; readonly hatchId: string }

function HealthSpan({ span, x, widthPx, midPx, hatchId }: HealthSpanProps) {
  if (span.kind === 'not-watched')
    return <line className="plot-state-line" x1={x} x2={x + widthPx} y1={midPx} y2={midPx} />
  const isTall = span.kind === 'no-answer' || span.level !== undefined
  const heightPx = isTall ? TALL_PX : THIN_PX
  const place = { x, y: midPx - heightPx / 2, width: widthPx, height: heightPx }
  const isHatched = span.kind === 'no-answer'
  return (
    <>
      {(!isHatched || span.level !== undefined) && (
        <rect className={classNames('plot-state', span.level)} {...place} />
      )}
      {isHatched && <rect fill={`url(#${hatchId})`} {...place} />}
    </>
  )
}
