import type { Store } from '#base/store.ts'
import type { TabState } from '#tabs/tabs.ts'

/** What only the tab that leads does: `start` when it begins to, `rest` when it no longer does. Returns the end of it. */
export function whileLeading(
  state: Store<TabState>,
  start: () => void,
  rest = (): void => undefined,
): () => void {
  let isLeading: boolean | undefined
  const follow = (): void => {
    const leads = state.get().role === 'leading'
    if (leads === isLeading) return
    isLeading = leads
    if (leads) start()
    else rest()
  }
  follow()
  return state.subscribe(follow)
}
