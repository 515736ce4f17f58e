import type { ReactNode } from 'react'

type EmptyProps = { readonly title: string; readonly children?: ReactNode; readonly actions?: ReactNode }

export const Empty = ({ title, children, actions }: EmptyProps) => (
  <div className="empty text-12 ink-3">
    <b>{title}</b>
    {children !== undefined && <p>{children}</p>}
    {actions}
  </div>
)

/** Placeholder lines while loading. Appears after 400 ms, so that a short wait does not flicker. */
export const Skeleton = ({ label, lines = 3 }: { readonly label: string; readonly lines?: number }) => (
  <div className="empty-skeleton" role="status" aria-label={label}>
    {Array.from({ length: lines }, (_, line) => (
      <i key={line} />
    ))}
  </div>
)
