import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

/** A piece of a figure: the digits, a quieter unit or fraction, or a word that follows, such as "ago". */
export type FigurePart = { readonly text: string; readonly as?: 'unit' | 'word' }

/** Digits and units in two tones, e.g. `6 min 16 s ago`. The size comes from around it. */
export function Figure({ parts }: { readonly parts: readonly FigurePart[] }) {
  // Parts have no identity of their own: the place in the figure is it.
  return parts.map((part, place) =>
    part.as === undefined ? (
      <span key={place}>{part.text}</span>
    ) : (
      <span key={place} className={part.as === 'word' ? 'unit figure-word' : 'unit'}>
        {part.text}
      </span>
    ),
  )
}

type FigureItem = {
  readonly id: string
  readonly label: ReactNode
  readonly value: ReactNode
  readonly level?: Level | undefined
  /** Known, but no longer live. */
  readonly old?: boolean
}

/** A few large values side by side, each with its name over it. */
export const Figures = ({ items }: { readonly items: readonly FigureItem[] }) => (
  <dl className="figure-row">
    {items.map(({ id, label, value, level, old = false }) => (
      <div key={id}>
        <dt className="figure-label">{label}</dt>
        <dd className={classNames('figure-value', level, old && 'old')}>{value}</dd>
      </div>
    ))}
  </dl>
)

export type Stat = {
  readonly id: string
  readonly label: string
  readonly value: ReactNode
  /** A small picture beside the value. */
  readonly picture?: ReactNode
  readonly note?: ReactNode
}

/** A few figures side by side that sum a page up. */
export function Stats({ label, items }: { readonly label: string; readonly items: readonly Stat[] }) {
  const prefix = useId()
  return (
    <section className="panel figure-list" aria-label={label}>
      {items.map(({ id, label: name, value, picture, note }) => (
        <div key={id} role="group" aria-labelledby={`${prefix}-${id}`}>
          <div className="figure-label" id={`${prefix}-${id}`}>
            {name}
          </div>
          <div className="figure-value">
            <span>{value}</span>
            {picture}
          </div>
          <div className="figure-note">{note}</div>
        </div>
      ))}
    </section>
  )
}
