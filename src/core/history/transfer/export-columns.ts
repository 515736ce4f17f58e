import { EMPTY_HISTOGRAM, quantile } from '#history/histogram.ts'
import { proofAt } from '#history/proof-columns.ts'
import type { Rollup } from '#history/rollup.ts'
import { NOT_WATCHED, OUTCOMES, PROOF_CHANGED, RESTARTED, type Series } from '#history/series.ts'

/** A column of an export: its name, its unit in words, and what it holds of a row. */
export type Column<T> = {
  readonly name: string
  readonly unit: string
  readonly of: (rows: T, place: number) => Cell
}

/** Undefined: not known. */
export type Cell = string | number | boolean | undefined

/** In place of an outcome: no poll, but the moment from which nobody watched. */
export const NOT_WATCHED_WORD = 'not-watched'

const known = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value
const text = ({ texts }: Series, place: number | undefined): string | undefined =>
  (place ?? 0) === 0 ? undefined : texts.list[place ?? 0]
const isoTime = (atMs: number): string => (Number.isFinite(atMs) ? new Date(atMs).toISOString() : '')

/** Exact where the double is not. */
const amount = (rows: Series, value: number | undefined, exact: number | undefined): Cell =>
  text(rows, exact) ?? known(value)

export const SAMPLE_COLUMNS: readonly Column<Series>[] = [
  { name: 'time', unit: 'UTC, ISO 8601', of: ({ columns }, at) => isoTime(columns.atMs[at] ?? 0) },
  { name: 'time_ms', unit: 'ms since 1970', of: ({ columns }, at) => columns.atMs[at] },
  {
    name: 'outcome',
    unit: 'answered, a failure, or not-watched',
    of: ({ columns }, at) =>
      columns.outcome[at] === NOT_WATCHED ? NOT_WATCHED_WORD : OUTCOMES[columns.outcome[at] ?? 0],
  },
  { name: 'answer_time', unit: 'ms', of: ({ columns }, at) => known(columns.latencyMs[at]) },
  { name: 'interval', unit: 'ms', of: ({ columns }, at) => known(columns.everyMs[at]) },
  { name: 'service_time', unit: 'ms since 1970', of: ({ columns }, at) => known(columns.serviceMs[at]) },
  { name: 'status', unit: 'word', of: (rows, at) => text(rows, rows.columns.status[at]) },
  {
    name: 'stake_deployed',
    unit: 'as the service counts',
    of: (rows, at) => amount(rows, rows.columns.stake[at], rows.columns.stakeText[at]),
  },
  {
    name: 'network_participation',
    unit: '0 to 1',
    of: ({ columns }, at) => known(columns.participation[at]),
  },
  {
    name: 'threat_responses_total',
    unit: 'count',
    of: (rows, at) => amount(rows, rows.columns.threatTotal[at], rows.columns.threatText[at]),
  },
  { name: 'threat_responses_increase', unit: 'count', of: ({ columns }, at) => columns.threatIncrease[at] },
  {
    name: 'counter_restarted',
    unit: 'yes or no',
    of: ({ columns }, at) => ((columns.flags[at] ?? 0) & RESTARTED) !== 0,
  },
  { name: 'heartbeat_age', unit: 'ms', of: ({ columns }, at) => known(columns.heartbeatAgeMs[at]) },
  { name: 'proof_fingerprint', unit: 'hex', of: ({ columns }, at) => proofAt(columns, at) },
  {
    name: 'proof_changed',
    unit: 'yes or no',
    of: ({ columns }, at) => ((columns.flags[at] ?? 0) & PROOF_CHANGED) !== 0,
  },
]

const UNITS = {
  heartbeatAgeMs: ['heartbeat_age', 'ms'],
  participation: ['network_participation', '0 to 1'],
  stake: ['stake_deployed', 'as the service counts'],
  latencyMs: ['answer_time', 'ms'],
} as const

/** Columns of rollups; those by outcome and status word are as many as occur in these rows. */
export function rollupColumns(
  outcomes: Iterable<number>,
  statuses: Iterable<string>,
): readonly Column<Rollup>[] {
  const values = (['heartbeatAgeMs', 'participation', 'stake', 'latencyMs'] as const).flatMap((name) => {
    const [label, unit] = UNITS[name]
    const one = (what: 'min' | 'max' | 'first' | 'last'): Column<Rollup> => ({
      name: `${label}_${what}`,
      unit,
      of: ({ values: all }, at) => known(all[name][what][at]),
    })
    const sum: Column<Rollup> = {
      name: `${label}_sum`,
      unit,
      of: ({ values: all }, at) => ((all[name].count[at] ?? 0) === 0 ? undefined : all[name].sum[at]),
    }
    const count: Column<Rollup> = {
      name: `${label}_count`,
      unit: 'count',
      of: ({ values: all }, at) => all[name].count[at] ?? 0,
    }
    const shares =
      name === 'stake'
        ? []
        : [0.5, 0.95].map((share): Column<Rollup> => ({
            name: `${label}_p${share * 100}`,
            unit,
            of: ({ spread }, at) => known(quantile(spread?.[name][at] ?? EMPTY_HISTOGRAM, share)),
          }))
    return [one('min'), one('max'), one('first'), one('last'), sum, count, ...shares]
  })
  return [
    { name: 'time', unit: 'UTC, ISO 8601', of: ({ startMs }, at) => isoTime(startMs[at] ?? 0) },
    { name: 'time_ms', unit: 'ms since 1970', of: ({ startMs }, at) => startMs[at] },
    { name: 'step', unit: 'ms', of: ({ stepMs }) => stepMs },
    ...values,
    { name: 'threat_responses_increase', unit: 'count', of: ({ threatIncrease }, at) => threatIncrease[at] },
    { name: 'counter_restarts', unit: 'count', of: ({ restarts }, at) => restarts[at] },
    { name: 'proof_changes', unit: 'count', of: ({ proofChanges }, at) => proofChanges[at] },
    ...Array.from(outcomes, (code): Column<Rollup> => ({
      name: `time_${OUTCOMES[code] ?? code}`,
      unit: 'ms',
      of: ({ outcomeMs }, at) => outcomeMs.get(code)?.[at] ?? 0,
    })),
    ...Array.from(statuses, (word): Column<Rollup> => ({
      name: `time_status_${word}`,
      unit: 'ms',
      of: ({ statusMs }, at) => statusMs.get(word)?.[at] ?? 0,
    })),
  ]
}
