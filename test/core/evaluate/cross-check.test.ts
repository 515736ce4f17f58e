import { describe, expect, it } from 'vitest'
import { crossCheck, NOTHING_SEEN, type CrossMemory, type Side } from '#evaluate/cross-check.ts'
import type { NodeLive, Reading } from '#fleet/live.ts'
import { METRICS } from '#metrics/metrics.ts'
import { episode, live, node, NOW_MS, reading, timeout, WALL_MS } from '#test/core/monitor/fleet.ts'
import { withAssessment } from '#test/support/evaluated.ts'

const INTERVAL_MS = 15_000
/** One interval, plus the lag allowed for a service. */
const EXPLAINED_MS = 25_000
const BASES = ['https://one.example', 'https://two.example'] as const

type Said = {
  readonly fields?: Readonly<Record<string, unknown>>
  readonly agoMs?: number
  /** How long ago its values last changed. */
  readonly sinceMs?: number
  readonly more?: Partial<NodeLive>
  readonly proof?: Reading['proof']
}

function side(
  place: 0 | 1,
  { fields = {}, agoMs = 0, sinceMs = 3_600_000, more = {}, proof }: Said = {},
  nowMs = NOW_MS,
): Side {
  const startedMs = nowMs - agoMs
  const since = { sinceMs: nowMs - sinceMs, sinceWallMs: WALL_MS - sinceMs, unseenMs: 0 }
  const one = node(
    0,
    {
      reading: reading(fields, {
        startedMs,
        startedWallMs: WALL_MS + startedMs - NOW_MS,
        ...(proof && { proof }),
      }),
      since: { status: since, stake: since, participation: since },
      ...more,
    },
    BASES[place],
  )
  return { node: withAssessment(one, live({}, BASES[place])), intervalMs: INTERVAL_MS }
}

const check = (first: Side, second: Side, before: CrossMemory = NOTHING_SEEN, nowMs = NOW_MS) => {
  const checked = crossCheck(first, second, before, METRICS, nowMs)
  if (checked === undefined) throw new Error('nothing current')
  return checked
}

describe('one node at two services', () => {
  it('agrees if both report the same, whenever they were polled', () => {
    expect(check(side(0), side(1, { agoMs: 14_000 }))).toMatchObject({ first: [], second: [] })
  })

  it.each<[string, Said, Said, boolean]>([
    ['both are old', { sinceMs: 60_000 }, { sinceMs: 90_000 }, true],
    ['one is just old enough', { sinceMs: EXPLAINED_MS }, { sinceMs: 90_000 }, true],
    ['one is 1 ms too young', { sinceMs: EXPLAINED_MS - 1 }, { sinceMs: 90_000 }, false],
    [
      'the other was last polled before that',
      { sinceMs: EXPLAINED_MS + 10_000 },
      { sinceMs: 90_000, agoMs: 10_001 },
      false,
    ],
    ['both changed just now', { sinceMs: 0 }, { sinceMs: 0 }, false],
  ])('a status differs beyond what a delay can explain: %s', (_what, first, second, differs) => {
    const { first: found } = check(
      side(0, { ...first, fields: { status: 'ACTIVE' } }),
      side(1, { ...second, fields: { status: 'DRAINING' } }),
    )
    expect(found.map(({ metric }) => metric)).toEqual(differs ? ['status'] : [])
  })

  it('gives each side its own value, the other’s and the start', () => {
    const one = side(0, { fields: { stake_deployed: 1_250_000 }, sinceMs: 60_000 })
    const other = side(1, { fields: { stake_deployed: 1_249_999 }, sinceMs: 90_000 })
    const found = {
      metric: 'stake',
      kind: 'differs',
      sinceMs: NOW_MS - 60_000,
      sinceWallMs: WALL_MS - 60_000,
    }
    const { first, second } = check(one, other)
    expect(first).toEqual([
      { ...found, own: '1250000', other: '1249999', with: other.node.key, isFirst: true },
    ])
    expect(second).toEqual([
      { ...found, own: '1249999', other: '1250000', with: one.node.key, isFirst: false },
    ])
  })

  it('differs after the slower interval of the two, and since the later change', () => {
    const found = (slow: 0 | 1, firstMs: number, secondMs: number) =>
      check(
        { ...side(0, { sinceMs: firstMs }), ...(slow === 0 && { intervalMs: 60_000 }) },
        {
          ...side(1, { sinceMs: secondMs, fields: { status: 'DRAINING' } }),
          ...(slow === 1 && { intervalMs: 60_000 }),
        },
      ).first.map(({ sinceMs }) => NOW_MS - sinceMs)
    for (const slow of [0, 1] as const) {
      expect(found(slow, 69_999, 90_000)).toEqual([])
      expect(found(slow, 90_000, 69_999)).toEqual([])
      expect(found(slow, 70_000, 90_000)).toEqual([70_000])
      expect(found(slow, 90_000, 70_000)).toEqual([70_000])
    }
  })

  it.each<[string, Said, Said]>([
    ['one of them has no value', { fields: { status: undefined } }, { fields: { status: 'DRAINING' } }],
    ['neither has a value', { fields: { status: undefined } }, { fields: { status: undefined } }],
    ['the start of one value is unknown', { more: { since: {} } }, { fields: { status: 'DRAINING' } }],
  ])('does not differ if %s', (_what, said, other) => {
    expect(check(side(0, said), side(1, other)).first).toEqual([])
    expect(check(side(0, other), side(1, said)).first).toEqual([])
  })

  it.each([
    [{ text: '0', value: 0 }, { text: '0.0', value: 0 }, false],
    [{ text: '1000000', value: 1_000_000 }, { text: '1000000.5', value: 1_000_000.5 }, false],
    [{ text: '1000000', value: 1_000_000 }, { text: '1000002', value: 1_000_002 }, true],
  ])('%o and %o differ: %s', (own, theirs, differs) => {
    const saying = (place: 0 | 1, shown: { readonly text: string; readonly value: number }): Side => {
      const { node: one, intervalMs } = side(place)
      const values = { ...one.assessment.values, participation: shown }
      return { node: { ...one, assessment: { ...one.assessment, values } }, intervalMs }
    }
    expect(check(saying(0, own), saying(1, theirs)).first).toHaveLength(differs ? 1 : 0)
  })

  it.each<[string, Said]>([
    ['fails', { more: { episode: episode(timeout) } }],
    ['has an old answer', { agoMs: 60_000 }],
    ['never answered', { more: { reading: undefined } }],
  ])('is not compared while one of them %s', (_what, said) => {
    expect(crossCheck(side(0), side(1, said), NOTHING_SEEN, METRICS, NOW_MS)).toBeUndefined()
    expect(crossCheck(side(0, said), side(1), NOTHING_SEEN, METRICS, NOW_MS)).toBeUndefined()
  })
})

