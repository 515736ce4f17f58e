import { classNames } from './class-names.ts'
import type { ChartSpan } from './chart/chart-types.ts'
import { SpanPicture } from './chart/spans.tsx'
import type { Level } from './level.ts'

const WIDTH = 92
const HEIGHT = 18
const EDGE = 2.5
const BAR_SHARE = 0.8

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
  /** Bars above it are marked. */
  readonly limit?: number
}

/** A small bar chart; no bar means not watched. */
export function SparkBars({ fromMs, toMs, label, bars, limit = Number.POSITIVE_INFINITY }: SparkBarsProps) {
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
            className={bar.value > limit ? 'over' : undefined}
            x={left}
            y={HEIGHT - height}
            width={Math.max(0.5, (x(bar.toMs) - left) * BAR_SHARE)}
            height={height}
          />
        )
      })}
    </svg>
  )
}

type MiniBarsProps = {
  readonly values: readonly number[]
  readonly limit: number
  readonly label: string
}

export const MiniBars = ({ values, limit, label }: MiniBarsProps) => (
  <SparkBars
    fromMs={0}
    toMs={values.length}
    bars={values.map((value, place) => ({ fromMs: place, toMs: place + 1, value }))}
    limit={limit}
    label={label}
  />
)

type SparkSpansProps = SparkProps & { readonly spans: readonly ChartSpan[] }

export const SparkSpans = ({ fromMs, toMs, label, spans }: SparkSpansProps) => (
  <SpanPicture
    className="spark wide"
    size={[WIDTH, HEIGHT]}
    spans={spans}
    rangeMs={[fromMs, toMs]}
    thinPx={4}
    tallPx={HEIGHT - 4}
    label={label}
  />
)

/** Relative position of a value between two bounds, 0 to 1; 0.5 if the bounds are equal. */
const share = (at: number, from: number, to: number): number =>
  to <= from ? 0.5 : Math.min(1, Math.max(0, (at - from) / (to - from)))
