import type { ReactNode } from 'react'
import { Glyph } from './glyph.tsx'

type EmptyProps = { readonly title: string; readonly children?: ReactNode; readonly actions?: ReactNode }

/** Says what will be here, and the one next step. */
export const Empty = ({ title, children, actions }: EmptyProps) => (
  <div className="empty">
    <Glyph kind="none" />
    <b>{title}</b>
    {children !== undefined && <p>{children}</p>}
    {actions}
  </div>
)
