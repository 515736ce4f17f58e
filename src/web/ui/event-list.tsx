import type { ReactNode } from 'react'
import { Glyph, type GlyphKind } from './glyph.tsx'

export type EventLine = {
  readonly id: string
  readonly time: ReactNode
  /** Undefined for a neutral event that neither raises nor clears anything. */
  readonly kind: GlyphKind | undefined
  readonly kindLabel: string
  readonly text: string
}

export const EventList = ({
  label,
  lines,
}: {
  readonly label: string
  readonly lines: readonly EventLine[]
}) => (
  <ol className="event-list text-12" aria-label={label}>
    {lines.map(({ id, time, kind, kindLabel, text }) => (
      <li key={id}>
        <span className="ink-3">{time}</span>
        {kind === undefined ? (
          <i className="event-list-dot" aria-hidden />
        ) : (
          <Glyph kind={kind} label={kindLabel} />
        )}
        <bdi className="ink-1 wrap-anywhere">{text}</bdi>
      </li>
    ))}
  </ol>
)
