import { defaultRangeExtractor, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { useEffect, useMemo, type CSSProperties, type ReactNode, type RefObject } from 'react'

/** Rows beyond the edge of the window that exist already, so that scrolling shows no blank. */
const OVERSCAN_ROWS = 6

/** So far before the end more rows are asked for. */
const NEAR_END_ROWS = 40

export type RowsProps = {
  readonly count: number
  /** How high each row is. */
  readonly pxAt: (place: number) => number
  /** Called when rows near the end are drawn. */
  readonly onNearEnd?: (() => void) | undefined
  /** The row in the tab order. It exists wherever the window is, so that scrolling takes no focus away. */
  readonly current: number
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
export function VirtualRows(props: RowsProps) {
  const { count, pxAt, onNearEnd, current, keyOf, draw, scroller, reveal, onDrawn } = props
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: pxAt,
    overscan: OVERSCAN_ROWS,
    getItemKey: keyOf,
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), current, range.count),
    // Sizes of a page that is not laid out yet (a hidden tab, a print) still give a first screenful.
    initialRect: { width: 800, height: pxAt(0) * 20 },
  })
  useEffect(() => {
    reveal.current = (place) => virtual.scrollToIndex(place)
    return () => {
      reveal.current = () => undefined
    }
  }, [reveal, virtual])
  useEffect(onDrawn)
  const drawAll = useMemo(() => drawnOnce(draw), [draw])
  const items = virtual.getVirtualItems()
  const last = items.reduce((far, { index }) => Math.max(far, index === current ? 0 : index), 0)
  const isNearEnd = last >= count - NEAR_END_ROWS
  useEffect(() => {
    if (isNearEnd) onNearEnd?.()
  }, [isNearEnd, count, onNearEnd])
  return (
    <div className="body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
      {drawAll(items)}
    </div>
  )
}

/** Draws each row once: while the table is what it was, scrolling leaves rows alone that stay in view. */
function drawnOnce(draw: RowsProps['draw']) {
  let drawn: ReadonlyMap<number, { readonly item: VirtualItem; readonly row: ReactNode }> = new Map()
  return (items: readonly VirtualItem[]): readonly ReactNode[] => {
    const before = drawn
    const rowOf = (item: VirtualItem): ReactNode => {
      const { index, size, start } = item
      const known = before.get(index)
      return known?.item.size === size && known.item.start === start
        ? known.row
        : draw(index, { height: size, transform: `translateY(${start}px)` })
    }
    drawn = new Map(items.map((item) => [item.index, { item, row: rowOf(item) }]))
    return Array.from(drawn.values(), ({ row }) => row)
  }
}

/** The rows in order, with this one among them. */
const withRow = (rows: readonly number[], row: number, count: number): number[] =>
  row >= count || rows.includes(row) ? [...rows] : [...rows, row].toSorted((a, b) => a - b)
