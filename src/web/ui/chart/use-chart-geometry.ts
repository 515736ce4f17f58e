import { useEffect, useRef, useState } from 'react'
import { remPx } from '#ui/rem.ts'

export type Slot = { readonly topPx: number; readonly heightPx: number }

/** Measured positions of the chart's rows, relative to its body. The style sheet sets the layout. */
export type ChartGeometry = {
  readonly widthPx: number
  readonly heightPx: number
  readonly plotLeftPx: number
  readonly plotWidthPx: number
  /** Keyed by `data-slot`. */
  readonly slots: Readonly<Record<string, Slot>>
}

/** Space for axis and limit labels to the right of the plot; must match 4.75 rem in strip-chart.css. */
const AXIS_REM = 4.75

/**
 * Measures the rows whenever their size changes; undefined before the first layout. The caller must remount it for a different
 * set of rows.
 */
export function useChartGeometry() {
  const bodyRef = useRef<HTMLDivElement>(null)
  const [geometry, setGeometry] = useState<ChartGeometry>()
  useEffect(() => {
    const body = bodyRef.current
    if (body === null) return
    const observer = new ResizeObserver(() => {
      const next = measure(body)
      setGeometry((last) => (JSON.stringify(last) === JSON.stringify(next) ? last : next))
    })
    observer.observe(body)
    for (const slot of slotsOf(body)) observer.observe(slot)
    return () => observer.disconnect()
  }, [])
  return { bodyRef, geometry }
}

const slotsOf = (body: HTMLElement) => Array.from(body.querySelectorAll<HTMLElement>('[data-slot]'))

function measure(body: HTMLElement): ChartGeometry | undefined {
  const frame = body.getBoundingClientRect()
  const elements = slotsOf(body)
  const first = elements[0]?.getBoundingClientRect()
  if (first === undefined || first.width === 0) return undefined
  const slots: Record<string, Slot> = {}
  for (const element of elements) {
    const rect = element.getBoundingClientRect()
    slots[element.dataset['slot'] ?? ''] = {
      topPx: round(rect.top - frame.top),
      heightPx: round(rect.height),
    }
  }
  return {
    widthPx: round(frame.width),
    heightPx: round(frame.height),
    plotLeftPx: round(first.left - frame.left),
    plotWidthPx: Math.max(1, round(first.width - AXIS_REM * remPx())),
    slots,
  }
}

/** Half a pixel is precise enough, and hides rounding noise that would cause redraws. */
const round = (value: number) => Math.round(value * 2) / 2
