import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type StatusItem = {
  readonly id: string
  readonly content: ReactNode
  /** The dot that beats while the screen watches; `off` is a broken ring. */
  readonly dot?: 'live' | 'off'
  /** Stands at the right; the last item stays there on narrow screens. */
  readonly end?: boolean
}

type StatusLineProps = { readonly label: string; readonly children: ReactNode }

/** Watches the watcher: polling, clock, key, storage. Not a live region: it ticks. Its children are `StatusItems`. */
export const StatusLine = ({ label, children }: StatusLineProps) => (
  <footer className="status" aria-label={label}>
    {children}
  </footer>
)

export const StatusItems = ({ items }: { readonly items: readonly StatusItem[] }) =>
  items.map((item) => (
    <span key={item.id} className={classNames(item.end && 'end')}>
      {item.dot !== undefined && <i className={classNames('live-dot', item.dot === 'off' && 'off')} />}
      {item.content}
    </span>
  ))