describe('a counter at two services', () => {
  const counted = (place: 0 | 1, value: number, afterMs: number, more: Partial<NodeLive> = {}) =>
    side(place, { fields: { threat_responses_executed: value }, more }, NOW_MS + afterMs)
  /** The disagreements of the first side after several comparisons. */
  const after = (
    ...looks: readonly (readonly [first: number, second: number, afterMs: number, more?: Partial<NodeLive>])[]
  ) => {
    let memory = NOTHING_SEEN
    let found: unknown
    for (const [first, second, afterMs, more] of looks) {
      const checked = check(
        counted(0, first, afterMs),
        counted(1, second, afterMs, more),
        memory,
        NOW_MS + afterMs,
      )
      memory = checked.memory
      found = checked.first
    }
    return found
  }

  it('that one of them reports first is not a disagreement, however fast it grows', () => {
    const growing = Array.from(
      { length: 20 },
      (_, look) => [100 + 50 * look, 90 + 50 * look, 5_000 * look] as const,
    )
    expect(after(...growing)).toEqual([])
  })

  it('disagrees if one reports less than the other did long before', () => {
    expect(after([100, 80, 0], [101, 80, EXPLAINED_MS - 1])).toEqual([])
    expect(after([100, 80, 0], [101, 80, EXPLAINED_MS])).toMatchObject([
      { metric: 'threatResponses', kind: 'behind', own: '100', other: '80', sinceMs: NOW_MS },
    ])
    // The start stays the same while it lasts; it ends when the other has caught up.
    expect(after([100, 80, 0], [101, 80, 30_000], [140, 99, 300_000])).toMatchObject([{ sinceMs: NOW_MS }])
    expect(after([100, 80, 0], [101, 80, 30_000], [140, 100, 300_000])).toEqual([])
  })

  it('disagrees whichever of the two is behind', () => {
    expect(after([80, 100, 0], [80, 101, 30_000])).toMatchObject([{ own: '80', other: '100' }])
  })

  it('may be lower after a restart of the node', () => {
    const counters = {
      threatResponses: { increase: 0, unwatched: 0, restarts: 1, lastRestartWallMs: WALL_MS + 20_000 },
    }
    expect(after([100, 100, 0], [100, 2, 30_000, { counters }])).toEqual([])
    const justThen = {
      threatResponses: { increase: 0, unwatched: 0, restarts: 1, lastRestartWallMs: WALL_MS },
    }
    expect(after([100, 100, 0], [100, 2, 30_000, { counters: justThen }])).toEqual([])
    // After the restart, new values are compared.
    expect(after([100, 100, 0], [5, 2, 30_000, { counters }], [5, 2, 60_000])).toMatchObject([
      { own: '5', other: '2' },
    ])
  })

  it('is compared with a value from long before, however often both were polled since', () => {
    expect(after([100, 80, 0], [101, 80, 10_000], [102, 80, 30_000])).toMatchObject([
      { own: '100', other: '80', sinceMs: NOW_MS },
    ])
    expect(after([100, 100, 0], [110, 105, 30_000], [111, 105, 60_000])).toMatchObject([
      { own: '110', other: '105' },
    ])
  })

  it('may be lower after the clock of its service is set back', () => {
    const first = check(counted(0, 100, 0), counted(1, 100, 0))
    const [one, other] = [counted(0, 100, 30_000), counted(1, 2, 30_000)]
    const { reading: last } = other.node
    if (last === undefined) throw new Error('no answer')
    const back = { ...other, node: { ...other.node, reading: { ...last, clockSetBack: true as const } } }
    expect(check(one, other, first.memory, NOW_MS + 30_000).first).toHaveLength(1)
    expect(check(one, back, first.memory, NOW_MS + 30_000).first).toEqual([])
  })
})

const apart = (afterMs: number, memory: CrossMemory = NOTHING_SEEN) =>
  check(
    side(0, { proof: { kind: 'verified' } }, NOW_MS + afterMs),
    side(1, { proof: { kind: 'wrong', reason: 'mismatch' } }, NOW_MS + afterMs),
    memory,
    NOW_MS + afterMs,
  )

it('proofs at two services disagree if one stays verified and the other wrong, since the first comparison', () => {
  const { first, memory } = apart(0)
  expect(first).toEqual([])
  expect(apart(EXPLAINED_MS - 1, memory).first).toEqual([])
  expect(apart(EXPLAINED_MS, memory).first).toMatchObject([
    { metric: 'proof', kind: 'proof', own: 'verified', other: 'wrong', sinceMs: NOW_MS },
  ])
})
