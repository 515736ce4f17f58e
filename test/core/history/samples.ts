import fc from 'fast-check'
import type { Sample } from '#history/history.ts'
import { proofAt } from '#history/proof-columns.ts'
import { appendNotWatched, appendSample, createSeries, OUTCOMES, type Series } from '#history/series.ts'

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

/** Decimals as services write them, and doubles of every kind that history may meet. */
const amount = fc.oneof(
  fc.integer({ min: -5, max: 100_000 }),
  fc.integer({ min: 0, max: 10_000 }).map((whole) => whole / 10_000),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.constantFrom(0, 2 ** 53, 1e21, 1e-9),
)

const fields = fc.record({
  latencyMs: fc.integer({ min: 0, max: 100_000 }).map((tenths) => tenths / 10),
  everyMs: fc.constantFrom(1_000, 15_000, 86_400_000),
  serviceMs: maybe(fc.integer({ min: 0, max: 2_000_000_000_000 })),
  outcome: fc.oneof(fc.constant('answered' as const), fc.constantFrom(...OUTCOMES)),
  status: maybe(fc.oneof(fc.constantFrom('ACTIVE', 'IDLE', ''), fc.string({ unit: 'binary', maxLength: 5 }))),
  stake: maybe(amount),
  stakeExact: maybe(fc.constantFrom('9007199254740993', '0.1000000000000000055')),
  participation: maybe(
    fc.oneof(
      amount,
      fc.double({ min: 0, max: 1, noNaN: true }).map((v) => v + 0),
    ),
  ),
  threatTotal: maybe(amount),
  threatExact: maybe(fc.constantFrom('9007199254740993', '18446744073709551616')),
  threatIncrease: maybe(fc.nat()),
  threatRestarted: maybe(fc.boolean()),
  heartbeatAgeMs: maybe(fc.integer({ min: -10_000, max: 1_000_000 })),
  proof: maybe(fc.constantFrom('1a2b3c4d', '00000000', 'fedcba98', 'ffffffff')),
  proofChanged: maybe(fc.boolean()),
})

const defined = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T

/** Samples of one node in order, up to `stepMax` ms apart. */
export const samplesOf = (stepMax: number, maxLength: number): fc.Arbitrary<readonly Sample[]> =>
  fc
    .tuple(
      fc.integer({ min: 0, max: 10 }),
      fc.array(fc.tuple(fc.integer({ min: 1, max: stepMax }), fields), { maxLength }),
    )
    .map(([startMs, steps]) => {
      let atMs = startMs
      return steps.map(([byMs, given]) => ({ ...defined(given), node: 'n', atMs: (atMs += byMs) }) as Sample)
    })

/** A series of these, in which nobody watched from some of the times on. */
export function seriesOf(samples: readonly Sample[], notWatched: ReadonlySet<number> = new Set()): Series {
  const series = createSeries()
  for (const [place, sample] of samples.entries())
    if (notWatched.has(place)) appendNotWatched(series, sample.atMs, 1e9)
    else appendSample(series, sample, 1e9)
  return series
}

/** Every row as a plain object with its texts in words, for comparison. */
export const rowsOf = ({ columns, length, texts }: Series) =>
  Array.from({ length }, (_, place) => ({
    ...Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[place]])),
    status: textAt(texts.list, columns.status[place]),
    stakeText: textAt(texts.list, columns.stakeText[place]),
    threatText: textAt(texts.list, columns.threatText[place]),
    proof: proofAt(columns, place),
  }))

const textAt = (list: readonly string[], place = 0) => (place === 0 ? undefined : list[place])
