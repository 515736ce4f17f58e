import type { Clock } from '#base/clock.ts'
import type { Store } from '#base/store.ts'
import type { TabMessage } from './tab-message.ts'

/** What one tab is among the tabs of this browser. */
export type TabRole = {
  readonly role: 'leading' | 'following'
  /** Grows with every change of leader; what is written in a lower one than the newest is out of date. 0 until one is known. */
  readonly term: number
  /** The tab that leads; undefined while none is known. */
  readonly leader: string | undefined
  /** Nothing was heard of a leader for longer than its beats allow. */
  readonly silent: boolean
  /** `messages`: this page has no locks, so two tabs may both lead for a moment. */
  readonly by: 'locks' | 'messages'
}

export type ElectionPorts = {
  readonly clock: Clock
  /** This tab's own name, 16 hex digits, another one each time it starts. */
  readonly id: string
  /** From 0 up to 1. */
  readonly random: () => number
  /** Could not go on by itself in the place of a leader that is only slow, so it waits longer before it takes over. */
  readonly hesitates?: boolean
  /** To every other tab. */
  readonly post: (message: TabMessage) => void
}

/** Agrees with other tabs on the one that asks. At any time one tab at most may send; see each kind for what it guarantees. */
export type Election = {
  readonly role: Store<TabRole>
  /** Whether a request may leave this tab in this very moment. */
  readonly maySend: () => boolean
  /** The same, after making sure where that was too long ago. To be followed by the sending without a wait between. */
  readonly confirm: () => Promise<boolean>
  readonly hear: (message: TabMessage) => void
  /** A person wants this tab to lead. */
  readonly takeOver: () => void
  /** The tab is about to be frozen: it lets go, and takes part again from `wake` on. */
  readonly rest: () => void
  readonly wake: () => void
  /** Takes part no more. */
  readonly end: () => void
}

export const NO_LEADER = { role: 'following', term: 0, leader: undefined, silent: false } as const
