import { useCallback, useSyncExternalStore } from 'react'

/**
 * The widths of the screen or of a container at which layouts change, in px. Up to `narrow`: a phone; above `medium`: space for
 * two columns; above `wide`: space for every word. Style sheets repeat the numbers, because a query can't read a custom
 * property; a test compares them.
 */
export const WIDTHS = { narrow: 640, medium: 900, wide: 1_200 } as const

/** On a phone, lists come before their summaries. */
export const PHONE = `(width <= ${WIDTHS.narrow}px)`

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}
