import type { ReactNode } from 'react'

type PageHeadProps = {
  readonly title: ReactNode
  /** The page above this one. */
  readonly crumb?: { readonly href: string; readonly label: string }
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

export function PageHead({ title, crumb, children, actions }: PageHeadProps) {
  return (
    <div className="page-head flow">
      {crumb !== undefined && (
        <span className="page-crumb ink-3">
          <a className="ink-3" href={crumb.href}>
            {crumb.label}
          </a>{' '}
          /
        </span>
      )}
      <h1>{title}</h1>
      {children}
      <span className="grow" />
      {actions}
    </div>
  )
}

export function Columns({ main, side }: { readonly main: ReactNode; readonly side: ReactNode }) {
  return (
    <div className="page-columns">
      <div className="stack">{main}</div>
      <aside className="stack page-side">{side}</aside>
    </div>
  )
}
