import type { ReactNode } from 'react'

type TimeProps = {
  /** Unix ms. */
  readonly atMs: number
  /** The same moment in other words, one a line: UTC, local, relative, Unix seconds. */
  readonly details: readonly string[]
  readonly children: ReactNode
}

/** The last moment that a Date can name; a hostile service names later ones. */
const DATE_MAX_MS = 8.64e15

/** A moment. A value that no calendar knows is shown as it is, without a machine-readable form. */
export const Time = ({ atMs, details, children }: TimeProps) => (
  <time
    dateTime={Math.abs(atMs) <= DATE_MAX_MS ? new Date(atMs).toISOString() : undefined}
    title={details.join('\n')}
  >
    {children}
  </time>
)
