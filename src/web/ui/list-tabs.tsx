import type { ReactNode } from 'react'

export type ListTab = {
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
  <div className="tabs">
    <nav aria-label={label}>
      <ul className="tl">
        {tabs.map(({ href, label: name, count, current }) => (
          <li key={href}>
            <a href={href} aria-current={current ? 'page' : undefined}>
              {name}
              {count !== undefined && <span className="n">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <span className="grow" />
    {actions}
  </div>
)
