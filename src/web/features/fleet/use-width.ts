import { useCallback, useState } from 'react'

/** Before anything is measured. */
const USUAL_REM = 90

/** How wide an element is, in units of the reader's text size, and the ref to give it. */
export function useWidthRem(): readonly [(element: HTMLElement | null) => (() => void) | undefined, number] {
  const [rem, setRem] = useState(USUAL_REM)
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null || typeof ResizeObserver === 'undefined') return undefined
    const observer = new ResizeObserver(() => {
      const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
      // On whole units, so that columns do not change with each pixel.
      if (element.clientWidth > 0) setRem(Math.floor(element.clientWidth / remPx))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [measure, rem]
}
