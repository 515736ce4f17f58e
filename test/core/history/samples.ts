import fc from 'fast-check'
import { lineIn, seriesIn, type SeriesData } from '#charts/charts.ts'
import type { Sample } from '#history/history.ts'
import { METRICS } from '#metrics/metrics.ts'
import { rolledMetric, type RolledMetric, type Rollup } from '#history/rollup.ts'
import {
  appendNotWatched,
  appendSamples,
  CHANGED,
  createSeries,
  fingerprintAt,
  OUTCOMES,
  RESTARTED,
  UNWATCHED,
  type MetricColumns,
  type Series,
} from '#history/series.ts'
import { anyCharacter } from '#test/support/any-character.ts'

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
  status: maybe(
    fc.oneof(fc.constantFrom('ACTIVE', 'IDLE', ''), fc.string({ unit: anyCharacter, maxLength: 5 })),
  ),
  stake: maybe(amount),
  stakeExact: maybe(fc.constantFrom('9007199254740993', '0.1000000000000000055')),
  participation: maybe(
    fc.oneof(
      amount,
      fc.double({ min: 0, max: 1, noNaN: true }).map((v) => v + 0),
    ),
  ),
  threatResponses: maybe(amount),
  threatResponsesExact: maybe(fc.constantFrom('9007199254740993', '18446744073709551616')),
  threatResponsesIncrease: maybe(fc.nat()),
  threatResponsesRestarted: maybe(fc.boolean()),
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

/** A series of these samples; those at the `notWatched` indices become the start of unwatched time. */
export function seriesOf(samples: readonly Sample[], notWatched: ReadonlySet<number> = new Set()): Series {
  const series = createSeries(METRICS)
  for (const [place, sample] of samples.entries())
    if (notWatched.has(place)) appendNotWatched(series, sample.atMs)
    else appendSamples(series, [sample])
  return series
}

/** Every row as a plain object with the member names of a sample. */
export const rowsOf = ({ columns, length }: Series) =>
  Array.from({ length }, (_, place): Readonly<Record<string, unknown>> => ({
    atMs: columns.atMs[place],
    everyMs: columns.everyMs[place],
    serviceMs: columns.serviceMs[place],
    outcome: columns.outcome[place],
    ...Object.assign({}, ...columns.metrics.map((column) => metricAt(column, place))),
  }))

function metricAt(column: MetricColumns, place: number): object {
  const { metric, keys, value, increase, text, flags } = column
  switch (metric.kind) {
    case 'gauge':
      return {
        [keys.value]: value[place],
        ...(metric.exact === true && { [keys.exact]: text[place] }),
      }
    case 'timestamp':
      return { [keys.value]: value[place] }
    case 'counter':
      return {
        [keys.value]: value[place],
        [keys.exact]: text[place],
        [keys.increase]: increase[place],
        [keys.restarted]: ((flags[place] ?? 0) & RESTARTED) !== 0,
        [keys.unwatched]: ((flags[place] ?? 0) & UNWATCHED) !== 0,
      }
    case 'state':
      return { [keys.value]: text[place] }
    case 'fingerprint':
      return {
        [keys.value]: fingerprintAt(column, place),
        [keys.changed]: ((flags[place] ?? 0) & CHANGED) !== 0,
      }
  }
}

/** The chart data of the built-in metrics, by name. */
export function drawn(data: SeriesData) {
  const line = (id: string) => {
    const { points, ...rest } = lineIn(data, id)
    return { ...rest, ...points, band: rest.band ?? NO_BAND }
  }
  const counter = seriesIn(data, 'bars', 'threatResponses')
  return {
    ...data,
    heartbeat: line('heartbeat'),
    participation: line('participation'),
    stake: line('stake'),
    answerTime: line('answerTime'),
    bars: counter?.bars ?? [],
    increase: counter?.increase ?? Number.NaN,
    unwatched: counter?.unwatched ?? [],
    restarts: counter?.restarts ?? new Float64Array(),
    changes: seriesIn(data, 'ticks', 'proof')?.atMs ?? new Float64Array(),
  }
}

const NO_BAND = { atMs: new Float64Array(), stepMs: 0, p50: new Float64Array(), p95: new Float64Array() }

/** The columns of the built-in metrics, by name; a change to them changes the rollup. */
export function rolledIn(rollup: Rollup) {
  const rolled = (id: string): RolledMetric => {
    const found = rolledMetric(rollup, id)
    if (found === undefined) throw new Error(`nothing of ${id}`)
    return found
  }
  const column = (id: string, name: string): number[] => rolled(id).columns.get(name) ?? []
  const values = (id: string) => ({
    min: column(id, 'min'),
    max: column(id, 'max'),
    first: column(id, 'first'),
    last: column(id, 'last'),
    sum: column(id, 'sum'),
    count: column(id, 'count'),
  })
  return {
    values: {
      heartbeat: values('heartbeat'),
      participation: values('participation'),
      stake: values('stake'),
      answerTime: values('answerTime'),
    },
    spread: {
      heartbeat: rolled('heartbeat').spread,
      participation: rolled('participation').spread,
      answerTime: rolled('answerTime').spread,
    },
    increase: column('threatResponses', 'increase'),
    unwatched: column('threatResponses', 'unwatched'),
    restarts: column('threatResponses', 'restarts'),
    statusMs: rolled('status').columns,
    changes: column('proof', 'changes'),
  }
}

/** A rollup without the definitions of its metrics, for comparison. */
export const plain = ({ metrics, ...rest }: Rollup) => ({
  ...rest,
  metrics: metrics.map(({ metric: { id, distribution }, ...columns }) => ({ id, distribution, ...columns })),
})

export const VALUES = ['heartbeat', 'participation', 'stake', 'answerTime'] as const
export const SPREADS = ['heartbeat', 'participation', 'answerTime'] as const
