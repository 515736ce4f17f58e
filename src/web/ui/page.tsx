import type { ReactNode } from 'react'

type PageHeadProps = {
  readonly title: ReactNode
  readonly crumb?: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

export function PageHead({ title, crumb, children, actions }: PageHeadProps) {
  return (
    <div className="page-head">
      {crumb !== undefined && <span className="page-crumb">{crumb}</span>}
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
