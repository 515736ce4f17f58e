import type { Ref } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

/** `ok`: within limits; `done`: just succeeded; `paused`: not polled at present. */
export type GlyphKind = Level | 'ok' | 'done' | 'paused'

const RING = 'M8 1.9A6.1 6.1 0 1 1 8 14.1A6.1 6.1 0 1 1 8 1.9Z'
const TICK = 'M5.3 8.2L7.2 10.1L10.8 6.2'

/** Outline and inner mark of each shape, in a 16 × 16 box. */
const SHAPES: Readonly<Record<GlyphKind, readonly [frame: string, mark: string]>> = {
  critical: ['M5.2 1H10.8L15 5.2V10.8L10.8 15H5.2L1 10.8V5.2Z', 'M8 4.6V8.6M8 11.4V11.4'],
  warning: ['M8 1.4L15.3 14.3H.7Z', 'M8 6.2V9.6M8 12V12'],
  info: ['M8 .7L15.3 8L8 15.3L.7 8Z', 'M8 5V8.4M8 11V11'],
  none: ['M8 1.6A6.4 6.4 0 1 1 8 14.4A6.4 6.4 0 1 1 8 1.6Z', 'M5.6 8H10.4'],
  ok: [RING, TICK],
  done: [RING, TICK],
  paused: [RING, 'M6.4 5.8V10.2M9.6 5.8V10.2'],
}

type GlyphProps = {
  readonly ref?: Ref<SVGSVGElement>
  readonly kind: GlyphKind
  readonly label?: string
  /** `unack` draws a ring; `acked` draws only the outline. */
  readonly ring?: 'unack' | 'acked' | undefined
}

/** A status as a shape. Without a label it is decoration next to the same status in words. */
export function Glyph({ ref, kind, label, ring }: GlyphProps) {
  const [frame, mark] = SHAPES[kind]
  const spoken =
    label === undefined || label === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label }
  return (
    <svg ref={ref} className={classNames('glyph', `glyph-${kind}`, ring)} viewBox="0 0 16 16" {...spoken}>
      <path className="glyph-shape" d={frame} />
      {ring === 'unack' && <path className="glyph-ring" d={frame} />}
      <path className="glyph-mark" d={mark} />
    </svg>
  )
}
