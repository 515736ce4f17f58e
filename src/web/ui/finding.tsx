import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Glyph, type GlyphKind } from './glyph.tsx'

type FindingProps = {
  readonly kind: GlyphKind
  readonly kindLabel: string
  readonly children: ReactNode
}

export const Finding = ({ kind, kindLabel, children }: FindingProps) => (
  <div className="finding text-12">
    <Glyph kind={kind} label={kindLabel} />
    <span className="ink-1">{children}</span>
  </div>
)

type NoteProps = { readonly icon: LucideIcon; readonly title: string; readonly children: ReactNode }

export const Note = ({ icon: Icon, title, children }: NoteProps) => (
  <section className="finding-note text-12 ink-3">
    <Icon className="icon" aria-hidden />
    <div>
      <b>{title}</b>
      <p>{children}</p>
    </div>
  </section>
)
