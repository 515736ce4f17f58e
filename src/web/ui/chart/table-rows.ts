import { chartable } from './chartable.ts'
import type { ComparedItem, PlainRow, StripChartProps } from './chart-types.ts'
import { readRows } from './compared.tsx'
import { textAt } from './value-at.ts'

export type TableRow = {
  readonly atMs: number
  readonly item?: ComparedItem
  /** Keyed by row id, or by title for compared items. A row without a point at exactly this time is absent. */
  readonly values: Readonly<Record<string, string>>
  readonly state: string
}

/** Nobody reads a longer table, and the drawing is reduced to about as many points. */
const ROWS_MAX = 20_000

type Draft = {
  readonly atMs: number
  readonly item: ComparedItem | undefined
  values: Record<string, string>
  states: string[]
}

type Charted = Pick<StripChartProps, 'fromMs' | 'toMs' | 'rows' | 'spans' | 'marks' | 'compared'>

/** One table row for each moment with a point, the start of a gap or a mark; newest first. */
export function tableRows(charted: Charted): readonly TableRow[] {
  const { fromMs, toMs, spans, marks = [], compared } = charted
  const drafts = new Map<string, Draft>()
  const at = (atMs: number, item?: ComparedItem): Draft | undefined => {
    if (!(atMs >= fromMs && atMs <= toMs)) return undefined
    const id = `${atMs} ${item?.id ?? ''}`
    const known = drafts.get(id)
    if (known !== undefined || drafts.size >= ROWS_MAX) return known
    const draft: Draft = { atMs, item, values: {}, states: [] }
    drafts.set(id, draft)
    return draft
  }
  for (const { row, slot, title, item } of readRows(charted)) {
    for (const [atMs, text] of rowTexts(row)) {
      const draft = at(atMs, item)
      if (draft !== undefined) draft.values[item === undefined ? slot : title] = text
    }
  }
  const gaps = [
    { spans, item: undefined },
    ...(compared?.items.map((item) => ({ spans: item.spans, item })) ?? []),
  ]
  for (const { spans: its, item } of gaps)
    for (const span of its)
      if (span.kind !== 'answered') at(Math.max(fromMs, span.fromMs), item)?.states.push(span.label)
  for (const mark of marks) at(mark.atMs)?.states.push(mark.label)
  return Array.from(drafts.values(), ({ atMs, item, values, states }) => ({
    atMs,
    ...(item && { item }),
    values,
    state: states.join('; '),
  })).toSorted((a, b) => b.atMs - a.atMs)
}

function rowTexts(row: PlainRow): readonly (readonly [atMs: number, text: string])[] {
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
