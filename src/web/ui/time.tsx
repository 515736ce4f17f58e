import type { ReactNode } from 'react'

type TimeProps = {
  /** Unix ms. */
  readonly atMs: number
  readonly title: string
  readonly children: ReactNode
}

/** The largest time a Date can hold; a hostile service may send larger values. */
const DATE_MAX_MS = 8.64e15

/** A moment. A value beyond the Date range is shown unchanged, without a machine-readable form. */
export const Time = ({ atMs, title, children }: TimeProps) => (
  <time dateTime={Math.abs(atMs) <= DATE_MAX_MS ? new Date(atMs).toISOString() : undefined} title={title}>
    {children}
  </time>
)
