import { memo } from 'react'
import type { Level } from './level.ts'

export type MosaicGroup = { readonly id: string; readonly cells: readonly (Level | undefined)[] }

type MosaicProps = {
  /** A cell's position is stable while the groups keep their members. Undefined level: within limits. */
  readonly groups: readonly MosaicGroup[]
  /** CSS pixels. */
  readonly width: number
  readonly height: number
  readonly cellMax: number
  /** Minimum size of a cell in alarm, which may overlap its neighbours. */
  readonly markMin: number
  /** Centres the mosaic in its box; otherwise it starts at the top left. */
  readonly isCentered: boolean
  readonly label: string
}

/** Every node as a square; each severity has its own shape. */
export const Mosaic = memo(function Mosaic({
  groups,
  width,
  height,
  cellMax,
  markMin,
  isCentered,
  label,
}: MosaicProps) {
  const cells = groups.flatMap((group) => group.cells)
  const layout = mosaicLayout(
    groups.map((group) => group.cells.length),
    { width, height, cellMax },
  )
  const { cell, used } = layout
  const [left, top] = isCentered ? [(width - used.width) / 2, (height - used.height) / 2] : [0, 0]
  return (
    <svg
      className="mosaic"
      viewBox={`${-left} ${-top} ${width} ${height}`}
      fontSize={cell}
      role="img"
      aria-label={label}
    >
      {mosaicPaths(cells, layout, markMin).map(([kind, path]) => (
        <path key={kind} className={`mosaic-${kind}`} d={path} />
      ))}
    </svg>
  )
})

/** One path for each kind, however many cells there are; the highest severity is drawn last. */
export function mosaicPaths(
  cells: readonly (Level | undefined)[],
  { cell, places }: Pick<MosaicLayout, 'cell' | 'places'>,
  markMin = 0,
): readonly (readonly [kind: Level | 'ok', path: string])[] {
  const inner = cell * 0.82
  const mark = Math.max(inner, markMin)
  const paths = new Map<Level | 'ok', string[]>(DRAWN.map((kind) => [kind, []]))
  for (const [place, level] of cells.entries()) {
    const [x, y] = places[place] ?? [0, 0]
    const kind = level ?? 'ok'
    const size = level === undefined ? inner : mark
    const out = (size - inner) / 2
    paths.get(kind)?.push(`M${round(x - out)} ${round(y - out)}${SHAPES[kind](size)}`)
  }
  return Array.from(paths)
    .filter(([, parts]) => parts.length > 0)
    .map(([kind, parts]) => [kind, parts.join('')])
}

const DRAWN = ['ok', 'none', 'info', 'warning', 'critical'] as const

const round = (value: number): string => value.toFixed(2)

const square = (size: number): string => `h${round(size)}v${round(size)}h${round(-size)}z`

/** Paths start at the top left corner of the cell. */
const SHAPES: Readonly<Record<Level | 'ok', (size: number) => string>> = {
  ok: square,
  critical: (size) => {
    const edge = size * 0.3
    const side = round(size - 2 * edge)
    const e = round(edge)
    return `m${e} 0h${side}l${e} ${e}v${side}l-${e} ${e}h-${side}l-${e} -${e}v-${side}z`
  },
  warning: (size) => `m${round(size / 2)} 0l${round(size / 2)} ${round(size)}h${round(-size)}z`,
  info: (size) =>
    `m${round(size / 2)} 0l${round(size / 2)} ${round(size / 2)}l${round(-size / 2)} ${round(size / 2)}l${round(-size / 2)} ${round(-size / 2)}z`,
  none: square,
}

/** Positions of all cells: groups side by side, each filled column by column. */
type MosaicLayout = {
  /** Size of a cell including its gap, in the units of the box. */
  readonly cell: number
  /** Top left corner of each cell, in the order of the groups. */
  readonly places: readonly (readonly [x: number, y: number])[]
  readonly rows: number
  readonly lefts: readonly number[]
  readonly used: { readonly width: number; readonly height: number }
}

/** Gap between two groups, in cells. */
const GROUP_GAP = 1.5

/** The layout with the largest square cells, up to `cellMax`, that fits groups of these sizes into the box. */
export function mosaicLayout(
  sizes: readonly number[],
  { width, height, cellMax }: { readonly width: number; readonly height: number; readonly cellMax: number },
): MosaicLayout {
  const filled = sizes.filter((size) => size > 0)
  const cellIn = (rows: number): number =>
    Math.min(cellMax, height / rows, width / Math.max(1, columnsFor(filled, rows)))
  // One more row may reduce the columns sharply, so every row count that the height allows is tried.
  let rows = 1
  for (let more = 2; more <= Math.max(1, ...filled) && height / more > cellIn(rows); more++)
    if (cellIn(more) > cellIn(rows)) rows = more
  const cell = cellIn(rows)
  const places: (readonly [number, number])[] = []
  const lefts: number[] = []
  let left = 0
  for (const count of filled) {
    lefts.push(left)
    for (let place = 0; place < count; place++)
      places.push([left + Math.floor(place / rows) * cell, (place % rows) * cell])
    left += (Math.ceil(count / rows) + GROUP_GAP) * cell
  }
  const used = {
    width: columnsFor(filled, rows) * cell,
    height: Math.min(rows, Math.max(0, ...filled)) * cell,
  }
  return { cell, places, rows, lefts, used }
}

const columnsFor = (sizes: readonly number[], rows: number): number =>
  sizes.reduce((sum, size) => sum + Math.ceil(size / rows), 0) + GROUP_GAP * Math.max(0, sizes.length - 1)
