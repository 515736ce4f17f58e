import { useCallback, useSyncExternalStore } from 'react'

/** Must match the style sheets. On a phone, lists come before their summaries. */
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
