import { rolledQuantile } from '#history/roll-series.ts'
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
import type { CsvCell } from '#base/csv.ts'
import type { Metric, MetricRegistry, MetricUnit } from '#metrics/metric.ts'

/** A column of an export, with its name and unit. */
export type Column<T> = {
  readonly name: string
  readonly unit: string
  readonly of: (rows: T, row: number) => CsvCell
}

/** `read`: sets the cell's value in a sample, named by `sampleKeys`. */
export type SampleColumn = Column<Series> & {
  readonly read: (cell: unknown, sample: Record<string, unknown>) => void
}

export const NOT_WATCHED_WORD = 'not-watched'

const TIME = ['time', 'UTC, ISO 8601'] as const
const TIME_MS = ['time_ms', 'ms since 1970'] as const

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
  amount: 'unit of the service',
  ratio: '0 to 1',
  ms: 'ms',
  count: 'count',
  none: 'word',
}

const sampleColumn = (
  name: string,
  unit: string,
  read: SampleColumn['read'],
  of: SampleColumn['of'],
): SampleColumn => ({ name, unit, read, of })

export const sampleColumns = (registry: MetricRegistry): readonly SampleColumn[] => [
  sampleColumn(
    ...TIME,
    () => undefined,
    ({ columns }, at) => isoTime(columns.atMs[at] ?? 0),
  ),
  sampleColumn(...TIME_MS, as('atMs', isTime), ({ columns }, at) => columns.atMs[at]),
  sampleColumn('outcome', 'answered, a failure, or not-watched', as('outcome', isWord), ({ columns }, at) =>
    columns.outcome[at] === NOT_WATCHED ? NOT_WATCHED_WORD : OUTCOMES[columns.outcome[at] ?? 0],
  ),
  sampleColumn('interval', 'ms', as('everyMs', isNumber), ({ columns }, at) => known(columns.everyMs[at])),
  sampleColumn('service_time', TIME_MS[1], as('serviceMs', isNumber), ({ columns }, at) =>
    known(columns.serviceMs[at]),
  ),
  ...registry.flatMap(metricColumns),
]

function metricColumns(metric: Metric): readonly SampleColumn[] {
  const { id, kind, exportName } = metric
  const unit = UNITS[metric.unit]
  const keys = sampleKeys(metric)
  const column = (
    suffix: string,
    inWords: string,
    read: SampleColumn['read'],
    of: (columns: MetricColumns, at: number) => CsvCell,
  ): SampleColumn =>
    sampleColumn(`${exportName}${suffix}`, inWords, read, (rows, at) => {
      const columns = columnsOf(rows, id)
      return columns && of(columns, at)
    })
  switch (kind) {
    case 'gauge': {
      const read = metric.field === undefined ? as(metric.measured, isNumber) : asAmount(keys)
      return [column('', unit, read, numberOf)]
    }
    case 'timestamp':
      return [column('', unit, as(keys.value, isNumber), numberOf)]
    case 'counter':
      return [
        column('_total', unit, asAmount(keys), numberOf),
        column('_increase', 'count', as(keys.increase, isNumber), (columns, at) =>
          increaseOf(columns, at, false),
        ),
        // The increase while nobody watched is in the row that ended the gap.
        column(
          '_increase_not_watched',
          'count',
          (cell, sample) => {
            if (isNumber(cell)) Object.assign(sample, { [keys.increase]: cell, [keys.unwatched]: true })
          },
          (columns, at) => increaseOf(columns, at, true),
        ),
        column('_restarted', 'yes or no', as(keys.restarted, isFlag), (columns, at) =>
          numberOf(columns, at) === undefined ? undefined : hasFlag(columns, at, RESTARTED),
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

const numberOf = ({ text, value }: MetricColumns, at: number) => text[at] ?? known(value[at])

const increaseOf = (columns: MetricColumns, at: number, isUnwatched: boolean) =>
  numberOf(columns, at) !== undefined && hasFlag(columns, at, UNWATCHED) === isUnwatched
    ? columns.increase[at]
    : undefined

const rollupColumn = (name: string, unit: string, of: Column<Rollup>['of']): Column<Rollup> => ({
  name,
  unit,
  of,
})

/** Rollup columns; those by outcome and state depend on the rows. */
export const rollupColumns = (
  registry: MetricRegistry,
  outcomes: Iterable<number>,
  states: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Column<Rollup>[] => [
  rollupColumn(...TIME, ({ startMs }, at) => isoTime(startMs[at] ?? 0)),
  rollupColumn(...TIME_MS, ({ startMs }, at) => startMs[at]),
  rollupColumn('step', 'ms', ({ stepMs }) => stepMs),
  ...Array.from(outcomes, (code) =>
    rollupColumn(
      `time_${OUTCOMES[code] ?? code}`,
      'ms',
      ({ outcomeMs }, at) => outcomeMs.get(code)?.[at] ?? 0,
    ),
  ),
  ...registry.flatMap((metric) => rolledColumns(metric, states.get(metric.id) ?? new Set())),
]

function rolledColumns(metric: Metric, words: ReadonlySet<string>): readonly Column<Rollup>[] {
  const { id, kind, exportName } = metric
  if (kind === 'state')
    return Array.from(words, (word) =>
      rollupColumn(`time_${exportName}_${word}`, 'ms', (rollup, at) => {
        const rolled = rolledMetric(rollup, id)
        return rolled && (rolled.columns.get(word)?.[at] ?? 0)
      }),
    )
  if (kind === 'counter' || kind === 'fingerprint')
    return COLUMNS[kind].map((what) =>
      rollupColumn(
        what === 'unwatched' ? `${exportName}_increase_not_watched` : `${exportName}_${what}`,
        'count',
        // Without an answer the number is unknown. Whether each answer had the value is not stored.
        (rollup, at) =>
          (rollup.polls.get(ANSWERED)?.[at] ?? 0) === 0 ? undefined : rolledColumn(rollup, id, what)[at],
      ),
    )
  return valueColumns(metric)
}

function valueColumns({ id, exportName, unit, distribution }: Metric): readonly Column<Rollup>[] {
  const countOf = (rollup: Rollup, at: number) => rolledColumn(rollup, id, 'count')[at] ?? 0
  const one = (what: 'min' | 'max' | 'first' | 'last' | 'sum') =>
    rollupColumn(`${exportName}_${what}`, UNITS[unit], (rollup, at) =>
      countOf(rollup, at) === 0 ? undefined : rolledColumn(rollup, id, what)[at],
    )
  const quantile = (share: number) =>
    rollupColumn(`${exportName}_p${share * 100}`, UNITS[unit], (rollup, at) =>
      known(rolledQuantile(rollup, id, at, share)),
    )
  return [
    ...(['min', 'max', 'first', 'last', 'sum'] as const).map(one),
    rollupColumn(`${exportName}_count`, 'count', countOf),
    ...(distribution === undefined ? [] : [quantile(0.5), quantile(0.95)]),
  ]
}
