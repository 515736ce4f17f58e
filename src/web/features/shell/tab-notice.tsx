import { Suspense } from 'react'
import { useTab } from '#react/use-fleet.ts'
import { late } from '#ui/late.tsx'
import { isFollowing } from '#parts/watch-state.ts'
import type { TabState } from '#tabs/tabs.ts'

const TabLine = late(async () => (await import('./tab-line.tsx')).TabLine)

/** Without locks tabs may disagree for a moment, which the one that asks says too: it can't know that it is alone. */
export const hasTabNotice = (tab: TabState | undefined): tab is TabState =>
  tab !== undefined && (isFollowing(tab) || tab.by === 'messages')

/** Says that another tab asks, where one does, and how tabs agree where that is not certain. */
export function TabNotice() {
  const tab = useTab()
  return hasTabNotice(tab) ? (
    <Suspense>
      <TabLine tab={tab} />
    </Suspense>
  ) : null
}

/** The same where the window is too narrow for the status line. */
export const NarrowTabNotice = () => (
  <div className="narrow-only">
    <TabNotice />
  </div>
)
