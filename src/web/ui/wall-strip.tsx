import { useId, type ReactNode } from 'react'
import type { ChartSpan } from './chart/chart-types.ts'
import { Hatch } from './chart/hatch.tsx'
import { visibleSpans } from './chart/visible-spans.ts'

const WIDTH = 1_800
const HEIGHT = 36
const MIDDLE = HEIGHT / 2
const THIN = 8
const TALL = 24

type WallStripProps = {
  readonly spans: readonly ChartSpan[]
  readonly fromMs: number
  readonly toMs: number
  readonly label: string
  /** Words under it, from left to right. */
  readonly marks: readonly ReactNode[]
}

/** What happened over time, as wide as the screen: thin where it answered, hatched where it did not, dotted where nobody watched. */
export function WallStrip({ spans, fromMs, toMs, label, marks }: WallStripProps) {
  const hatch = useId()
  return (
    <div className="wall-strip">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <Hatch id={hatch} />
        {visibleSpans(spans, [fromMs, toMs], [0, WIDTH]).map(({ span, x, widthPx }) => {
          const key = `${span.fromMs} ${span.kind}`
          if (span.kind === 'not-watched')
            return <line key={key} className="st-line" x1={x} x2={x + widthPx} y1={MIDDLE} y2={MIDDLE} />
          const height = span.kind === 'no-answer' ? TALL : THIN
          const look = span.kind === 'no-answer' ? { fill: `url(#${hatch})` } : { className: 'st' }
          return <rect key={key} {...look} x={x} y={MIDDLE - height / 2} width={widthPx} height={height} />
        })}
      </svg>
      <div aria-hidden>
        {marks.map((mark, place) => (
          <span key={place}>{mark}</span>
        ))}
      </div>
    </div>
  )
}
