import { useCallback, useState } from 'react'

/** Assumed width before the first measurement. */
const USUAL_REM = 90

export function useWidthRem(): readonly [(element: HTMLElement | null) => (() => void) | undefined, number] {
  const [rem, setRem] = useState(USUAL_REM)
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null || typeof ResizeObserver === 'undefined') return undefined
    const observer = new ResizeObserver(() => {
      const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
      // Rounded down to whole rem, so that columns do not change with each pixel.
      if (element.clientWidth > 0) setRem(Math.floor(element.clientWidth / remPx))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [measure, rem]
}
