import { describe, expect, it } from 'vitest'
import type { Sample } from '#history/history.ts'
import { rollSeries } from '#history/roll-series.ts'
import { createRollup } from '#history/rollup.ts'
import { OUTCOME_CODES, type Series } from '#history/series.ts'
import type { CsvCell } from '#base/csv.ts'
import { rollupColumns, sampleColumns, type Column } from '#history/transfer/export-columns.ts'
import { METRICS } from '#metrics/metrics.ts'
import { seriesOf } from '#test/core/history/samples.ts'

const MINUTE_MS = 60_000
const QUARTER_MS = 900_000
/** 2020-01-01T00:00:00Z. */
const START_MS = 1_577_836_800_000

const sample = (atMs: number, given: Partial<Sample> = {}): Sample => ({
  node: 's!1',
  atMs,
  latencyMs: 20,
  outcome: 'answered',
  ...given,
})
const cellsOf = <T>(
  columns: readonly Column<T>[],
  rows: T,
  place: number,
): Readonly<Record<string, CsvCell>> =>
  Object.fromEntries(columns.map(({ name, of }) => [name, of(rows, place)]))

const NOTHING = {
  service_time: undefined,
  status: undefined,
  stake_deployed: undefined,
  network_participation: undefined,
  threat_responses_total: undefined,
  threat_responses_increase: undefined,
  threat_responses_increase_not_watched: undefined,
  threat_responses_restarted: undefined,
  heartbeat_age: undefined,
  proof_fingerprint: undefined,
  proof_changed: undefined,
}

describe('the columns of an export of samples', () => {
  const columnsNow = () => sampleColumns(METRICS)
  const rowsNow = () =>
    seriesOf(
      [
        sample(START_MS, {
          everyMs: MINUTE_MS,
          serviceMs: START_MS - 5,
          status: 'ACTIVE',
          stake: 2 ** 53,
          stakeExact: '9007199254740993',
          participation: 0.5,
          threatResponses: 7,
          threatResponsesIncrease: 3,
          threatResponsesRestarted: true,
          heartbeatAgeMs: 400,
          proof: '00ff00ff',
          proofChanged: true,
        }),
        sample(START_MS + MINUTE_MS, {
          stake: 12,
          threatResponses: 2 ** 53,
          threatResponsesExact: '9007199254740993',
          proof: '00ff00ff',
        }),
        sample(START_MS + 2 * MINUTE_MS, { outcome: 'timeout' }),
        sample(START_MS + 3 * MINUTE_MS),
      ],
      new Set([3]),
    )

  it('have names and units', () => {
    expect(columnsNow().map(({ name, unit }) => [name, unit])).toEqual([
      ['time', 'UTC, ISO 8601'],
      ['time_ms', 'ms since 1970'],
      ['outcome', 'answered, a failure, or not-watched'],
      ['interval', 'ms'],
      ['service_time', 'ms since 1970'],
      ['status', 'word'],
      ['stake_deployed', 'unit of the service'],
      ['network_participation', '0 to 1'],
      ['threat_responses_total', 'count'],
      ['threat_responses_increase', 'count'],
      ['threat_responses_increase_not_watched', 'count'],
      ['threat_responses_restarted', 'yes or no'],
      ['heartbeat_age', 'ms'],
      ['proof_fingerprint', 'hex'],
      ['proof_changed', 'yes or no'],
      ['answer_time', 'ms'],
    ])
  })

  it('hold all values of a poll, as exact text where a number is not exact', () => {
    expect(cellsOf(columnsNow(), rowsNow(), 0)).toEqual({
      time: '2020-01-01T00:00:00.000Z',
      time_ms: START_MS,
      outcome: 'answered',
      interval: MINUTE_MS,
      service_time: START_MS - 5,
      status: 'ACTIVE',
      stake_deployed: '9007199254740993',
      network_participation: 0.5,
      threat_responses_total: 7,
      threat_responses_increase: 3,
      threat_responses_restarted: true,
      heartbeat_age: 400,
      proof_fingerprint: '00ff00ff',
      proof_changed: true,
      answer_time: 20,
    })
    expect(cellsOf(columnsNow(), rowsNow(), 1)).toMatchObject({
      ...NOTHING,
      stake_deployed: 12,
      threat_responses_total: '9007199254740993',
      threat_responses_increase: 0,
      threat_responses_restarted: false,
      proof_fingerprint: '00ff00ff',
      proof_changed: false,
    })
  })

  it('are empty for a failed poll and for unwatched time', () => {
    expect(cellsOf(columnsNow(), rowsNow(), 2)).toMatchObject({ ...NOTHING, outcome: 'timeout' })
    expect(cellsOf(columnsNow(), rowsNow(), 3)).toMatchObject({
      ...NOTHING,
      time: '2020-01-01T00:03:00.000Z',
      outcome: 'not-watched',
    })
  })

  it('separate the unwatched increase of a counter, for samples and for rollups', () => {
    const rows = seriesOf([
      sample(START_MS, { threatResponses: 7, threatResponsesIncrease: 0 }),
      sample(START_MS + 5 * MINUTE_MS, { threatResponses: 44, threatResponsesIncrease: 37 }),
      sample(START_MS + 5 * MINUTE_MS + 10_000, { threatResponses: 46, threatResponsesIncrease: 2 }),
    ])
    const cells = (at: number) => cellsOf(columnsNow(), rows, at)
    const [increase, unwatched] = ['threat_responses_increase', 'threat_responses_increase_not_watched']
    expect(cells(1)).toMatchObject({ [increase]: undefined, [unwatched]: 37 })
    expect(cells(2)).toMatchObject({ [increase]: 2, [unwatched]: undefined })
    const quarter = rollSeries(rows, { fromMs: START_MS, toMs: START_MS + 900_000 }, 900_000, true)
    expect(cellsOf(rollupColumns(METRICS, [0], new Map()), quarter, 0)).toMatchObject({
      [increase]: 2,
      [unwatched]: 37,
    })
  })

  it('are empty for a metric that the rows lack', () => {
    const rows = rowsNow()
    const bare: Series = { ...rows, columns: { ...rows.columns, metrics: [] } }
    expect(cellsOf(columnsNow(), bare, 0)).toMatchObject({
      outcome: 'answered',
      status: undefined,
      proof_changed: undefined,
    })
  })
})

