import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, type CSSProperties, type ReactNode, type RefObject } from 'react'

/** Rows beyond the edge of the window that exist already, so that scrolling shows no blank. */
const OVERSCAN_ROWS = 6

type VirtualRowsProps = {
  readonly count: number
  readonly rowPx: number
  readonly keyOf: (place: number) => string
  readonly draw: (place: number, style: CSSProperties) => ReactNode
  /** Null until it is in the page. */
  readonly scroller: HTMLDivElement | null
  /** Given a way to bring a row into view that does not exist yet. */
  readonly reveal: RefObject<(place: number) => void>
  /** Called after each drawing: scrolling draws other rows without the table being drawn again. */
  readonly onDrawn: () => void
}

/** Rows of a table of any length: only those in view exist. */
export function VirtualRows(props: VirtualRowsProps) {
  const { count, rowPx, keyOf, draw, scroller, reveal, onDrawn } = props
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => rowPx,
    overscan: OVERSCAN_ROWS,
    getItemKey: keyOf,
    // Sizes of a page that is not laid out yet (a hidden tab, a print) still give a first screenful.
    initialRect: { width: 800, height: rowPx * 20 },
  })
  useEffect(() => {
    reveal.current = (place) => virtual.scrollToIndex(place)
    return () => {
      reveal.current = () => undefined
    }
  }, [reveal, virtual])
  useEffect(onDrawn)
  return (
    <div className="body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
      {virtual
        .getVirtualItems()
        .map(({ index, size, start }) => draw(index, { height: size, transform: `translateY(${start}px)` }))}
    </div>
  )
}
