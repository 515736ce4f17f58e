import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

type ValueProps = { readonly level?: Level | undefined; readonly old?: boolean; readonly children: ReactNode }

/** Coloured only in alarm; dimmed if outdated. */
export const Value = ({ level, old = false, children }: ValueProps) => (
  <span className={classNames('value', level, old && 'old')}>{children}</span>
)
