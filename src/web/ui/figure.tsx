import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

export type FigurePart = { readonly text: string; readonly as?: 'unit' | 'word' }

/** Digits and units in two tones, e.g. `6 min 16 s ago`. Inherits its size. */
export function Figure({ parts }: { readonly parts: readonly FigurePart[] }) {
  // Parts have no id, so the index is the key.
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
  /** The last known value, not a live one. */
  readonly old?: boolean
}

export const Figures = ({ items }: { readonly items: readonly FigureItem[] }) => (
  <dl className="figure-row">
    {items.map(({ id, label, value, level, old = false }) => (
      <div key={id}>
        <dt className="figure-label row text-12 ink-3">{label}</dt>
        <dd className={classNames('figure-value', level, old && 'old')}>{value}</dd>
      </div>
    ))}
  </dl>
)

export type Stat = {
  readonly label: string
  readonly value: ReactNode
  readonly picture?: ReactNode
  readonly note?: ReactNode
}

export function Stats({ label, items }: { readonly label: string; readonly items: readonly Stat[] }) {
  const prefix = useId()
  return (
    <section className="panel figure-list" aria-label={label}>
      {items.map(({ label: name, value, picture, note }, place) => (
        <div key={name} role="group" aria-labelledby={`${prefix}-${place}`}>
          <div className="figure-label row text-12 ink-3" id={`${prefix}-${place}`}>
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
