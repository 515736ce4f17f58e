import { EMPTY_HISTOGRAM } from '#history/histogram.ts'
import { quantileOf } from '#history/roll-series.ts'
import { COLUMNS, rolledColumn, rolledMetric, type Rollup } from '#history/rollup.ts'
import {
  ANSWERED,
  CHANGED,
  columnsOf,
  fingerprintAt,
  KNOWN,
  NOT_WATCHED,
  OUTCOMES,
  RESTARTED,
  UNWATCHED,
  type MetricColumns,
  type Series,
} from '#history/series.ts'
import type { Metric, MetricRegistry, MetricUnit } from '#metrics/metric.ts'

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

const UNITS: Readonly<Record<MetricUnit, string>> = {
  amount: 'as the service counts',
  ratio: '0 to 1',
  ms: 'ms',
  count: 'count',
  none: 'word',
}

export const sampleColumns = (registry: MetricRegistry): readonly Column<Series>[] => [
  { name: 'time', unit: 'UTC, ISO 8601', of: ({ columns }, at) => isoTime(columns.atMs[at] ?? 0) },
  { name: 'time_ms', unit: 'ms since 1970', of: ({ columns }, at) => columns.atMs[at] },
  {
    name: 'outcome',
    unit: 'answered, a failure, or not-watched',
    of: ({ columns }, at) =>
      columns.outcome[at] === NOT_WATCHED ? NOT_WATCHED_WORD : OUTCOMES[columns.outcome[at] ?? 0],
  },
  { name: 'interval', unit: 'ms', of: ({ columns }, at) => known(columns.everyMs[at]) },
  { name: 'service_time', unit: 'ms since 1970', of: ({ columns }, at) => known(columns.serviceMs[at]) },
  ...registry.flatMap(metricColumns),
]

/** What a metric's columns in an export of samples are called. */
export const sampleHeadings = ({ kind, exportName }: Metric) => ({
  value:
    kind === 'counter'
      ? `${exportName}_total`
      : kind === 'fingerprint'
        ? `${exportName}_fingerprint`
        : exportName,
  increase: `${exportName}_increase`,
  unwatched: `${exportName}_increase_not_watched`,
  restarted: `${exportName}_restarted`,
  changed: `${exportName}_changed`,
})

const isUnwatched = ({ flags }: MetricColumns, at: number): boolean => ((flags[at] ?? 0) & UNWATCHED) !== 0

function metricColumns(metric: Metric): readonly Column<Series>[] {
  const { value, increase, unwatched, restarted, changed } = sampleHeadings(metric)
  const column = (
    name: string,
    unit: string,
    of: (columns: MetricColumns, at: number, rows: Series) => Cell,
  ): Column<Series> => ({
    name,
    unit,
    of: (rows, at) => {
      const columns = columnsOf(rows, metric.id)
      return columns && of(columns, at, rows)
    },
  })
  // Exact where the double is not.
  const numberOf = (columns: MetricColumns, at: number, rows: Series) =>
    text(rows, columns.text[at]) ?? known(columns.value[at])
  const number = column(value, UNITS[metric.unit], numberOf)
  switch (metric.kind) {
    case 'gauge':
    case 'timestamp':
      return [number]
    case 'counter':
      return [
        number,
        column(increase, 'count', (columns, at, rows) =>
          numberOf(columns, at, rows) === undefined || isUnwatched(columns, at)
            ? undefined
            : columns.increase[at],
        ),
        // What came while nobody watched, in the row that ended it.
        column(unwatched, 'count', (columns, at, rows) =>
          numberOf(columns, at, rows) !== undefined && isUnwatched(columns, at)
            ? columns.increase[at]
            : undefined,
        ),
        column(restarted, 'yes or no', (columns, at, rows) =>
          numberOf(columns, at, rows) === undefined
            ? undefined
            : ((columns.flags[at] ?? 0) & RESTARTED) !== 0,
        ),
      ]
    case 'state':
      return [column(value, 'word', (columns, at, rows) => text(rows, columns.text[at]))]
    case 'fingerprint':
      return [
        column(value, 'hex', fingerprintAt),
        column(changed, 'yes or no', (columns, at) =>
          ((columns.flags[at] ?? 0) & KNOWN) === 0 ? undefined : ((columns.flags[at] ?? 0) & CHANGED) !== 0,
        ),
      ]
  }
}

/** What was rolled up; columns by outcome and state are as many as occur in these rows. */
export const rollupColumns = (
  registry: MetricRegistry,
  outcomes: Iterable<number>,
  states: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Column<Rollup>[] => [
  { name: 'time', unit: 'UTC, ISO 8601', of: ({ startMs }, at) => isoTime(startMs[at] ?? 0) },
  { name: 'time_ms', unit: 'ms since 1970', of: ({ startMs }, at) => startMs[at] },
  { name: 'step', unit: 'ms', of: ({ stepMs }) => stepMs },
  ...Array.from(outcomes, (code): Column<Rollup> => ({
    name: `time_${OUTCOMES[code] ?? code}`,
    unit: 'ms',
    of: ({ outcomeMs }, at) => outcomeMs.get(code)?.[at] ?? 0,
  })),
  ...registry.flatMap((metric) => rolledColumns(metric, states.get(metric.id) ?? new Set())),
]

function rolledColumns(metric: Metric, words: ReadonlySet<string>): readonly Column<Rollup>[] {
  const { id, kind, exportName } = metric
  if (kind === 'state')
    return Array.from(words, (word): Column<Rollup> => ({
      name: `time_${exportName}_${word}`,
      unit: 'ms',
      of: (rollup, at) => {
        const rolled = rolledMetric(rollup, id)
        return rolled && (rolled.columns.get(word)?.[at] ?? 0)
      },
    }))
  if (kind === 'counter' || kind === 'fingerprint')
    return COLUMNS[kind].map((what): Column<Rollup> => ({
      name: what === 'unwatched' ? `${exportName}_increase_not_watched` : `${exportName}_${what}`,
      unit: 'count',
      // Without any answer nobody knows whether there were more. Whether each answer had the value is not kept.
      of: (rollup, at) =>
        (rollup.polls.get(ANSWERED)?.[at] ?? 0) === 0 ? undefined : rolledColumn(rollup, id, what)[at],
    }))
  return valueColumns(metric)
}

function valueColumns({ id, exportName, unit, distribution }: Metric): readonly Column<Rollup>[] {
  const one = (what: 'min' | 'max' | 'first' | 'last' | 'sum'): Column<Rollup> => ({
    name: `${exportName}_${what}`,
    unit: UNITS[unit],
    of: (rollup, at) =>
      (rolledColumn(rollup, id, 'count')[at] ?? 0) === 0 ? undefined : rolledColumn(rollup, id, what)[at],
  })
  const quantile = (share: number): Column<Rollup> => ({
    name: `${exportName}_p${share * 100}`,
    unit: UNITS[unit],
    of: (rollup, at) => {
      const rolled = rolledMetric(rollup, id)
      return rolled && known(quantileOf(rolled.metric, rolled.spread?.[at] ?? EMPTY_HISTOGRAM, share))
    },
  })
  return [
    ...(['min', 'max', 'first', 'last', 'sum'] as const).map(one),
    {
      name: `${exportName}_count`,
      unit: 'count',
      of: (rollup, at) => rolledColumn(rollup, id, 'count')[at] ?? 0,
    },
    ...(distribution === undefined ? [] : [quantile(0.5), quantile(0.95)]),
  ]
}
