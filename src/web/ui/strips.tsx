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

export const MiniStrip = ({ fromMs, toMs, spans, label }: MiniStripProps) => (
  <SpanPicture
    className="spark wide"
    size={[1_000, 20]}
    spans={[{ fromMs, toMs }, ...spans].map((span) => ({ ...span, kind: 'answered', label: '' }))}
    rangeMs={[fromMs, toMs]}
    thinPx={6}
    tallPx={16}
    label={label}
  />
)

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
