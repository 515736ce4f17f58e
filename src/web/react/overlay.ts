import { createStore } from '#base/store.ts'
import { useStore } from './use-fleet.ts'

/** The key with which this computer's programs take commands. */
export const COMMAND_KEY = /Mac|iP(hone|ad|od)/.test(globalThis.navigator?.platform ?? '') ? '⌘' : 'Ctrl'

/** What stands over any page: the command palette, or the list of shortcuts. */
export type Overlay = 'palette' | 'shortcuts' | undefined

/** One for the page: keys, the top bar and pages open the same. */
const overlay = createStore<Overlay>(undefined)

export const openOverlay = (next: Overlay): void => overlay.publish(next)

/** A browser tells of a dialog's end later: what was opened meanwhile stays. */
export function closeOverlay(which: Overlay): void {
  if (overlay.get() === which) overlay.publish(undefined)
}

export const useOverlay = (): Overlay => useStore(overlay, (now) => now)
