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

/** Live until 100, late until 200, then stale. */
const assessment = {
  stages: [stage(-Infinity, 'live'), stage(100, 'late'), stage(200, 'stale')] as const,
  atReading: [],
  values: {},
}

describe('the last reading of a node', () => {
  it.each([
    ['live', true],
    ['late', true],
    ['stale', false],
    ['failing', false],
    ['never', false],
    ['paused', false],
  ] as const)('is current while its link is %s: %s', (link, is) => expect(isCurrent(link)).toBe(is))

  it.each([
    [-1_000, 'live'],
    [100, 'live'],
    [101, 'late'],
    [200, 'late'],
    [201, 'stale'],
    [9_000, 'stale'],
  ])('at %d is %s, because a stage excludes its start and includes that of the next', (nowMs, link) =>
    expect(stageAt(assessment, nowMs).link).toBe(link),
  )

  it('is current until it is stale', () => {
    expect(isCurrentAt({ assessment }, 200)).toBe(true)
    expect(isCurrentAt({ assessment }, 201)).toBe(false)
  })
})

describe('an overdue reading', () => {
  const node = { assessment, reading: undefined, episode: undefined, answered: 0, nextPollMs: undefined }

  it('is never a current one', () =>
    expect(isOverdue({ ...node, reading: {}, answered: 1, episode: {} }, 10, 200)).toBe(false))

  it('is one from this session that is no longer current', () =>
    expect(isOverdue({ ...node, reading: {}, answered: 1 }, 10, 201)).toBe(true))

  it('is that of a node whose polls fail', () =>
    expect(isOverdue({ ...node, episode: {} }, 10, 201)).toBe(true))

  it.each([
    ['with a reading from before a reload', { ...node, reading: {}, nextPollMs: 1_000 }],
    ['with answers but no reading', { ...node, answered: 1, nextPollMs: 1_000 }],
    ['that never answered', { ...node, nextPollMs: 1_000 }],
  ])('of a node %s is overdue 2.5 intervals after its poll was due', (_name, given) => {
    expect(isOverdue(given, 10, 1_025)).toBe(false)
    expect(isOverdue(given, 10, 1_026)).toBe(true)
  })

  it('is never that of a node without a planned poll', () => expect(isOverdue(node, 10, 9_000)).toBe(false))
})

it.each([
  [['info', 'unknown', 'ok', 'warning', 'critical'], 'critical'],
  [['unknown', 'info', 'ok', 'warning'], 'warning'],
  [['unknown', 'ok', 'info'], 'info'],
  [['ok', 'unknown'], 'unknown'],
] as const)('the worst check of %s is the %s one', (states, worst) => {
  const checks = states.map((state) => check(state, state))
  expect(worstCheck(stage(0, 'live', checks))?.id).toBe(worst)
})
