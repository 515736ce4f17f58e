/** Where each cell of a mosaic lies: groups beside each other, each filled column by column. */
export type MosaicLayout = {
  /** Width and height of a cell with its gap, in the units of the box. */
  readonly cell: number
  /** Left upper corner of each cell, in the order of the groups. */
  readonly places: readonly (readonly [x: number, y: number])[]
}

/** Smaller ones are no longer seen. */
const CELL_MIN = 0.5

/** Cells between two groups. */
const GROUP_GAP = 1.5

/** The largest square cells with which groups of these sizes fit into a box; none larger than `cellMax`. */
export function mosaicLayout(
  sizes: readonly number[],
  { width, height, cellMax }: { readonly width: number; readonly height: number; readonly cellMax: number },
): MosaicLayout {
  const filled = sizes.filter((size) => size > 0)
  const size = (rows: number): number => Math.min(cellMax, height / rows)
  let rows = 1
  while (columnsFor(filled, rows) * size(rows) > width && size(rows) > CELL_MIN) rows++
  const cell = Math.min(size(rows), width / Math.max(1, columnsFor(filled, rows)))
  const places: (readonly [number, number])[] = []
  let left = 0
  for (const count of filled) {
    for (let place = 0; place < count; place++)
      places.push([left + Math.floor(place / rows) * cell, (place % rows) * cell])
    left += (Math.ceil(count / rows) + GROUP_GAP) * cell
  }
  return { cell, places }
}

const columnsFor = (sizes: readonly number[], rows: number): number =>
  sizes.reduce((sum, size) => sum + Math.ceil(size / rows), 0) + GROUP_GAP * Math.max(0, sizes.length - 1)
