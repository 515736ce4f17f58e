import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Figure, type FigurePart } from './figure.tsx'
import { Glyph, type GlyphKind } from './glyph.tsx'
import type { Level } from './level.ts'

type HeroProps = { readonly label: string; readonly children: ReactNode }

export const Hero = ({ label, children }: HeroProps) => (
  <section className="panel hero" aria-label={label}>
    {children}
  </section>
)

type HeroCellProps = { readonly label: ReactNode; readonly aside?: ReactNode; readonly children: ReactNode }

export const HeroCell = ({ label, aside, children }: HeroCellProps) => (
  <div>
    <div className="figure-label row text-12 ink-3">
      <span>{label}</span>
      {aside !== undefined && <b>{aside}</b>}
    </div>
    {children}
  </div>
)

type StateWordProps = {
  readonly kind: GlyphKind
  readonly children: ReactNode
  /** The last known value, not a live one. */
  readonly old?: boolean
  /** `long` for words that do not fit at full size; `small` for side panels. */
  readonly size?: 'full' | 'long' | 'small'
}

/** The status word, exactly as the service sends it. */
export const StateWord = ({ kind, children, old = false, size = 'full' }: StateWordProps) => (
  <div className={classNames('hero-state row', old && 'old', size !== 'full' && size)}>
    <Glyph kind={kind} />
    <span>{children}</span>
  </div>
)

type BigFigureProps = {
  readonly parts: readonly FigurePart[]
  readonly old?: boolean
  readonly level?: Level
  /** Text for screen readers instead of a ticking figure; update it rarely. */
  readonly spoken?: string
}

export const BigFigure = ({ parts, old = false, level, spoken }: BigFigureProps) => (
  <div className={classNames('hero-value', old && 'old', level)}>
    {spoken !== undefined && <span className="visually-hidden">{spoken}</span>}
    <span aria-hidden={spoken !== undefined || undefined}>
      <Figure parts={parts} />
    </span>
  </div>
)
