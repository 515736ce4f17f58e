import type { ReactNode } from 'react'
import { NavLinks, type NavLink } from './app-shell.tsx'

type ToolRowProps = {
  readonly inside?: boolean
  /** Absent: only reserves the space. */
  readonly children?: ReactNode
}

export const ToolRow = ({ inside = false, children }: ToolRowProps) => (
  <div className={inside ? 'toolbar flow inside' : 'toolbar flow'}>{children}</div>
)

export const ToolGroup = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="flow" role="group" aria-label={label}>
    {children}
  </div>
)

type ListTabsProps = { readonly label: string; readonly tabs: readonly NavLink[] }

export const ListTabs = ({ label, tabs }: ListTabsProps) => (
  <div className="toolbar-tabs">
    <nav aria-label={label}>
      <ul className="tab-links">
        <NavLinks links={tabs} />
      </ul>
    </nav>
    <span className="grow" />
  </div>
)
