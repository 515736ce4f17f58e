import { tabTexts as words } from '#texts/en-tabs.ts'
import type { TabState } from '#tabs/tabs.ts'
import { isFollowing } from '#parts/watch-state.ts'
import { TakeOver } from './take-over.tsx'

/** Says whether another tab asks, how far what it tells can be shown here, and offers to ask here instead. */
export function TabLine({ tab }: { readonly tab: TabState }) {
  if (!isFollowing(tab)) return <span className="ink3">{words.noLocks}</span>
  return (
    <>
      <span title={tab.by === 'messages' ? words.noLocks : undefined}>{textOf(tab)}</span> <TakeOver />
      {tab.by === 'messages' && <span className="ink3">{words.noLocks}</span>}
    </>
  )
}

function textOf({ silent, otherBuild }: TabState): string {
  if (silent) return words.silent
  return otherBuild ? words.otherBuild : words.follows
}
