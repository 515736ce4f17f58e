import { classNames } from './class-names.ts'
import type { Level } from './level.ts'
import type { ReactNode } from 'react'
import type { ChartSpan } from '#ui/chart/chart-types.ts'
import { SpanPicture } from '#ui/chart/spans.tsx'

type MiniStripProps = {
  readonly fromMs: number
  readonly toMs: number
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number; readonly level: Level }[]
  readonly label: string
}

const WIDTH = 1_000
/** Minimum width, so that short spans stay visible. */
const WIDTH_MIN = 3

export function MiniStrip({ fromMs, toMs, spans, label }: MiniStripProps) {
  const at = (ms: number): number =>
    ((Math.min(toMs, Math.max(fromMs, ms)) - fromMs) / Math.max(1, toMs - fromMs)) * WIDTH
  return (
    <svg
      className="strips-mini"
      viewBox={`0 0 ${WIDTH} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect x={0} y={7} width={WIDTH} height={6} />
      {spans.map((span) => (
        <rect
          key={span.fromMs}
          className={classNames(span.level)}
          x={Math.min(at(span.fromMs), WIDTH - WIDTH_MIN)}
          y={2}
          width={Math.max(WIDTH_MIN, at(span.toMs) - at(span.fromMs))}
          height={16}
        />
      ))}
    </svg>
  )
}

type MiniBarsProps = {
  readonly values: readonly number[]
  readonly limit: number
  readonly label: string
}

const HEIGHT = 24
const STEP = 2

export function MiniBars({ values, limit, label }: MiniBarsProps) {
  const highest = Math.max(1, ...values)
  return (
    <svg
      viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, place) => {
        // A zero bar keeps a minimum height, so that its time range stays visible.
        const height = Math.max(1, (value / highest) * HEIGHT)
        return (
          <rect
            key={place}
            className={value > limit ? 'over' : undefined}
            x={place * STEP}
            y={HEIGHT - height}
            width={STEP - 0.5}
            height={height}
          />
        )
      })}
    </svg>
  )
}

const WALL_STRIP_WIDTH = 1_800
const WALL_STRIP_HEIGHT = 36

type WallStripProps = {
  readonly spans: readonly ChartSpan[]
  readonly fromMs: number
  readonly toMs: number
  readonly label: string
  readonly marks: readonly ReactNode[]
}

/** Poll results over time, as wide as the screen: thin if answered, hatched if failed, dotted if not watched. */
export const WallStrip = ({ spans, fromMs, toMs, label, marks }: WallStripProps) => (
  <div className="strips-day">
    <SpanPicture
      size={[WALL_STRIP_WIDTH, WALL_STRIP_HEIGHT]}
      spans={spans}
      rangeMs={[fromMs, toMs]}
      thinPx={8}
      tallPx={24}
      isPlain
      label={label}
    />
    <div aria-hidden>
      {marks.map((mark, place) => (
        <span key={place}>{mark}</span>
      ))}
    </div>
  </div>
)
