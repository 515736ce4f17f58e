import { describe, expect, it } from 'vitest'
import {
  comparedOf,
  deriveEvents as derive,
  NOTHING_KNOWN,
  type LastValues,
} from '#history/store/derive-events.ts'
import { DAY_MS, HOUR_MS } from '#base/time.ts'
import type { KeptEntry } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import { mergedLast as lastIn } from '#history/store/last-values.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'
import { seriesOf } from '#test/core/history/samples.ts'

const sample = (given: Partial<Sample> = {}): Sample => ({
  node: 's!1',
  atMs: 1_000,
  latencyMs: 20,
  outcome: 'answered',
  ...given,
})

const compared = () => comparedOf(METRICS)
const deriveEvents = (before: LastValues, given: Sample) => derive(before, given, compared())
const mergedLast = (series: Parameters<typeof lastIn>[1], before = NOTHING_KNOWN) =>
  lastIn(before, series, compared())

const kept = (
  values: LastValues['values'] = {},
  more: Partial<Omit<LastValues, 'values'>> = {},
): LastValues => ({ ...NOTHING_KNOWN, values, ...more })

it('the compared metrics exclude metrics that change with time or with each answer, and measured ones', () => {
  expect(compared().map(({ id }) => id)).toEqual(['status', 'stake', 'threatResponses', 'proof'])
})

describe('a sample compared with the last values of its node', () => {
  it('creates no entries without last values', () => {
    const { entries, after } = deriveEvents(
      NOTHING_KNOWN,
      sample({ status: 'ACTIVE', stake: 5, threatResponses: 7, threatResponsesIncrease: 0, proof: 'p' }),
    )
    expect(entries).toEqual([])
    expect(after).toEqual(kept({ status: 'ACTIVE', stake: '5', threatResponses: '7', proof: 'p' }))
  })

  const inRecord = (what: string, facts: object) => ({ area: 'record', what, facts })
  const ofService = (what: string, facts: object) => ({ area: 'service', what, facts })
  it.each<[string, LastValues, Partial<Sample>, readonly object[]]>([
    ['equal values', kept({ status: 'ACTIVE', stake: '5' }), { status: 'ACTIVE', stake: 5 }, []],
    [
      'a counter that fell with its service’s clock',
      kept({ threatResponses: '500' }),
      { threatResponses: 400, more: { clockSetBack: true } },
      [],
    ],
    ['unusable fields', kept({ status: 'ACTIVE', stake: '5' }), {}, []],
    [
      'another status',
      kept({ status: 'ACTIVE' }),
      { status: 'IDLE', serviceMs: 990 },
      [{ area: 'record', what: 'status-changed', serviceMs: 990, facts: { from: 'ACTIVE', to: 'IDLE' } }],
    ],
    [
      'another stake, to the last digit',
      kept({ stake: '9007199254740993' }),
      { stake: 2 ** 53, stakeExact: '9007199254740992.5' },
      [inRecord('stake-changed', { from: '9007199254740993', to: '9007199254740992.5' })],
    ],
    [
      'a counter that restarted',
      kept({ threatResponses: '9' }),
      { threatResponses: 4, threatResponsesIncrease: 0, threatResponsesRestarted: false },
      [inRecord('counter-restarted', { metric: 'threatResponses', from: '9', to: '4' })],
    ],
    [
      'an answer of another default node',
      kept({ status: 'ACTIVE', threatResponses: '9' }),
      { status: 'IDLE', threatResponses: 4, more: { otherNode: { from: '0x1', to: '0x2' } } },
      [ofService('default-node-changed', { from: '0x1', to: '0x2' })],
    ],
    [
      'a failure',
      kept(),
      { outcome: 'server-error', more: { failure: { status: 503, code: 'service/503' } } },
      [ofService('failure-began', { kind: 'server-error', status: 503, code: 'service/503' })],
    ],
    [
      'the same failure',
      kept({}, { failing: { kind: 'timeout', sinceMs: 1, misses: 1 } }),
      { outcome: 'timeout' },
      [],
    ],
    [
      'another failure',
      kept({}, { failing: { kind: 'timeout', sinceMs: 1, misses: 1 } }),
      { outcome: 'unreachable' },
      [ofService('failure-changed', { kind: 'unreachable', code: 'net/unreachable', from: 'timeout' })],
    ],
    [
      'the end of a failure',
      kept({}, { failing: { kind: 'timeout', sinceMs: 700, misses: 3 } }),
      {},
      [ofService('failure-ended', { kind: 'timeout', code: 'net/timeout', sinceMs: 700, misses: 3 })],
    ],
    [
      'the end of a failure of another session',
      kept({}, { failing: { kind: 'timeout', sinceMs: undefined, misses: 0 } }),
      {},
      [ofService('failure-ended', { kind: 'timeout', code: 'net/timeout' })],
    ],
    [
      'a wrong proof',
      kept(),
      { more: { proof: 'mismatch' } },
      [inRecord('proof-wrong', { reason: 'mismatch' })],
    ],
    ['a proof that is still wrong', kept({}, { proofWrong: true }), { more: { proof: 'weak' } }, []],
    ['a proof that was not checked', kept({}, { proofWrong: true }), {}, []],
    [
      'a proof that is valid again',
      kept({}, { proofWrong: true }),
      { more: { proof: 'verified' } },
      [inRecord('proof-right', { reason: 'verified' })],
    ],
  ])('creates the entries of %s', (_what, before, given, entries) => {
    expect(deriveEvents(before, sample(given)).entries).toEqual(
      entries.map((entry) => ({ wallMs: 1_000, nodeKey: 's!1', ...entry })),
    )
  })

  it('counts from the last values of another session', () => {
    const before = kept({ threatResponses: '9007199254740993', proof: 'a' })
    const given = {
      threatResponses: 2 ** 53 + 8,
      threatResponsesExact: '9007199254741000',
      threatResponsesIncrease: 0,
      proof: 'b',
    }
    expect(deriveEvents(before, sample(given)).sample).toMatchObject({
      threatResponsesIncrease: 7,
      threatResponsesRestarted: false,
      proofChanged: true,
    })
    expect(
      deriveEvents(kept({ proof: 'b' }), sample({ proof: 'b', proofChanged: false })).sample,
    ).toMatchObject({
      proofChanged: false,
    })
    expect(
      deriveEvents(kept(), sample({ threatResponses: 5, threatResponsesIncrease: 3 })).sample,
    ).toMatchObject({ threatResponsesIncrease: 3 })
  })

  it('keeps the last values of the fields that it lacks', () => {
    const before = kept({ status: 'ACTIVE', stake: '5', threatResponses: '7', proof: 'p' })
    expect(deriveEvents(before, sample({ status: 'IDLE' })).after).toEqual(
      kept({ ...before.values, status: 'IDLE' }),
    )
    expect(deriveEvents(before, sample()).after).toEqual(before)
    const endless = deriveEvents(before, sample({ stake: Number.POSITIVE_INFINITY }))
    expect([endless.after, endless.entries]).toEqual([before, []])
  })

  it('gains no members without a counter and a fingerprint', () => {
    const before = kept({ status: 'ACTIVE', stake: '5' })
    const given = sample({ status: 'IDLE', stake: 6 })
    expect(deriveEvents(before, given).sample).toEqual(given)
  })

  it('counts consecutive misses', () => {
    const first = deriveEvents(kept(), sample({ outcome: 'timeout' })).after
    expect(first.failing).toEqual({ kind: 'timeout', sinceMs: 1_000, misses: 1 })
    const second = deriveEvents(first, sample({ atMs: 2_000, outcome: 'unreachable' })).after
    expect(second.failing).toEqual({ kind: 'unreachable', sinceMs: 1_000, misses: 2 })
    expect(deriveEvents(second, sample()).after.failing).toBeUndefined()
  })
})

