import type { ReactNode } from 'react'

type ToolRowProps = {
  /** In the panel of the list, and not above it. */
  readonly inside?: boolean
  readonly children: ReactNode
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
