import { describe, expect, it } from 'vitest'
import {
  isCurrent,
  isCurrentAt,
  isOverdue,
  stageAt,
  worstCheck,
  type Check,
  type Link,
  type Stage,
} from '#fleet/assessment.ts'

const stage = (afterMs: number, link: Link, checks: readonly Check[] = []): Stage => ({
  afterMs,
  link,
  severity: 'ok',
  checks,
})
const check = (id: string, state: Check['state']): Check => ({ id, state, reason: 'not-known' })

/** Live, from 100 late, from 200 stale. */
const assessment = {
  stages: [stage(-Infinity, 'live'), stage(100, 'late'), stage(200, 'stale')] as const,
  atReading: [],
  values: {},
}

describe('what a node said last', () => {
  it.each([
    ['live', true],
    ['late', true],
    ['stale', false],
    ['failing', false],
    ['never', false],
    ['paused', false],
  ] as const)('is shown as what holds now while its link is %s: %s', (link, is) =>
    expect(isCurrent(link)).toBe(is),
  )

  it.each([
    [-1_000, 'live'],
    [100, 'live'],
    [101, 'late'],
    [200, 'late'],
    [201, 'stale'],
    [9_000, 'stale'],
  ])('at %d is %s: a stage holds later than its beginning, up to and with the next', (nowMs, link) =>
    expect(stageAt(assessment, nowMs).link).toBe(link),
  )

  it('holds until the reading is too old, and not beyond', () => {
    expect(isCurrentAt({ assessment }, 200)).toBe(true)
    expect(isCurrentAt({ assessment }, 201)).toBe(false)
  })
})

describe('an overdue reading', () => {
  const node = { assessment, reading: undefined, episode: undefined, answered: 0, nextPollMs: undefined }

  it('is never one that holds', () =>
    expect(isOverdue({ ...node, reading: {}, answered: 1, episode: {} }, 10, 200)).toBe(false))

  it('is one that was heard here and holds no more', () =>
    expect(isOverdue({ ...node, reading: {}, answered: 1 }, 10, 201)).toBe(true))

  it('is that of a node whose polls fail', () =>
    expect(isOverdue({ ...node, episode: {} }, 10, 201)).toBe(true))

  it.each([
    ['from before a reload', { ...node, reading: {}, nextPollMs: 1_000 }],
    ['counted, but without a reading', { ...node, answered: 1, nextPollMs: 1_000 }],
    ['never heard', { ...node, nextPollMs: 1_000 }],
  ])('of a node %s is waited for two and a half intervals after its poll was due', (_name, given) => {
    expect(isOverdue(given, 10, 1_025)).toBe(false)
    expect(isOverdue(given, 10, 1_026)).toBe(true)
  })

  it('is not that of a node for which no poll is planned', () =>
    expect(isOverdue(node, 10, 9_000)).toBe(false))
})

describe('the check that says most', () => {
  it.each([
    [['info', 'unknown', 'ok', 'warning', 'critical'], 'critical'],
    [['unknown', 'info', 'ok', 'warning'], 'warning'],
    [['unknown', 'ok', 'info'], 'info'],
    [['ok', 'unknown'], 'unknown'],
  ] as const)('of %s is the %s one', (states, worst) => {
    const checks = states.map((state) => check(state, state))
    expect(worstCheck(stage(0, 'live', checks))?.id).toBe(worst)
  })
})
