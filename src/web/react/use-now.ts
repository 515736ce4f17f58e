import { useDashboard } from './dashboard.ts'
import { useStore } from './use-store.ts'

/**
 * The engine's steady time in ms, renewed once a second, for texts such as "12 s ago". All
 * users share one timer and change in the same frame; it stands still while nothing is seen.
 */
export const useNow = (): number => useStore(useDashboard().seconds, (nowMs) => nowMs)
