import type { Sample } from '#history/history.ts'
import type { SeriesQuery } from '#charts/charts.ts'

export const answered = (atMs: number, given: Partial<Sample> = {}): Sample => ({
  node: 'n',
  atMs,
  latencyMs: 20,
  everyMs: 1_000,
  outcome: 'answered',
  ...given,
})

export const asked = (given: Partial<SeriesQuery> = {}): SeriesQuery => ({
  node: 'n',
  fromMs: 0,
  toMs: 100_000,
  columns: 100,
  barMs: 10_000,
  maxGapMs: 15_000,
  ...given,
})
