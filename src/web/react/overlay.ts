import { createStore } from '#base/store.ts'
import { useStore } from './use-fleet.ts'

/** The platform's modifier key for commands. */
export const COMMAND_KEY = /Mac|iP(hone|ad|od)/.test(globalThis.navigator?.platform ?? '') ? '⌘' : 'Ctrl'

export type Overlay = 'palette' | 'shortcuts' | undefined

/** Shared by keys, top bar and pages. */
const overlay = createStore<Overlay>(undefined)

export const openOverlay = (next: Overlay): void => overlay.publish(next)

/** The browser reports a dialog's close late, so a dialog opened since stays open. */
export function closeOverlay(which: Overlay): void {
  if (overlay.get() === which) overlay.publish(undefined)
}

export const useOverlay = (): Overlay => useStore(overlay, (now) => now)
