import type { ChartRow, StripChartProps, TickRow } from './chart-types.ts'
import { HEALTH_SLOT } from './slots.ts'
import { nearestMoment, neighbour, spanAt, textAt } from './value-at.ts'

/**
 * The moment that is meant by pointing: the nearest answer of the same unbroken stretch, since
 * between two answers nothing is known exactly; in a gap the pointed time itself.
 */
export function momentAt(props: StripChartProps, pointedMs: number, reachMs: number): number {
  const { spans } = props
  const moment = nearestMoment(stopsOf(props), pointedMs)
  if (moment === undefined) return pointedMs
  const span = spanAt(spans, pointedMs)
  const isSame = span?.kind === 'answered' && spanAt(spans, moment) === span
  return isSame || Math.abs(moment - pointedMs) <= reachMs ? moment : pointedMs
}

export type ReadValue = { readonly id: string; readonly title: string; readonly text: string }

/** What each row shows at a time; where nothing is known, why. */
export function readValues(props: StripChartProps, atMs: number, reachMs: number): readonly ReadValue[] {
  const { rows, spans, texts } = props
  const marks = marksRow(props)
  const happened = textAt(marks, atMs, reachMs)
  const span = spanAt(spans, atMs)
  const isKnown = span === undefined || span.kind === 'answered'
  const values = rows.flatMap((row) => {
    const text = isKnown ? textAt(row, atMs, reachMs) : span.label
    // A moment without a tick is no lack of knowledge: nothing happened there.
    if (text === undefined && row.kind === 'ticks') return []
    return { id: row.id, title: row.title, text: text ?? texts.noValue }
  })
  // What happened is known also where no row has a value.
  return happened === undefined ? values : [...values, { id: marks.id, title: '', text: happened }]
}

/** What happened, as moments that the crosshair stops at like at any other. */
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

/** Every row the crosshair stops in. */
export const stopsOf = (props: StripChartProps): readonly ChartRow[] => [...props.rows, marksRow(props)]

/** Where a key leads; undefined for keys that are not the crosshair's. */
export function moveBy(
  key: string,
  rows: readonly ChartRow[],
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