it('the last values in rows are found before failures, unwatched time and unusable fields', () => {
  const rows = seriesOf(
    [
      sample({
        atMs: 1,
        status: 'ACTIVE',
        stake: 5,
        proof: '00ff1a2b',
        threatResponses: 2 ** 60,
        threatResponsesExact: '1152921504606846977',
      }),
      sample({ atMs: 2, status: 'IDLE' }),
      sample({ atMs: 3, outcome: 'timeout' }),
      sample({ atMs: 4 }),
    ],
    new Set([3]),
  )
  expect(mergedLast(rows)).toEqual({
    values: {
      status: 'IDLE',
      stake: '5',
      proof: '00ff1a2b',
      threatResponses: '1152921504606846977',
    },
    failing: { kind: 'timeout', sinceMs: undefined, misses: 0 },
    proofWrong: false,
  })
  expect(mergedLast(rows, kept({ status: 'GONE', other: '6' }))).toMatchObject({
    values: { status: 'IDLE', other: '6', proof: '00ff1a2b' },
  })
  expect(mergedLast(seriesOf([]))).toEqual(NOTHING_KNOWN)
})

describe('another session', () => {
  const read = async ({ history }: ReturnType<typeof createKept>): Promise<readonly KeptEntry[]> =>
    (await history.log.read({ limit: 100 })).entries.toReversed()

  /** A session with the samples `first`, and one opened `awayMs` later with the samples `second`. */
  const twoSessions = async (
    first: readonly Partial<Sample>[],
    second: readonly Partial<Sample>[],
    { awayMs = 60_000, late = 'no' } = {},
  ) => {
    const storage = createMemoryStorage()
    const clock = createFakeClock(TEST_START_MS)
    const one = createKept(storage, clock, 'one')
    await one.start()
    for (const given of first) {
      await one.add('s!1', given)
      await clock.advance(60_000)
    }
    await one.history.saved()
    one.history.dispose()
    clock.sleep(awayMs)
    const two = createKept(storage, clock, 'two')
    if (late === 'after a failure')
      storage.fault = (operation) => (operation === 'open' ? 'blocked' : undefined)
    if (late !== 'yes') await two.start()
    for (const given of second) {
      await two.add('s!1', given)
      await clock.advance(1_000)
    }
    if (late === 'yes') await two.start()
    storage.fault = () => undefined
    await clock.advance(5_000)
    await two.history.saved()
    const entries = await read(two)
    const lanes = await two.lanes('s!1', 30 * 60_000)
    two.history.dispose()
    return { entries: entries.map(({ what, facts }) => ({ what, facts })), lanes }
  }

  it.each(['no', 'yes', 'after a failure'])(
    'continues the counter and the status; history read back late: %s',
    async (late) => {
      const { entries, lanes } = await twoSessions(
        [{ status: 'ACTIVE', threatResponses: 100, threatResponsesIncrease: 0 }],
        [
          { status: 'IDLE', threatResponses: 103, threatResponsesIncrease: 0 },
          { status: 'IDLE', threatResponses: 104, threatResponsesIncrease: 1 },
        ],
        { late },
      )
      expect(entries).toEqual([
        { what: 'gap', facts: expect.objectContaining({ reason: 'closed' }) as object },
        { what: 'status-changed', facts: { from: 'ACTIVE', to: 'IDLE' } },
      ])
      expect([lanes.increase, lanes.unwatched]).toEqual([1, [{ atMs: TEST_START_MS + 120_000, increase: 3 }]])
      expect(lanes.restarts).toHaveLength(0)
    },
  )

  it('does not mistake a reload for a counter restart, nor a lasting failure for a new one', async () => {
    const { entries } = await twoSessions(
      [{ threatResponses: 100 }, { outcome: 'timeout' }],
      [{ outcome: 'timeout' }, { threatResponses: 101, threatResponsesIncrease: 0 }],
      { awayMs: 1_000 },
    )
    expect(entries).toEqual([
      { what: 'failure-began', facts: { kind: 'timeout', code: 'net/timeout' } },
      { what: 'failure-ended', facts: expect.objectContaining({ kind: 'timeout', misses: 1 }) as object },
    ])
  })

  it('finds the values of a node from before a long failure', async () => {
    const { entries, lanes } = await twoSessions(
      [
        { status: 'ACTIVE', threatResponses: 7 },
        ...Array.from({ length: 130 }, () => ({ outcome: 'timeout' }) as const),
      ],
      [{ status: 'IDLE', threatResponses: 3, threatResponsesIncrease: 0 }],
      { awayMs: 2 * DAY_MS },
    )
    expect(entries.map(({ what }) => what)).toEqual([
      'failure-began',
      'gap',
      'failure-ended',
      'status-changed',
      'counter-restarted',
    ])
    expect([lanes.increase, lanes.unwatched.map(({ increase }) => increase)]).toEqual([0, [3]])
    expect(lanes.restarts).toHaveLength(1)
  })

  it('logs an unknown field once', async () => {
    const more = { unknownFields: ['region'] }
    const { entries } = await twoSessions(
      [{ more }, { more }],
      [{ more }, { more: { unknownFields: ['region', 'rack'] } }],
      { awayMs: 1_000 },
    )
    expect(entries).toEqual([
      { what: 'unknown-field', facts: { name: 'region' } },
      { what: 'unknown-field', facts: { name: 'rack' } },
    ])
  })

  it('does not compare its samples again with history that is read back later', async () => {
    const storage = createMemoryStorage()
    const clock = createFakeClock(TEST_START_MS)
    const one = createKept(storage, clock, 'one')
    const two = createKept(storage, clock, 'two')
    await one.start()
    for (let total = 1; total < 200; total++) {
      const given = {
        status: total < 100 ? 'ACTIVE' : 'IDLE',
        threatResponses: total,
        threatResponsesIncrease: 1,
      }
      await one.add('s!1', given)
      await two.add('s!1', given)
      await clock.advance(60_000)
    }
    await one.history.saved()
    one.history.dispose()
    await two.start()
    await two.add('s!1', { status: 'IDLE', threatResponses: 205, threatResponsesIncrease: 6 })
    await two.history.saved()
    await clock.advance(1)
    expect((await read(two)).map(({ what }) => what)).toEqual(['status-changed'])
    const { answered, increase } = await two.lanes('s!1', 4 * HOUR_MS)
    expect({ answered, increase }).toEqual({ answered: 200, increase: 205 })
    two.history.dispose()
  })
})
