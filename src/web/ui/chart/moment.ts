import type { ChartSpan, ComparedItem, PlainRow, StripChartProps, TickRow } from './chart-types.ts'
import { placeOf, readRows, type ReadRow } from './compared.tsx'
import { HEALTH_SLOT } from './slots.ts'
import { nearestMoment, neighbour, spanAt, textAt } from './value-at.ts'

/**
 * Snaps the pointed time to the nearest answer of the same span, because nothing is known between two answers. In a gap,
 * returns the pointed time.
 */
export function momentAt(props: StripChartProps, pointedMs: number, reachMs: number): number {
  const { spans } = props
  const moment = nearestMoment(stopsOf(props), pointedMs)
  if (moment === undefined) return pointedMs
  const span = spanAt(spans, pointedMs)
  const isSame = span?.kind === 'answered' && spanAt(spans, moment) === span
  return isSame || Math.abs(moment - pointedMs) <= reachMs ? moment : pointedMs
}

export type ReadValue = {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly slot: string
  readonly place?: number
}

export function readValues(props: StripChartProps, atMs: number, reachMs: number): readonly ReadValue[] {
  const { spans, texts, compared } = props
  const marks = marksRow(props)
  const happened = textAt(marks, atMs, reachMs)
  const values = readRows(props).flatMap((each) => {
    const { row, item, slot, title } = each
    const span = spanAt(item?.spans ?? spans, atMs)
    const isKnown = span === undefined || span.kind === 'answered'
    const text = isKnown
      ? textAt(row, atMs, reachOf(each, atMs, reachMs))
      : (heldText(each, span, atMs) ?? gapText(row, atMs) ?? span.label)
    // No tick at this moment means that nothing happened, not that the value is unknown.
    if ((text === undefined || !isKnown) && row.kind === 'ticks' && (isKnown || item !== undefined)) return []
    return {
      id: row.id,
      title: item === undefined ? title : `${title}, ${item.title}`,
      text: text ?? texts.noValue,
      slot,
      ...(item && { place: placeOf(compared, item.id) }),
    }
  })
  // Marks are shown even if no row has a value.
  return happened === undefined
    ? values
    : [...values, { id: marks.id, title: '', text: happened, slot: marks.id }]
}

/**
 * Compared items are polled at different times. Within one answered span, the reach extends to the last answer while its value
 * still counts as current.
 */
function reachOf({ row, item }: ReadRow, atMs: number, reachMs: number): number {
  const span = item && spanAt(item.spans, atMs)
  const moment = item && nearestMoment([row], atMs)
  if (row.kind === 'ticks' || span?.kind !== 'answered' || moment === undefined) return reachMs
  return isHeld(item, moment, atMs) && moment >= span.fromMs && moment <= span.toMs
    ? Math.max(reachMs, Math.abs(moment - atMs))
    : reachMs
}

const gapText = (row: PlainRow, atMs: number): string | undefined =>
  row.kind === 'bars'
    ? row.gaps?.find(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs)?.label
    : undefined

/** The last value, shown until the next answer is due. A failed poll takes effect at once. */
function heldText({ row, item }: ReadRow, span: ChartSpan, atMs: number): string | undefined {
  const moment = neighbour([row], atMs + 1, -1)
  const isLast = span.kind === 'not-watched' && moment !== undefined && isHeld(item, moment, atMs)
  return isLast && row.kind !== 'ticks' ? textAt(row, moment, 0) : undefined
}

const isHeld = (item: ComparedItem | undefined, momentMs: number, atMs: number): boolean =>
  item !== undefined && Math.abs(momentMs - atMs) <= item.holdsMs

/** Marks as a tick row, so that the crosshair stops at them. */
function marksRow({ marks = [] }: Pick<StripChartProps, 'marks'>): TickRow {
  const inOrder = marks.toSorted((a, b) => a.atMs - b.atMs)
  return {
    id: HEALTH_SLOT,
    title: '',
    value: [],
    kind: 'ticks',
    atMs: Float64Array.from(inOrder, (mark) => mark.atMs),
    format: (atMs) =>
      inOrder
        .filter((mark) => mark.atMs === atMs)
        .map((mark) => mark.label)
        .join('; '),
  }
}

export const stopsOf = (props: StripChartProps): readonly PlainRow[] => [
  ...readRows(props).map(({ row }) => row),
  marksRow(props),
]

/** The target of a key; undefined for keys that the crosshair does not use. */
export function moveBy(
  key: string,
  rows: readonly PlainRow[],
  atMs: number | undefined,
  [fromMs, toMs]: readonly [number, number],
): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return neighbour(rows, atMs ?? toMs + 1, -1) ?? fromMs
    case 'ArrowRight':
    case 'ArrowUp':
      return neighbour(rows, atMs ?? toMs, 1) ?? toMs
    case 'Home':
      return neighbour(rows, fromMs - 1, 1) ?? fromMs
    case 'End':
      return neighbour(rows, toMs + 1, -1) ?? toMs
    default:
      return undefined
  }
}
