import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import type { Sample } from '#history/history.ts'
import { availabilityOf, lengthMsOf, outagesOf, without, type Summary } from '#report/summary.ts'
import { isAll } from '#test/fuzz/random.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { createKept } from '#test/core/history/store/kept-history.ts'

type Poll = {
  readonly atMs: number
  readonly everyMs: number
  readonly fails: boolean
  readonly value: number
}
type Window = { readonly fromMs: number; readonly toMs: number }

/** Polls of some days: mostly good ones, runs of failures, and unwatched gaps. */
const polls = fc
  .array(
    fc.record({
      count: fc.integer({ min: 1, max: 90 }),
      everyMs: fc.constantFrom(60_000, 300_000, 1_234_567),
      fails: fc.boolean(),
      holeMs: fc.constantFrom(0, 0, 0, 40 * MINUTE_MS, 9 * HOUR_MS),
      value: fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((runs) => {
    let atMs = TEST_START_MS + 1_234
    return runs.flatMap(({ count, everyMs, fails, holeMs, value }): readonly Poll[] => {
      const run = Array.from({ length: count }, () => ({ atMs: (atMs += everyMs), everyMs, fails, value }))
      atMs += holeMs
      return run
    })
  })
const minute = fc
  .integer({ min: 0, max: (3 * DAY_MS) / MINUTE_MS })
  .map((at) => TEST_START_MS + at * MINUTE_MS)
const someWindows = fc.array(
  fc.record({ fromMs: minute, minutes: fc.integer({ min: 1, max: 300 }) }).map(({ fromMs, minutes }) => ({
    fromMs,
    toMs: fromMs + minutes * MINUTE_MS,
  })),
  { maxLength: 5 },
)

const sampleOf = ({ atMs, everyMs, fails, value }: Poll): Sample => ({
  node: 'n',
  atMs,
  everyMs,
  latencyMs: 5,
  outcome: fails ? 'timeout' : 'answered',
  ...(!fails && {
    participation: value,
    stake: value,
    heartbeatAgeMs: value * 1e5,
    threatResponsesIncrease: 2,
  }),
})

/** An independent count, minute by minute on plain arrays, by the rule in the documentation. */
function counted(all: readonly Poll[], range: Window, maintenance: readonly Window[]) {
  const wanted = new Set<number>()
  for (let at = range.fromMs; at < range.toMs; at += MINUTE_MS)
    if (!maintenance.some(({ fromMs, toMs }) => at >= fromMs && at < toMs)) wanted.add(at)
  const inReport = all.filter(({ atMs }) => wanted.has(Math.floor(atMs / MINUTE_MS) * MINUTE_MS))
  const good = inReport.filter(({ fails }) => !fails)
  let [answeredMs, noAnswerMs] = [0, 0]
  for (const [place, { atMs, everyMs, fails }] of all.entries()) {
    const holdsMs = fails ? Math.max(10 * MINUTE_MS, 2.5 * everyMs) : 2.5 * everyMs
    // The browser is closed right after the last poll.
    const untilMs = Math.min(all[place + 1]?.atMs ?? atMs + 1, atMs + holdsMs, range.toMs)
    for (let at = Math.floor(atMs / MINUTE_MS) * MINUTE_MS; at < untilMs; at += MINUTE_MS) {
      if (!wanted.has(at)) continue
      const ms = Math.min(untilMs, at + MINUTE_MS) - Math.max(atMs, at)
      if (fails) noAnswerMs += ms
      else answeredMs += ms
    }
  }
  const values = good.map(({ value }) => value)
  const sorted = values.toSorted((a, b) => a - b)
  return {
    answeredMs,
    noAnswerMs,
    notWatchedMs: wanted.size * MINUTE_MS - answeredMs - noAnswerMs,
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    min: sorted[0],
    first: values[0],
    last: values.at(-1),
    p95: (sorted[Math.ceil(0.95 * sorted.length) - 1] ?? Number.NaN) * 1e5,
    increase: good.length * 2,
  }
}

/** The summary that another tab reads this much later. */
async function read(all: readonly Poll[], range: Window, maintenance: readonly Window[], laterMs = HOUR_MS) {
  const first = createKept()
  await first.start()
  await first.history.append({ samples: all.map(sampleOf), gaps: [] })
  await first.history.saved()
  first.history.dispose()
  const clock = createFakeClock((all.at(-1)?.atMs ?? 0) + laterMs)
  const { history, start } = createKept(first.storage, clock, 'two')
  await start()
  await history.maintain()
  const summary = await history.readSummary?.({ node: 'n', ranges: without(range, maintenance) })
  if (summary === undefined) throw new Error('no summary')
  return summary
}

function expectSame(summary: Summary, own: ReturnType<typeof counted>) {
  const { participation = {}, stake = {}, heartbeat = {}, threatResponses = {} } = summary.figures
  for (const name of ['answeredMs', 'noAnswerMs', 'notWatchedMs'] as const)
    expect(summary[name]).toBeCloseTo(own[name], 6)
  expect(threatResponses.increase ?? 0).toBe(own.increase)
  expect([participation.min, stake.first, stake.last]).toEqual([own.min, own.first, own.last])
  if (own.min === undefined) return
  expect(participation.mean).toBeCloseTo(own.mean, 6)
  expect(Math.abs((heartbeat.p95 ?? 0) - own.p95)).toBeLessThanOrEqual(0.03 * own.p95 + 0.001)
}

describe('a report', () => {
  it('matches an independent count for any polls, range and maintenance', async () => {
    await fc.assert(
      fc.asyncProperty(polls, someWindows, minute, minute, async (all, maintenance, one, other) => {
        const range = { fromMs: Math.min(one, other), toMs: Math.max(one, other) }
        const summary = await read(all, range, maintenance)
        expectSame(summary, counted(all, range, maintenance))
        const outagesMs = lengthMsOf(summary.outages)
        if (summary.outageCount === summary.outages.length)
          expect(outagesMs).toBeCloseTo(summary.noAnswerMs, 6)
      }),
      { numRuns: isAll() ? 40 : 12 },
    )
  })

  it('gives the same result once samples are gone and only rollups are left', async () => {
    const all = Array.from({ length: 2_000 }, (_, place) => ({
      atMs: TEST_START_MS + place * MINUTE_MS,
      everyMs: MINUTE_MS,
      fails: place % 100 < 7,
      value: (place % 50) / 50,
    }))
    const range = { fromMs: TEST_START_MS + 17 * MINUTE_MS, toMs: TEST_START_MS + 30 * HOUR_MS }
    const window = { fromMs: TEST_START_MS + 95 * MINUTE_MS, toMs: TEST_START_MS + 104 * MINUTE_MS }
    const summary = await read(all, range, [window], 60 * DAY_MS)
    expectSame(summary, counted(all, range, [window]))
    // Maintenance cuts the outage at minute 100 to its last three minutes.
    expect(summary.outages[0]).toEqual({
      fromMs: window.toMs,
      toMs: TEST_START_MS + 107 * MINUTE_MS,
      failure: 'timeout',
      isCut: false,
    })
  })

  it('counts the answer of a rare poll for as long as it is valid, to the end of the range', async () => {
    let atMs = TEST_START_MS + 1_234
    const all = Array.from({ length: 124 }, (_, place) => {
      const everyMs = place < 24 ? 5 * MINUTE_MS : 1_234_567
      return { atMs: (atMs += everyMs), everyMs, fails: false, value: 0 }
    })
    // The only poll of the last hour comes after the range.
    const range = { fromMs: TEST_START_MS, toMs: TEST_START_MS + 2_176 * MINUTE_MS }
    expectSame(await read(all, range, []), counted(all, range, []))
  })

  it('subtracts overlapping windows once, in whole minutes', () => {
    const range = { fromMs: 0, toMs: HOUR_MS }
    const windows = [
      { fromMs: 20 * MINUTE_MS + 1, toMs: 30 * MINUTE_MS },
      { fromMs: 10 * MINUTE_MS, toMs: 25 * MINUTE_MS },
      { fromMs: 55 * MINUTE_MS, toMs: 2 * HOUR_MS },
    ]
    expect(without(range, windows)).toEqual([
      { fromMs: 0, toMs: 10 * MINUTE_MS },
      { fromMs: 30 * MINUTE_MS, toMs: 55 * MINUTE_MS },
    ])
    expect(without(range, [{ fromMs: -1, toMs: DAY_MS }])).toEqual([])
  })

  it('merges adjacent failures into one outage with the longest cause, and marks one cut by unwatched time', () => {
    const failed = (fromMs: number, toMs: number, failure: 'timeout' | 'unreachable') =>
      ({ fromMs, toMs, kind: 'no-answer', failure }) as const
    expect(
      outagesOf([
        { fromMs: 0, toMs: 5, kind: 'answered' },
        failed(5, 6, 'timeout'),
        failed(6, 9, 'unreachable'),
        { fromMs: 9, toMs: 10, kind: 'answered' },
        failed(10, 12, 'timeout'),
        { fromMs: 12, toMs: 20, kind: 'not-watched' },
        failed(30, 31, 'timeout'),
      ]),
    ).toEqual([
      { fromMs: 5, toMs: 9, failure: 'unreachable', isCut: false },
      { fromMs: 10, toMs: 12, failure: 'timeout', isCut: true },
      { fromMs: 30, toMs: 31, failure: 'timeout', isCut: false },
    ])
  })

  it.each([
    [9_990, 10, { share: 0.999, budgetMs: 10, leftMs: 0 }],
    [9_980, 20, { share: 0.998, budgetMs: 10, leftMs: -10 }],
    [0, 0, { share: undefined, budgetMs: 0, leftMs: 0 }],
  ])(
    'with %i ms up and %i ms down has an error budget of the time with an outcome',
    (answeredMs, noAnswerMs, want) => {
      const { share, budgetMs, leftMs } = availabilityOf({ answeredMs, noAnswerMs }, 0.999)
      expect(share).toBe(want.share)
      expect(budgetMs).toBeCloseTo(want.budgetMs, 6)
      expect(leftMs).toBeCloseTo(want.leftMs, 6)
    },
  )
})
