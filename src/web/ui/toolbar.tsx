import type { ReactNode } from 'react'

type ToolRowProps = {
  /** In the panel of the list, and not above it. */
  readonly inside?: boolean
  /** Absent: only its place is held. */
  readonly children?: ReactNode
}

/** What narrows a list down, above it. */
export const ToolRow = ({ inside = false, children }: ToolRowProps) => (
  <div className={inside ? 'toolbar inside' : 'toolbar'}>{children}</div>
)

/** Several that belong together. */
export const ToolGroup = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="flow" role="group" aria-label={label}>
    {children}
  </div>
)

type ListTab = {
  readonly href: string
  readonly label: string
  /** How many are in the list; absent where nobody counts them. */
  readonly count?: number
  readonly current: boolean
}

type ListTabsProps = {
  readonly label: string
  readonly tabs: readonly ListTab[]
  /** At the right end. */
  readonly actions?: ReactNode
}

/** Several lists in one place. Each has an address, so these are links. */
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
