import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Figure, type FigurePart } from './figure.tsx'
import { Glyph, type GlyphKind } from './glyph.tsx'
import type { Level } from './level.ts'

type HeroProps = { readonly label: string; readonly level?: Level; readonly children: ReactNode }

/** Up to three cells side by side: what matters most on the page. */
export const Hero = ({ label, level, children }: HeroProps) => (
  <section className={classNames('panel hero', level)} aria-label={label}>
    {children}
  </section>
)

type HeroCellProps = { readonly label: ReactNode; readonly aside?: ReactNode; readonly children: ReactNode }

export const HeroCell = ({ label, aside, children }: HeroCellProps) => (
  <div>
    <div className="figure-label">
      <span>{label}</span>
      {aside !== undefined && <b>{aside}</b>}
    </div>
    {children}
  </div>
)

/** A remark under a figure. */
export const HeroNote = ({ children }: { readonly children: ReactNode }) => (
  <div className="figure-note">{children}</div>
)

type StateWordProps = {
  readonly kind: GlyphKind
  readonly children: ReactNode
  /** Known, but no longer live. */
  readonly old?: boolean
  readonly level?: Level
  /** `long` for words that would not fit at full size; `small` for side panels. */
  readonly size?: 'full' | 'long' | 'small'
}

/** The status word, exactly as the service sends it. */
export const StateWord = ({ kind, children, old = false, level, size = 'full' }: StateWordProps) => (
  <div className={classNames('hero-state', old && 'old', level, size !== 'full' && size)}>
    <Glyph kind={kind} />
    <span>{children}</span>
  </div>
)

type BigFigureProps = {
  readonly parts: readonly FigurePart[]
  readonly old?: boolean
  readonly level?: Level
  /** What screen readers get instead of a figure that ticks; renew it rarely. */
  readonly spoken?: string
}

/** The one figure of a page. */
export const BigFigure = ({ parts, old = false, level, spoken }: BigFigureProps) => (
  <div className={classNames('hero-value', old && 'old', level)}>
    {spoken !== undefined && <span className="visually-hidden">{spoken}</span>}
    <span aria-hidden={spoken !== undefined || undefined}>
      <Figure parts={parts} />
    </span>
  </div>
)
