import { useId, type ReactNode } from 'react'

type PanelProps = {
  readonly title: string
  /** Shown instead of the title: tabs for the panel's other content. */
  readonly tabs?: ReactNode
  readonly note?: ReactNode
  readonly actions?: ReactNode
  /** Removes the padding; lists and tables have their own. */
  readonly flush?: boolean
  readonly children: ReactNode
}

export function Panel({ title, tabs, note, actions, flush = false, children }: PanelProps) {
  const titleId = useId()
  return (
    <section className="panel" aria-labelledby={titleId}>
      <div className="panel-head">
        <h2 id={titleId} className={tabs === undefined ? undefined : 'visually-hidden'}>
          {title}
        </h2>
        {tabs}
        {note !== undefined && <span className="text-11 ink-3">{note}</span>}
        <span className="grow" />
        {actions}
      </div>
      {flush ? children : <div className="panel-body">{children}</div>}
    </section>
  )
}

type PlainPanelProps = {
  readonly label: string
  readonly flush?: boolean
  readonly children: ReactNode
}

export const PlainPanel = ({ label, flush = false, children }: PlainPanelProps) => (
  <section className={flush ? 'panel' : 'panel panel-body'} aria-label={label}>
    {children}
  </section>
)
