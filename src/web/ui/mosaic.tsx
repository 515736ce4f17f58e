import { memo } from 'react'
import type { Level } from './level.ts'
import { mosaicLayout } from './mosaic-layout.ts'

export type MosaicGroup = { readonly id: string; readonly cells: readonly (Level | undefined)[] }

type MosaicProps = {
  /** A cell keeps its place while the groups keep their members. Undefined: within limits. */
  readonly groups: readonly MosaicGroup[]
  /** The box, in any unit: it is drawn as wide as there is room. */
  readonly width: number
  readonly height: number
  readonly cellMax: number
  readonly label: string
}

/** Every node as a square; what is not as it should be is told by a shape of its own. */
export const Mosaic = memo(function Mosaic({ groups, width, height, cellMax, label }: MosaicProps) {
  const cells = groups.flatMap((group) => group.cells)
  const { cell, places } = mosaicLayout(
    groups.map((group) => group.cells.length),
    { width, height, cellMax },
  )
  const inner = cell * 0.82
  const paths = new Map<Level | 'ok', string[]>()
  for (const [place, level] of cells.entries()) {
    const [x, y] = places[place] ?? [0, 0]
    const kind = level ?? 'ok'
    const parts = paths.get(kind)
    const part = `M${round(x)} ${round(y)}${SHAPES[kind](inner)}`
    if (parts === undefined) paths.set(kind, [part])
    else parts.push(part)
  }
  return (
    <svg className="mosaic" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {Array.from(paths, ([kind, parts]) => (
        <path key={kind} className={`mo-${kind}`} d={parts.join('')} />
      ))}
    </svg>
  )
})

const round = (value: number): string => value.toFixed(2)

const square = (size: number): string => `h${round(size)}v${round(size)}h${round(-size)}z`

/** From the left upper corner of the cell. */
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
