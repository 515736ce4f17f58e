import type { ReactNode } from 'react'
import { Glyph, type GlyphKind } from './glyph.tsx'

type FindingProps = {
  readonly kind: GlyphKind
  /** Says in words what the shape says. */
  readonly kindLabel: string
  readonly children: ReactNode
}

/** One remark with its weight, as long as it needs to be. */
export const Finding = ({ kind, kindLabel, children }: FindingProps) => (
  <div className="finding t12">
    <Glyph kind={kind} label={kindLabel} />
    <span className="ink1">{children}</span>
  </div>
)
