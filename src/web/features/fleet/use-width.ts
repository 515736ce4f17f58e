import { useCallback, useState } from 'react'
import { remPx } from '#ui/rem.ts'
import { WIDTHS } from '#ui/use-media.ts'

export type Width = {
  /** Rounded down, so that columns do not change with each pixel. */
  readonly rem: number
  /** The style sheet draws each row of a table as a card. */
  readonly isCards: boolean
}

/** Assumed before the first measurement. */
const USUAL: Width = { rem: 90, isCards: false }

export function useWidth() {
  const [width, setWidth] = useState(USUAL)
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null || typeof ResizeObserver === 'undefined') return undefined
    const observer = new ResizeObserver(() => {
      const px = element.getBoundingClientRect().width
      const rem = Math.floor(px / remPx())
      const isCards = px <= WIDTHS.medium
      if (px > 0) setWidth((last) => (last.rem === rem && last.isCards === isCards ? last : { rem, isCards }))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [measure, width] as const
}
