import { memo, useId, useMemo, useState, type MouseEvent } from 'react'
import { columnMoves, useGridCursor } from './grid-cursor.ts'
import type { Level } from './level.ts'
import { mosaicLayout, mosaicPaths } from './mosaic.tsx'

export type MapGroup = {
  readonly id: string
  readonly title: string
  readonly count: string
  readonly cells: readonly (Level | undefined)[]
}

type NodeMapProps = {
  readonly groups: readonly MapGroup[]
  /** CSS pixels. */
  readonly width: number
  readonly height: number
  readonly label: string
  /** The name of a cell; the index counts through all groups. */
  readonly nameOf: (place: number) => string
  readonly onOpen: (place: number) => void
  readonly hint: string
}

const CELL_MAX = 20
const TITLE_PX = 18

/**
 * Every node as one cell. One tab stop: arrows move between cells; Enter or a click opens one. The page holds one element for
 * each kind and one for the current cell, however many cells there are.
 */
export function NodeMap({ groups, width, height, label, nameOf, onOpen, hint }: NodeMapProps) {
  const id = useId()
  const [hovered, setHovered] = useState<number>()
  const sizes = groups.map(({ cells }) => cells.length)
  const count = sizes.reduce((sum, size) => sum + size, 0)
  const layout = mosaicLayout(sizes, { width, height: height - TITLE_PX, cellMax: CELL_MAX })
  const moves = useMemo(() => columnMoves(layout.rows), [layout.rows])
  const cursor = useGridCursor({ count, keyAt: String, moves })
  const at = cursor.isChosen ? cursor.at : undefined
  const named = hovered ?? at
  return (
    <div className="node-map">
      <div
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={at === undefined ? undefined : `${id}-cell`}
        onFocus={() => cursor.set(cursor.at)}
        onKeyDown={(event) => {
          cursor.onKeyDown(event)
          if (event.key !== 'Enter' || at === undefined) return
          event.preventDefault()
          onOpen(at)
        }}
      >
        <svg
          className="mosaic"
          width={width}
          height={height}
          aria-hidden
          onMouseMove={(event) => setHovered(placeAt(layout, event))}
          onMouseLeave={() => setHovered(undefined)}
          onClick={(event) => {
            const place = placeAt(layout, event)
            if (place !== undefined) onOpen(place)
          }}
        >
          <Titles groups={groups} lefts={layout.lefts} width={width} />
          <g transform={`translate(0 ${TITLE_PX})`}>
            <Cells groups={groups} width={width} height={height} />
            {named !== undefined && <Cursor place={layout.places[named]} cell={layout.cell} />}
          </g>
        </svg>
        {at !== undefined && (
          <span
            id={`${id}-cell`}
            role="option"
            aria-selected
            className="visually-hidden"
            aria-posinset={at + 1}
            aria-setsize={count}
          >
            {nameOf(at)}
          </span>
        )}
      </div>
      <p className="text-12 ink-3 truncate" aria-hidden>
        {named === undefined ? hint : nameOf(named)}
      </p>
    </div>
  )
}

function placeAt({ places, cell }: ReturnType<typeof mosaicLayout>, event: MouseEvent): number | undefined {
  const { offsetX, offsetY } = event.nativeEvent
  const top = offsetY - TITLE_PX
  const place = places.findIndex(([x, y]) => offsetX >= x && offsetX < x + cell && top >= y && top < y + cell)
  return place === -1 ? undefined : place
}

type CellsProps = Pick<NodeMapProps, 'groups' | 'width' | 'height'>

/** Re-rendered only when a node's state changes. */
const Cells = memo(function Cells({ groups, width, height }: CellsProps) {
  const layout = mosaicLayout(
    groups.map(({ cells }) => cells.length),
    { width, height: height - TITLE_PX, cellMax: CELL_MAX },
  )
  const cells = groups.flatMap((group) => group.cells)
  return mosaicPaths(cells, layout).map(([kind, path]) => (
    <path key={kind} className={`mosaic-${kind}`} d={path} />
  ))
})

type TitlesProps = Pick<NodeMapProps, 'groups' | 'width'> & { readonly lefts: readonly number[] }

const LETTER_PX = 6.5

/** Each title is above its group, and is cut off where the next group begins. */
const Titles = ({ groups, lefts, width }: TitlesProps) =>
  groups.map(({ id, title, count }, place) => {
    const left = lefts[place] ?? 0
    const spacePx = (lefts[place + 1] ?? width) - left
    const letters = Math.floor(spacePx / LETTER_PX) - count.length - 1
    if (letters < 2) return null
    const shown = title.length > letters ? `${title.slice(0, letters - 1)}…` : title
    return (
      <text key={id} x={left} y={TITLE_PX - 6}>
        {shown}
        <tspan className="node-map-name"> {count}</tspan>
      </text>
    )
  })

type CursorProps = { readonly place: readonly [number, number] | undefined; readonly cell: number }

const Cursor = ({ place, cell }: CursorProps) =>
  place === undefined ? null : (
    <rect
      className="node-map-cursor"
      x={place[0] - 1.5}
      y={place[1] - 1.5}
      width={cell * 0.82 + 3}
      height={cell * 0.82 + 3}
    />
  )
