import type { ReactNode } from 'react'

type ToolRowProps = {
  readonly inside?: boolean
  /** Absent: only reserves the space. */
  readonly children?: ReactNode
}

export const ToolRow = ({ inside = false, children }: ToolRowProps) => (
  <div className={inside ? 'toolbar inside' : 'toolbar'}>{children}</div>
)

export const ToolGroup = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="flow" role="group" aria-label={label}>
    {children}
  </div>
)

type ListTab = {
  readonly href: string
  readonly label: string
  readonly count?: number
  readonly current: boolean
}

type ListTabsProps = {
  readonly label: string
  readonly tabs: readonly ListTab[]
  readonly actions?: ReactNode
}

export const ListTabs = ({ label, tabs, actions }: ListTabsProps) => (
  <div className="toolbar-tabs">
    <nav aria-label={label}>
      <ul className="tab-links">
        {tabs.map(({ href, label: name, count, current }) => (
          <li key={href}>
            <a href={href} aria-current={current ? 'page' : undefined}>
              {name}
              {count !== undefined && <span className="count">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <span className="grow" />
    {actions}
  </div>
)
