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
  sampleKeys,
  UNWATCHED,
  type MetricColumns,
  type SampleKeys,
  type Series,
} from '#history/series.ts'
import type { Metric, MetricRegistry, MetricUnit } from '#metrics/metric.ts'

/** A column of an export, with its name and unit. */
export type Column<T> = {
  readonly name: string
  readonly unit: string
  readonly of: (rows: T, place: number) => Cell
}

/** `read`: sets the cell's value in a sample, named by `sampleKeys`. */
export type SampleColumn = Column<Series> & {
  readonly read: (cell: unknown, sample: Record<string, unknown>) => void
}

/** Undefined means unknown. */
export type Cell = string | number | boolean | undefined

/** Stands for an outcome where no poll was made: from this moment nobody watched. */
export const NOT_WATCHED_WORD = 'not-watched'

const known = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value
const isoTime = (atMs: number): string => (Number.isFinite(atMs) ? new Date(atMs).toISOString() : '')
const hasFlag = ({ flags }: MetricColumns, at: number, flag: number): boolean =>
  ((flags[at] ?? 0) & flag) !== 0

const isNumber = (cell: unknown): cell is number => Number.isFinite(cell)
const TIME_MAX = 8.64e15
const isTime = (cell: unknown): boolean =>
  Number.isSafeInteger(cell) && Number(cell) >= 0 && Number(cell) <= TIME_MAX
const isWord = (cell: unknown): boolean => typeof cell === 'string' && cell.length <= 256
const isFingerprint = (cell: unknown): boolean => typeof cell === 'string' && /^[0-9a-f]{8}$/.test(cell)
const isFlag = (cell: unknown): boolean => typeof cell === 'boolean'
const as =
  (key: string, fits: (cell: unknown) => boolean): SampleColumn['read'] =>
  (cell, sample) => {
    if (fits(cell)) sample[key] = cell
  }
const EXACT = /^-?\d{1,80}(\.\d{1,80})?$/
/** A number, or its exact text if the double is not exact. */
const asAmount =
  ({ value, exact }: SampleKeys): SampleColumn['read'] =>
  (cell, sample) => {
    if (isNumber(cell)) sample[value] = cell
    else if (typeof cell === 'string' && EXACT.test(cell))
      Object.assign(sample, { [value]: Number(cell), [exact]: cell })
  }

const UNITS: Readonly<Record<MetricUnit, string>> = {
  amount: 'as the service counts',
  ratio: '0 to 1',
  ms: 'ms',
  count: 'count',
  none: 'word',
}

export const sampleColumns = (registry: MetricRegistry): readonly SampleColumn[] => [
  {
    name: 'time',
    unit: 'UTC, ISO 8601',
    of: ({ columns }, at) => isoTime(columns.atMs[at] ?? 0),
    read: () => undefined,
  },
  {
    name: 'time_ms',
    unit: 'ms since 1970',
    of: ({ columns }, at) => columns.atMs[at],
    read: as('atMs', isTime),
  },
  {
    name: 'outcome',
    unit: 'answered, a failure, or not-watched',
    of: ({ columns }, at) =>
      columns.outcome[at] === NOT_WATCHED ? NOT_WATCHED_WORD : OUTCOMES[columns.outcome[at] ?? 0],
    read: as('outcome', isWord),
  },
  {
    name: 'interval',
    unit: 'ms',
    of: ({ columns }, at) => known(columns.everyMs[at]),
    read: as('everyMs', isNumber),
  },
  {
    name: 'service_time',
    unit: 'ms since 1970',
    of: ({ columns }, at) => known(columns.serviceMs[at]),
    read: as('serviceMs', isNumber),
  },
  ...registry.flatMap(metricColumns),
]

function metricColumns(metric: Metric): readonly SampleColumn[] {
  const { id, kind, exportName, unit } = metric
  const keys = sampleKeys(metric)
  const column = (
    suffix: string,
    inWords: string,
    read: SampleColumn['read'],
    of: (columns: MetricColumns, at: number) => Cell,
  ): SampleColumn => ({
    name: `${exportName}${suffix}`,
    unit: inWords,
    read,
    of: (rows, at) => {
      const columns = columnsOf(rows, id)
      return columns && of(columns, at)
    },
  })
  const numberOf = ({ text, value }: MetricColumns, at: number) => text[at] ?? known(value[at])
  const ofTotal =
    (of: (columns: MetricColumns, at: number) => Cell) => (columns: MetricColumns, at: number) =>
      numberOf(columns, at) === undefined ? undefined : of(columns, at)
  switch (kind) {
    case 'gauge':
      return [
        column(
          '',
          UNITS[unit],
          metric.field === undefined ? as(metric.measured, isNumber) : asAmount(keys),
          numberOf,
        ),
      ]
    case 'timestamp':
      return [column('', UNITS[unit], as(keys.value, isNumber), numberOf)]
    case 'counter':
      return [
        column('_total', UNITS[unit], asAmount(keys), numberOf),
        column(
          '_increase',
          'count',
          as(keys.increase, isNumber),
          ofTotal((columns, at) => (hasFlag(columns, at, UNWATCHED) ? undefined : columns.increase[at])),
        ),
        // Increases while nobody watched, in the row that ended the gap.
        column(
          '_increase_not_watched',
          'count',
          (cell, sample) => {
            if (isNumber(cell)) Object.assign(sample, { [keys.increase]: cell, [keys.unwatched]: true })
          },
          ofTotal((columns, at) => (hasFlag(columns, at, UNWATCHED) ? columns.increase[at] : undefined)),
        ),
        column(
          '_restarted',
          'yes or no',
          as(keys.restarted, isFlag),
          ofTotal((columns, at) => hasFlag(columns, at, RESTARTED)),
        ),
      ]
    case 'state':
      return [column('', 'word', as(keys.value, isWord), ({ text }, at) => text[at])]
    case 'fingerprint':
      return [
        column('_fingerprint', 'hex', as(keys.value, isFingerprint), fingerprintAt),
        column('_changed', 'yes or no', as(keys.changed, isFlag), (columns, at) =>
          hasFlag(columns, at, KNOWN) ? hasFlag(columns, at, CHANGED) : undefined,
        ),
      ]
  }
}

/** Rollup columns; those by outcome and state depend on the rows. */
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
      // Without an answer the number is unknown. Whether each answer had the value is not stored.
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
