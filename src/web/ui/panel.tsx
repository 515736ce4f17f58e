import { useId, type ReactNode } from 'react'

type PanelProps = {
  readonly title: string
  /** Beside the title: a time, a count. */
  readonly note?: ReactNode
  /** At the right end of the head. */
  readonly actions?: ReactNode
  /** No padding around the content: lists and tables bring their own. */
  readonly flush?: boolean
  readonly children: ReactNode
}

export function Panel({ title, note, actions, flush = false, children }: PanelProps) {
  const titleId = useId()
  return (
    <section className="panel" aria-labelledby={titleId}>
      <div className="ph">
        <h2 id={titleId}>{title}</h2>
        {note !== undefined && <span className="t11 ink3">{note}</span>}
        <span className="grow" />
        {actions}
      </div>
      {flush ? children : <div className="pb">{children}</div>}
    </section>
  )
}

/** A panel without a head; `label` names it for screen readers. */
export const PlainPanel = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <section className="panel pb" aria-label={label}>
    {children}
  </section>
)
