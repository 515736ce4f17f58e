import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

export type FigureItem = {
  readonly id: string
  readonly label: ReactNode
  readonly value: ReactNode
  readonly level?: Level | undefined
  /** Known, but no longer live. */
  readonly old?: boolean
}

/** A few large values side by side, each with its name over it. */
export const Figures = ({ items }: { readonly items: readonly FigureItem[] }) => (
  <dl className="kvrow">
    {items.map(({ id, label, value, level, old = false }) => (
      <div key={id}>
        <dt className="lbl">{label}</dt>
        <dd className={classNames('v', level, old && 'old')}>{value}</dd>
      </div>
    ))}
  </dl>
)
