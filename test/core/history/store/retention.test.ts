import { describe, expect, it } from 'vitest'
import {
  budgetOf,
  byAge,
  removals,
  RETENTION_DEFAULTS,
  type RetentionSettings,
} from '#history/store/retention.ts'
import { segmentFromMs, segmentToMs, type SegmentId } from '#history/tiers.ts'

const DAY_MS = 86_400_000
const samples = (index: number): SegmentId => ({ kind: 'samples', index })
const minute = (index: number): SegmentId => ({ kind: 'minute', index })
const coarse = (index: number): SegmentId => ({ kind: 'coarse', index })

/** Samples of a week, rollups of four: the fourth week's samples end with the first four weeks' rollups. */
const WEEK = 3
const FOUR_WEEKS = 0

const settings = (given: Partial<RetentionSettings> = {}): RetentionSettings => ({
  samplesDays: 30,
  rollupsDays: 730,
  budgetBytes: 1e9,
  ...given,
})
const sized = (ids: readonly SegmentId[], bytes = 100) => ids.map((id) => ({ id, bytes }))
const aged = (ids: readonly SegmentId[]) => ids.map((id) => ({ id, reason: 'age' }))
const overBudget = (ids: readonly SegmentId[]) => ids.map((id) => ({ id, reason: 'budget' }))

it('samples are kept for 30 days, rollups for two years, and all of it in a gigabyte, unless told otherwise', () => {
  expect(RETENTION_DEFAULTS).toEqual({ samplesDays: 30, rollupsDays: 730, budgetBytes: 1e9 })
})

describe('the room that history may take', () => {
  it.each<[string, number | undefined, number]>([
    ['all of the budget where the browser does not say what it grants', undefined, 1_000],
    ['half of what the browser grants', 600, 300],
    ['no more than the budget, however much the browser grants', 10_000, 1_000],
    ['nothing where the browser grants nothing', 0, 0],
  ])('is %s', (_what, quotaBytes, bytes) => {
    expect(budgetOf(settings({ budgetBytes: 1_000 }), quotaBytes)).toBe(bytes)
  })
})

describe('the age of segments', () => {
  it('is that of their ends; of those that end together samples are first, then minutes, then the rest', () => {
    const ids = [coarse(1), coarse(FOUR_WEEKS), minute(FOUR_WEEKS), samples(WEEK), samples(2), samples(4)]
    expect(ids.toSorted(byAge)).toEqual([
      samples(2),
      samples(WEEK),
      minute(FOUR_WEEKS),
      coarse(FOUR_WEEKS),
      samples(4),
      coarse(1),
    ])
  })
})

describe('what is too old', () => {
  it.each([
    [samples(WEEK), 10],
    [minute(FOUR_WEEKS), 20],
    [coarse(FOUR_WEEKS), 20],
  ])('goes once its end is so many days ago: %j, %i', (id, days) => {
    const kept = settings({ samplesDays: 10, rollupsDays: 20 })
    const goneMs = segmentToMs(id) + days * DAY_MS
    expect(removals(sized([id]), kept, 1e9, goneMs - 1)).toEqual([])
    expect(removals(sized([id]), kept, 1e9, goneMs)).toEqual(aged([id]))
  })

  it('goes with the oldest first, and does not count towards the budget', () => {
    const old = [coarse(FOUR_WEEKS), samples(WEEK), minute(FOUR_WEEKS), samples(1)]
    const young = samples(100)
    const nowMs = segmentToMs(young) + DAY_MS
    const kept = settings({ rollupsDays: 30 })
    expect(removals(sized([...old, young]), kept, 100, nowMs)).toEqual(
      aged([samples(1), samples(WEEK), minute(FOUR_WEEKS), coarse(FOUR_WEEKS)]),
    )
  })
})

describe('what is too much', () => {
  const ids = [samples(12), samples(10), samples(11)]
  const nowMs = segmentToMs(samples(12))

  it.each([
    [300, []],
    [299, [samples(10)]],
    [200, [samples(10)]],
    [199, [samples(10), samples(11)]],
    [0, [samples(10), samples(11), samples(12)]],
  ])('goes, the oldest first, until the rest takes %i bytes or less', (budgetBytes, gone) => {
    expect(removals(sized(ids), settings(), budgetBytes, nowMs)).toEqual(overBudget(gone))
  })

  it('goes after what is too old', () => {
    expect(removals(sized([...ids, samples(1)]), settings(), 200, nowMs)).toEqual([
      ...aged([samples(1)]),
      ...overBudget([samples(10)]),
    ])
  })

  it('is never what is being written to, from its first moment to its last', () => {
    const current = samples(12)
    for (const atMs of [segmentFromMs(current), segmentToMs(current) - 1])
      expect(removals(sized([current]), settings(), 0, atMs)).toEqual([])
    expect(removals(sized([current]), settings(), 0, segmentToMs(current))).toEqual(overBudget([current]))
  })

  it('may be what a clock that was wrong wrote into the future', () => {
    const later = samples(13)
    expect(removals(sized([later]), settings(), 0, segmentFromMs(later) - 1)).toEqual(overBudget([later]))
    expect(removals(sized([later]), settings(), 100, segmentFromMs(later) - 1)).toEqual([])
  })
})
