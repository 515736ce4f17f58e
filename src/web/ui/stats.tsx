import { useId, type ReactNode } from 'react'

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
    <section className="panel stats" aria-label={label}>
      {items.map(({ id, label: name, value, picture, note }) => (
        <div key={id} role="group" aria-labelledby={`${prefix}-${id}`}>
          <div className="lbl" id={`${prefix}-${id}`}>
            {name}
          </div>
          <div className="v">
            <span>{value}</span>
            {picture}
          </div>
          <div className="sub">{note}</div>
        </div>
      ))}
    </section>
  )
}