describe('the columns of an export of rollups', () => {
  const outcomes = [OUTCOME_CODES.answered, OUTCOME_CODES.timeout, 77]
  const states = new Map([['status', new Set(['ACTIVE', 'IDLE'])]])
  const columnsNow = () => rollupColumns(METRICS, outcomes, states)
  const rowsNow = () =>
    seriesOf([
      sample(START_MS, {
        everyMs: MINUTE_MS,
        status: 'ACTIVE',
        stake: 10,
        participation: 0.5,
        heartbeatAgeMs: 400,
        proof: '00ff00ff',
      }),
      sample(START_MS + MINUTE_MS, {
        everyMs: MINUTE_MS,
        latencyMs: 30,
        status: 'IDLE',
        stake: 4,
        threatResponses: 7,
        threatResponsesIncrease: 3,
        threatResponsesRestarted: true,
        heartbeatAgeMs: 600,
        proof: '11ff00ff',
        proofChanged: true,
      }),
      sample(START_MS + 2 * MINUTE_MS, { everyMs: MINUTE_MS, outcome: 'timeout' }),
      sample(START_MS + 3 * MINUTE_MS, { everyMs: MINUTE_MS, status: 'IDLE', stake: 6 }),
      sample(START_MS + QUARTER_MS, { everyMs: MINUTE_MS, outcome: 'timeout' }),
    ])
  const window = { fromMs: START_MS, toMs: START_MS + 2 * QUARTER_MS }
  const quartersNow = () => rollSeries(rowsNow(), window, QUARTER_MS, true)
  const minutesNow = () => rollSeries(rowsNow(), window, MINUTE_MS, false)

  it('have names and units', () => {
    const spread = (name: string) =>
      ['min', 'max', 'first', 'last', 'sum', 'count', 'p50', 'p95'].map((part) => `${name}_${part}`)
    expect(columnsNow().map(({ name }) => name)).toEqual([
      'time',
      'time_ms',
      'step',
      'time_answered',
      'time_timeout',
      // An outcome of a later version is named by its code.
      'time_77',
      'time_status_ACTIVE',
      'time_status_IDLE',
      ...spread('stake_deployed').slice(0, 6),
      ...spread('network_participation'),
      'threat_responses_increase',
      'threat_responses_increase_not_watched',
      'threat_responses_restarts',
      ...spread('heartbeat_age'),
      'proof_changes',
      ...spread('answer_time'),
    ])
    expect(Object.fromEntries(columnsNow().map(({ name, unit }) => [name, unit]))).toMatchObject({
      time: 'UTC, ISO 8601',
      time_ms: 'ms since 1970',
      step: 'ms',
      time_timeout: 'ms',
      time_status_IDLE: 'ms',
      stake_deployed_sum: 'unit of the service',
      stake_deployed_min: 'unit of the service',
      stake_deployed_count: 'count',
      threat_responses_increase: 'count',
      proof_changes: 'count',
      network_participation_p50: '0 to 1',
    })
  })

  it('hold the statistics of a step, and the time of each outcome and status word', () => {
    expect(cellsOf(columnsNow(), quartersNow(), 0)).toMatchObject({
      time: '2020-01-01T00:00:00.000Z',
      time_ms: START_MS,
      step: QUARTER_MS,
      time_timeout: MINUTE_MS,
      time_77: 0,
      time_status_ACTIVE: MINUTE_MS,
      stake_deployed_min: 4,
      stake_deployed_max: 10,
      stake_deployed_first: 10,
      stake_deployed_last: 6,
      stake_deployed_sum: 20,
      stake_deployed_count: 3,
      threat_responses_increase: 3,
      threat_responses_restarts: 1,
      proof_changes: 1,
      heartbeat_age_min: 400,
      heartbeat_age_max: 600,
      answer_time_sum: 70,
      answer_time_count: 3,
    })
    const {
      answer_time_p50: middle,
      answer_time_p95: most,
      network_participation_p50: half,
    } = cellsOf(columnsNow(), quartersNow(), 0)
    // Of 20, 20 and 30; a distribution is accurate to 2.2 %.
    expect(Number(middle)).toBeCloseTo(20, 0)
    expect(Math.abs(Number(most) - 30)).toBeLessThan(1)
    expect(Math.abs(Number(half) - 0.5)).toBeLessThan(0.02)
  })

  it('are empty for a step without answers, except that counts and times are 0', () => {
    expect(cellsOf(columnsNow(), quartersNow(), 1)).toMatchObject({
      time_ms: START_MS + QUARTER_MS,
      stake_deployed_min: undefined,
      stake_deployed_last: undefined,
      stake_deployed_sum: undefined,
      stake_deployed_count: 0,
      answer_time_p50: undefined,
      answer_time_p95: undefined,
      threat_responses_increase: undefined,
      threat_responses_restarts: undefined,
      proof_changes: undefined,
      time_status_IDLE: 0,
    })
  })

  it('are empty if no poll of the whole range was answered', () => {
    const failures = seriesOf([sample(START_MS, { everyMs: MINUTE_MS, outcome: 'timeout' })])
    expect(cellsOf(columnsNow(), rollSeries(failures, window, QUARTER_MS, true), 0)).toMatchObject({
      time_answered: 0,
      threat_responses_increase: undefined,
      proof_changes: undefined,
    })
  })

  it('are 0 if answers show no increase and no change', () => {
    const minutes = minutesNow()
    const counts = (place: number) => {
      const cells = cellsOf(columnsNow(), minutes, place)
      return [cells['threat_responses_increase'], cells['threat_responses_restarts'], cells['proof_changes']]
    }
    expect([0, 1, 2, 3].map(counts)).toEqual([
      [0, 0, 0],
      [3, 1, 1],
      [undefined, undefined, undefined],
      [0, 0, 0],
    ])
  })

  it('are empty if the rollups lack the distribution or the metric', () => {
    expect(cellsOf(columnsNow(), minutesNow(), 0)).toMatchObject({
      answer_time_min: 20,
      answer_time_p50: undefined,
    })
    const bare = { ...createRollup(QUARTER_MS, true, []), startMs: [START_MS] }
    expect(cellsOf(columnsNow(), bare, 0)).toMatchObject({
      time_ms: START_MS,
      time_answered: 0,
      stake_deployed_min: undefined,
      stake_deployed_sum: undefined,
      stake_deployed_count: 0,
      answer_time_p95: undefined,
      threat_responses_increase: undefined,
      proof_changes: undefined,
      time_status_IDLE: undefined,
    })
  })

  it('are 0 for a status word that does not occur in the step', () => {
    const gone = rollupColumns(METRICS, [], new Map([['status', new Set(['GONE'])]]))
    expect(cellsOf(gone, quartersNow(), 0)).toMatchObject({ time_status_GONE: 0 })
  })

  it('include no state without occurring words', () => {
    const names = rollupColumns(METRICS, [], new Map()).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('time_'))).toEqual(['time_ms'])
  })
})
