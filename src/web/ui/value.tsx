import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

type ValueProps = { readonly level?: Level | undefined; readonly old?: boolean; readonly children: ReactNode }

/** A value in a table or list: coloured only where something is wrong, dimmed when it is old. */
export const Value = ({ level, old = false, children }: ValueProps) => (
  <span className={classNames('value', level, old && 'old')}>{children}</span>
)
