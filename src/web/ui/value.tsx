import type { ReactNode, Ref } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

type ValueProps = {
  readonly level?: Level | undefined
  readonly old?: boolean
  readonly children?: ReactNode
  readonly ref?: Ref<HTMLSpanElement>
}

/** Coloured only in alarm; dimmed if outdated. */
export const Value = ({ level, old = false, children, ref }: ValueProps) => (
  <span ref={ref} className={classNames('value', level, old && 'old')}>
    {children}
  </span>
)
