import type { ReactNode } from 'react'

/** A page below the bar: head, then whatever follows, in one column. */
export const Page = ({ children }: { readonly children: ReactNode }) => <div className="page">{children}</div>

type PageHeadProps = {
  readonly title: ReactNode
  /** Where this page hangs, e.g. a link to the list, with its slash. */
  readonly crumb?: ReactNode
  /** Beside the title: an id to copy, tags, a remark. */
  readonly children?: ReactNode
  /** At the right end. */
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

/** A wide column and a narrow one beside it; below it where there is no room. */
export function Columns({ main, side }: { readonly main: ReactNode; readonly side: ReactNode }) {
  return (
    <div className="page-columns">
      <div className="stack">{main}</div>
      <aside className="stack page-side">{side}</aside>
    </div>
  )
}

/** Things that stand in a row as long as they fit. */
export const Flow = ({ children }: { readonly children: ReactNode }) => <div className="flow">{children}</div>

/** A list, and beside it what is opened of it, where there is something open. */
export const Beside = ({ children }: { readonly children: ReactNode }) => (
  <div className="page-beside">{children}</div>
)
