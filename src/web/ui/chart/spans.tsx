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

/** The pattern for polls without an answer. */
export const Hatch = ({ id }: { readonly id: string }) => (
  <pattern id={id} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <line className="plot-hatch" x1={0} y1={0} x2={0} y2={6} />
  </pattern>
)
