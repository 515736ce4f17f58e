import { chartable } from './chartable.ts'
import type { ChartLane, StripChartProps } from './chart-types.ts'
import { textAt } from './value-at.ts'

export type ChartRow = {
  readonly atMs: number
  /** By lane id; a lane without a point at that very moment is absent. */
  readonly values: Readonly<Record<string, string>>
  readonly state: string
}

/** A reader does not go through more; the drawing is reduced to about this many anyway. */
const ROWS_MAX = 20_000

type Draft = { values: Record<string, string>; states: string[] }

type Told = Pick<StripChartProps, 'fromMs' | 'toMs' | 'lanes' | 'spans' | 'marks'>

/** One row for each moment at which a lane has a point, a stretch begins or something happened; newest first. */
export function tableRows({ fromMs, toMs, lanes, spans, marks = [] }: Told): readonly ChartRow[] {
  const drafts = new Map<number, Draft>()
  const at = (atMs: number): Draft | undefined => {
    if (!(atMs >= fromMs && atMs <= toMs)) return undefined
    const known = drafts.get(atMs)
    if (known !== undefined || drafts.size >= ROWS_MAX) return known
    const draft: Draft = { values: {}, states: [] }
    drafts.set(atMs, draft)
    return draft
  }
  for (const lane of lanes) {
    for (const [atMs, text] of laneTexts(lane)) {
      const draft = at(atMs)
      if (draft !== undefined) draft.values[lane.id] = text
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

function laneTexts(lane: ChartLane): readonly (readonly [atMs: number, text: string])[] {
  if (lane.kind === 'ticks') return Array.from(lane.atMs, (atMs) => [atMs, lane.format(atMs)] as const)
  if (lane.kind === 'band' || lane.kind === 'steps')
    return Array.from(lane.points.atMs, (atMs) => [atMs, textAt(lane, atMs, 0)] as const).flatMap(
      ([atMs, text]) => (text === undefined ? [] : [[atMs, text] as const]),
    )
  const pairs =
    lane.kind === 'bars'
      ? lane.bars.map((bar) => [bar.fromMs, bar.value] as const)
      : Array.from(lane.points.atMs, (atMs, i) => [atMs, lane.points.value[i] ?? Number.NaN] as const)
  return pairs
    .filter(([, value]) => !Number.isNaN(chartable(value)))
    .map(([atMs, value]) => [atMs, lane.format(value)] as const)
}
