import { ALL_TABS } from '#tabs/channel.ts'
import type { TabRole } from '#tabs/election.ts'
import type { TabMessage } from '#tabs/tab-message.ts'

import { openTabChannel } from './tab-channel.ts'

/** From the page itself: a Worker that is frozen with its page does not get to say it. */
export function sayFreeze(tab: TabRole | undefined): void {
  if (tab?.role !== 'leading' || tab.leader === undefined) return
  const { post, close } = openTabChannel(ALL_TABS, () => undefined)
  post({ kind: 'freeze', from: tab.leader, term: tab.term } satisfies TabMessage)
  close()
}

/** Tells when the browser is about to freeze this page or to put it away, and when it goes on. */
export function watchLifecycle(told: (change: 'rest' | 'wake') => void, onFreeze: () => void): void {
  document.addEventListener('freeze', () => {
    onFreeze()
    told('rest')
  })
  document.addEventListener('resume', () => told('wake'))
  addEventListener('pagehide', () => told('rest'))
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) told('wake')
  })
}
