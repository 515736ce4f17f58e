import { useCallback } from 'react'
import { classNames } from './class-names.ts'

const STILL = '(prefers-reduced-motion: reduce)'

const BEAT: Keyframe[] = [
  { opacity: 0.45, easing: 'ease-out' },
  { opacity: 1, offset: 0.08, easing: 'ease-out' },
  { opacity: 0.45, offset: 0.6 },
  { opacity: 0.45 },
]

/**
 * Beats while the screen watches. Not by the style sheet: there each beat is an event that React listens for, and wakes
 * the page for several frames, all day long.
 */
export function LiveDot({ isLive }: { readonly isLive: boolean }) {
  const beat = useCallback(
    (element: HTMLElement | null) => {
      // Decoration: where nothing can be moved it stands still.
      if (element === null || !isLive || !('animate' in element)) return
      if (window.matchMedia(STILL).matches) return
      const animation = element.animate(BEAT, { duration: 1_600, iterations: Infinity })
      return () => animation.cancel()
    },
    [isLive],
  )
  return <i ref={beat} className={classNames('live-dot', !isLive && 'off')} aria-hidden />
}
