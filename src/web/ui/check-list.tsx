import type { ReactNode } from 'react'
import { Glyph, type GlyphKind } from './glyph.tsx'

export type Check = {
  readonly id: string
  readonly kind: GlyphKind
  /** Says in words what the shape says. */
  readonly kindLabel: string
  readonly text: ReactNode
}

export const CheckList = ({ checks }: { readonly checks: readonly Check[] }) => (
  <ul className="checks">
    {checks.map((check) => (
      <li key={check.id} className={check.kind}>
        <Glyph kind={check.kind} label={check.kindLabel} />
        <span className="trunc">{check.text}</span>
      </li>
    ))}
  </ul>
)
