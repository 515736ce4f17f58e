import { classNames } from '#ui/class-names.ts'
import type { ComparedItem, PlainRow, StripChartProps } from './chart-types.ts'

type Compared = StripChartProps['compared']

/** No more than these can be told apart. */
export const COMPARED_MAX = 6

/** Each has a shape too: a colour alone is not seen by everybody. In a box of 10 by 10. */
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

/** The colour and the dash of a place. */
export const lookOf = (place: number): string => `compared compared-${(place % COMPARED_MAX) + 1}`

const markOf = (place: number): string => MARKS[place % COMPARED_MAX] ?? ''

/** How the one at this place is drawn: its line and its mark. Decoration beside its name. */
export const ItemMark = ({ place }: { readonly place: number }) => (
  <svg className={classNames('compared-mark', lookOf(place))} viewBox="0 0 26 10" aria-hidden>
    <path className="plot-line" d="M0 5H26" />
    <path className="compared-shape" d={markOf(place)} transform="translate(8 0)" />
  </svg>
)

/** The mark at a point of the drawing. */
export const PointMark = ({
  place,
  x,
  y,
}: {
  readonly place: number
  readonly x: number
  readonly y: number
}) => <path className="compared-shape" d={markOf(place)} transform={`translate(${x - 5} ${y - 5})`} />

/** A row as it is read out and listed: one value at a time, of one thing. */
export type ReadRow = {
  readonly row: PlainRow
  /** The row that it is drawn in. */
  readonly slot: string
  /** What the row is about, without whose it is. */
  readonly title: string
  /** Whose it is, where several are compared. */
  readonly item?: ComparedItem
}

/** Every row by itself: of those with a line of each, as many as it has lines. */
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
