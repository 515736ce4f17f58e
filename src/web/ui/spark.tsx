import { useId } from 'react'
import { classNames } from './class-names.ts'
import type { ChartSpan } from './chart/chart-types.ts'
import { Hatch, visibleSpans } from './chart/spans.tsx'
import type { Level } from './level.ts'

const WIDTH = 92
const HEIGHT = 18
const EDGE = 2.5

/** With fewer points or bars, no trend is shown. */
export const TREND_MIN = { points: 6, bars: 3 } as const

type SparkProps = {
  /** Unix ms. */
  readonly fromMs: number
  readonly toMs: number
  readonly label: string
}

type SparkLineProps = SparkProps & {
  readonly atMs: ArrayLike<number>
  /** NaN breaks the line. */
  readonly value: ArrayLike<number>
  readonly domain: readonly [number, number]
  readonly level?: Level | undefined
}

export function SparkLine({ fromMs, toMs, label, atMs, value, domain: [low, high], level }: SparkLineProps) {
  const x = (ms: number): number => EDGE + (WIDTH - 2 * EDGE) * share(ms, fromMs, toMs)
  const y = (at: number): number => HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * share(at, low, high)
  let path = ''
  let isOpen = false
  let end: { readonly x: number; readonly y: number } | undefined
  for (let place = 0; place < atMs.length; place++) {
    const at = value[place] ?? Number.NaN
    end = undefined
    if (Number.isNaN(at)) {
      isOpen = false
      continue
    }
    end = { x: x(atMs[place] ?? 0), y: y(at) }
    path += `${isOpen ? 'L' : 'M'}${end.x.toFixed(1)} ${end.y.toFixed(1)}`
    isOpen = true
  }
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path d={path} />
      {end && <circle className={classNames(level)} cx={end.x} cy={end.y} r={1.75} />}
    </svg>
  )
}

type SparkBarsProps = SparkProps & {
  readonly bars: readonly { readonly fromMs: number; readonly toMs: number; readonly value: number }[]
}

/** A small bar chart; no bar means not watched. */
export function SparkBars({ fromMs, toMs, label, bars }: SparkBarsProps) {
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  const x = (ms: number): number => WIDTH * share(ms, fromMs, toMs)
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {bars.map((bar) => {
        // A zero bar keeps a minimum height, so that its time range stays visible.
        const height = Math.max(1, (HEIGHT - EDGE) * (bar.value / highest))
        const left = x(bar.fromMs)
        return (
          <rect
            key={bar.fromMs}
            x={left}
            y={HEIGHT - height}
            width={Math.max(0.5, x(bar.toMs) - left - 1)}
            height={height}
          />
        )
      })}
    </svg>
  )
}

/** Poll results over time: thin if answered, hatched if failed, dotted if not watched. */
export function SparkSpans({
  fromMs,
  toMs,
  label,
  spans,
}: SparkProps & { readonly spans: readonly ChartSpan[] }) {
  const hatch = useId()
  const middle = HEIGHT / 2
  return (
    <svg
      className="spark wide"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <Hatch id={hatch} />
      {visibleSpans(spans, [fromMs, toMs], [0, WIDTH]).map(({ span, x, widthPx }) => {
        const key = `${span.fromMs} ${span.kind}`
        if (span.kind === 'not-watched')
          return <line key={key} className="spark-gap" x1={x} x2={x + widthPx} y1={middle} y2={middle} />
        const isAnswered = span.kind === 'answered'
        const height = isAnswered ? 4 : HEIGHT - 4
        return (
          <rect
            key={key}
            className={isAnswered ? 'spark-ok' : undefined}
            fill={isAnswered ? undefined : `url(#${hatch})`}
            x={x}
            y={middle - height / 2}
            width={widthPx}
            height={height}
          />
        )
      })}
    </svg>
  )
}

/** Relative position of a value between two bounds, 0 to 1; 0.5 if the bounds are equal. */
const share = (at: number, from: number, to: number): number =>
  to <= from ? 0.5 : Math.min(1, Math.max(0, (at - from) / (to - from)))
