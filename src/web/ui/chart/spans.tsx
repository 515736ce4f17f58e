import { Fragment, useId } from 'react'
import { classNames } from '#ui/class-names.ts'
import type { ChartSpan } from './chart-types.ts'

/** Keeps a short failure visible in a long range. */
const SPAN_MIN_PX = 2

export type VisibleSpan = { readonly span: ChartSpan; readonly x: number; readonly widthPx: number }

export function visibleSpans(
  spans: readonly ChartSpan[],
  [fromMs, toMs]: readonly [number, number],
  [leftPx, rightPx]: readonly [number, number],
): readonly VisibleSpan[] {
  const perMs = (rightPx - leftPx) / Math.max(1, toMs - fromMs)
  return spans
    .filter((span) => span.toMs > fromMs && span.fromMs < toMs)
    .map((span) => {
      const x = leftPx + (Math.max(span.fromMs, fromMs) - fromMs) * perMs
      const end = leftPx + (Math.min(span.toMs, toMs) - fromMs) * perMs
      const widthPx = Math.max(SPAN_MIN_PX, end - x)
      return { span, x: Math.min(x, rightPx - widthPx), widthPx }
    })
}

type SpansProps = {
  readonly spans: readonly ChartSpan[]
  readonly rangeMs: readonly [number, number]
  readonly across: readonly [leftPx: number, rightPx: number]
  readonly midPx: number
  readonly thinPx: number
  readonly tallPx: number
  /** Failures show no severity below their hatching. */
  readonly isPlain?: boolean
}

/**
 * Status over time: thin within limits, tall and coloured during an alarm, hatched (in the alarm's colour) without an answer,
 * dotted while not watched.
 */
export function Spans({ spans, rangeMs, across, midPx, thinPx, tallPx, isPlain = false }: SpansProps) {
  const hatchId = useId()
  return (
    <>
      <Hatch id={hatchId} />
      {visibleSpans(spans, rangeMs, across).map(({ span: { fromMs, kind, level }, x, widthPx }) => {
        const key = `${fromMs} ${kind} ${level ?? ''}`
        if (kind === 'not-watched')
          return <line key={key} className="plot-state-line" x1={x} x2={x + widthPx} y1={midPx} y2={midPx} />
        const isHatched = kind === 'no-answer'
        const height = isHatched || level !== undefined ? tallPx : thinPx
        const place = { x, y: midPx - height / 2, width: widthPx, height }
        return (
          <Fragment key={key}>
            {(!isHatched || (level !== undefined && !isPlain)) && (
              <rect className={classNames('plot-state', level)} {...place} />
            )}
            {isHatched && <rect fill={`url(#${hatchId})`} {...place} />}
          </Fragment>
        )
      })}
    </>
  )
}

type SpanPictureProps = Omit<SpansProps, 'across' | 'midPx'> & {
  readonly label: string
  readonly size: readonly [widthPx: number, heightPx: number]
  readonly className?: string
}

/** Status over time without a chart, as wide as its container. */
export const SpanPicture = ({ label, size: [widthPx, heightPx], className, ...props }: SpanPictureProps) => (
  <svg
    className={className}
    viewBox={`0 0 ${widthPx} ${heightPx}`}
    preserveAspectRatio="none"
    role="img"
    aria-label={label}
  >
    <Spans across={[0, widthPx]} midPx={heightPx / 2} {...props} />
  </svg>
)

/** The pattern for polls without an answer. */
export const Hatch = ({ id }: { readonly id: string }) => (
  <pattern id={id} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <line className="plot-hatch" x1={0} y1={0} x2={0} y2={6} />
  </pattern>
)
