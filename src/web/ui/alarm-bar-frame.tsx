import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

type AlarmBarProps = {
  readonly label: string
  readonly level: Level
  /** Somebody has acknowledged it: it no longer shouts. */
  readonly quiet: boolean
  readonly glyph: ReactNode
  readonly actions: ReactNode
  readonly children: ReactNode
}

/** What is wrong, in one sentence over what it is about. */
export const AlarmBar = ({ label, level, quiet, glyph, actions, children }: AlarmBarProps) => (
  <section className={classNames('abar', level, quiet && 'quiet')} aria-label={label}>
    {glyph}
    <p>{children}</p>
    {actions}
  </section>
)
