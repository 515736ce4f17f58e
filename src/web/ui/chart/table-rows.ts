import { chartable } from './chartable.ts'
import type { ChartRow, StripChartProps } from './chart-types.ts'
import { textAt } from './value-at.ts'

export type TableRow = {
  readonly atMs: number
  /** By row id; a row without a point at that very moment is absent. */
  readonly values: Readonly<Record<string, string>>
  readonly state: string
}

/** A reader does not go through more; the drawing is reduced to about this many anyway. */
const ROWS_MAX = 20_000

type Draft = { values: Record<string, string>; states: string[] }

type Charted = Pick<StripChartProps, 'fromMs' | 'toMs' | 'rows' | 'spans' | 'marks'>

/** One line of the table for each moment at which a row has a point, a stretch begins or something happened; newest first. */
export function tableRows({ fromMs, toMs, rows, spans, marks = [] }: Charted): readonly TableRow[] {
  const drafts = new Map<number, Draft>()
  const at = (atMs: number): Draft | undefined => {
    if (!(atMs >= fromMs && atMs <= toMs)) return undefined
    const known = drafts.get(atMs)
    if (known !== undefined || drafts.size >= ROWS_MAX) return known
    const draft: Draft = { values: {}, states: [] }
    drafts.set(atMs, draft)
    return draft
  }
  for (const row of rows) {
    for (const [atMs, text] of rowTexts(row)) {
      const draft = at(atMs)
      if (draft !== undefined) draft.values[row.id] = text
    }
  }
  for (const span of spans)
    if (span.kind !== 'answered') at(Math.max(fromMs, span.fromMs))?.states.push(span.label)
  for (const mark of marks) at(mark.atMs)?.states.push(mark.label)
  return Array.from(drafts, ([atMs, draft]) => ({
    atMs,
    values: draft.values,
    state: draft.states.join('; '),
  })).toSorted((a, b) => b.atMs - a.atMs)
}

function rowTexts(row: ChartRow): readonly (readonly [atMs: number, text: string])[] {
  if (row.kind === 'ticks') return Array.from(row.atMs, (atMs) => [atMs, row.format(atMs)] as const)
  if (row.kind === 'band' || row.kind === 'steps')
    return Array.from(row.points.atMs, (atMs) => [atMs, textAt(row, atMs, 0)] as const).flatMap(
      ([atMs, text]) => (text === undefined ? [] : [[atMs, text] as const]),
    )
  const pairs =
    row.kind === 'bars'
      ? row.bars.map((bar) => [bar.fromMs, bar.value] as const)
      : Array.from(row.points.atMs, (atMs, i) => [atMs, row.points.value[i] ?? Number.NaN] as const)
  return pairs
    .filter(([, value]) => !Number.isNaN(chartable(value)))
    .map(([atMs, value]) => [atMs, row.format(value)] as const)
}
