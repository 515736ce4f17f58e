import { classNames } from '#ui/class-names.ts'
import type { ComparedItem, PlainRow, StripChartProps } from './chart-types.ts'

type Compared = StripChartProps['compared']

/** More lines than this are hard to tell apart. */
export const COMPARED_MAX = 6

/** Each item also has its own shape, because some readers cannot tell the colours apart. Paths in a 10 × 10 box. */
const MARKS = [
  'M5 1A4 4 0 1 1 5 9A4 4 0 1 1 5 1Z',
  'M1.5 1.5H8.5V8.5H1.5Z',
  'M5 .8L9.4 8.8H.6Z',
  'M5 0L10 5L5 10L0 5Z',
  'M3.5 .5H6.5V3.5H9.5V6.5H6.5V9.5H3.5V6.5H.5V3.5H3.5Z',
  'M.6 1.2H9.4L5 9.2Z',
] as const

export const placeOf = (compared: Compared, id: string): number =>
  Math.max(0, compared?.items.findIndex((item) => item.id === id) ?? 0)

export const lookOf = (place: number): string => `compared compared-${(place % COMPARED_MAX) + 1}`

const markOf = (place: number): string => MARKS[place % COMPARED_MAX] ?? ''

export const ItemMark = ({ place }: { readonly place: number }) => (
  <svg className={classNames('compared-mark', lookOf(place))} viewBox="0 0 26 10" aria-hidden>
    <path className="plot-line" d="M0 5H26" />
    <path className="compared-shape" d={markOf(place)} transform="translate(8 0)" />
  </svg>
)

export const PointMark = ({
  place,
  x,
  y,
}: {
  readonly place: number
  readonly x: number
  readonly y: number
}) => <path className="compared-shape" d={markOf(place)} transform={`translate(${x - 5} ${y - 5})`} />

/** A row reduced to one item, for reading out and for the table. */
export type ReadRow = {
  readonly row: PlainRow
  readonly slot: string
  /** Title without the item's name. */
  readonly title: string
  readonly item?: ComparedItem
}

/** Splits each row of compared lines into one row for each line. */
export function readRows({ rows, compared }: Pick<StripChartProps, 'rows' | 'compared'>): readonly ReadRow[] {
  const itemOf = (id: string | undefined) => compared?.items.find((item) => item.id === id)
  return rows.flatMap((row): readonly ReadRow[] => {
    if (row.kind === 'strip') return []
    if (row.kind !== 'lines') {
      const item = itemOf(row.of)
      return [{ row, slot: row.id, title: row.title, ...(item && { item }) }]
    }
    const { lines, kind: _, ...head } = row
    return lines.flatMap((line): readonly ReadRow[] => {
      const item = itemOf(line.of)
      if (item === undefined) return []
      return [{ row: { ...head, ...line, id: `${row.id} ${line.of}` }, slot: row.id, title: row.title, item }]
    })
  })
}
