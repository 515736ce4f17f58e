import { useCallback, useSyncExternalStore } from 'react'

/** As in the style sheets. On a phone lists come first, and what sums them up after them. */
export const PHONE = '(max-width: 640px)'

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
