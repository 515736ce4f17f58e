import { err, ok, type Result } from '#base/result.ts'
import { NOT_WATCHED_WORD, sampleHeadings } from './export-columns.ts'
import type { Sample } from '#history/history.ts'
import { OUTCOMES, sampleKeys, type SampleKeys } from '#history/series.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { EXPORT_FORMAT, LINE_MAX, type FileProblem, type LineSource } from './transfer.ts'

/** A row of an own export: a sample, or a moment from which nobody watched. */
export type ExportedRow = Sample | { readonly notWatchedFromMs: number }

/** Reads an own export of samples; `take` gets its rows in order. Rejects nothing: what is wrong with the file is said. */
export async function readExport(
  lines: LineSource,
  registry: MetricRegistry,
  take: (node: string, row: ExportedRow) => void,
): Promise<Result<string, FileProblem>> {
  // Once, and not for each of a quarter of a million rows.
  const metrics = registry.map((metric) => ({
    metric,
    names: sampleHeadings(metric),
    keys: sampleKeys(metric),
  }))
  let head: Head | undefined
  let line = 0
  let lastMs = Number.NEGATIVE_INFINITY
  let isEnded = false
  try {
    for await (const text of lines()) {
      line++
      if (text.length > LINE_MAX) return err({ kind: 'too-long-line', line })
      if (isEnded) {
        if (text.trim() !== '') return err({ kind: 'broken-line', line })
      } else if (head === undefined) {
        const read = headOf(text)
        if (!read.ok) return read
        head = read.value
      } else if (text === ']}') isEnded = true
      else {
        const row = rowOf(head, text, metrics)
        if (row === undefined) return err({ kind: 'broken-line', line })
        const atMs = 'node' in row ? row.atMs : row.notWatchedFromMs
        if (atMs <= lastMs) return err({ kind: 'broken-line', line })
        lastMs = atMs
        take(head.node, row)
      }
    }
  } catch {
    return err({ kind: 'too-long-line', line: line + 1 })
  }
  if (head === undefined) return err({ kind: 'not-ours' })
  return isEnded ? ok(head.node) : err({ kind: 'cut-off', line })
}

/** Whose the file is, and its columns: those that this build does not know are passed over. */
type Head = { readonly node: string; readonly columns: readonly string[] }

const NEEDED = ['time_ms', 'outcome']

function headOf(text: string): Result<Head, FileProblem> {
  if (text.startsWith('time (')) return err({ kind: 'csv' })
  const head = parsed(`${text.trimEnd()}]}`)
  if (!isObject(head) || member(head, 'format') !== EXPORT_FORMAT) return err({ kind: 'not-ours' })
  if (member(head, 'version') !== 1) return err({ kind: 'newer' })
  if (member(head, 'resolution') !== 'samples') return err({ kind: 'rollups' })
  const node = member(head, 'node')
  const columns = member(head, 'columns')
  if (typeof node !== 'string' || node.length > 1_024 || !Array.isArray(columns))
    return err({ kind: 'not-ours' })
  const names = columns.filter((name) => typeof name === 'string')
  const fits = names.length === columns.length && new Set(names).size === names.length
  return fits && NEEDED.every((name) => names.includes(name))
    ? ok({ node, columns: names })
    : err({ kind: 'not-ours' })
}

const TIME_MAX = 8.64e15

type NamedMetric = {
  readonly metric: Metric
  readonly names: ReturnType<typeof sampleHeadings>
  readonly keys: SampleKeys
}

function rowOf(
  { node, columns }: Head,
  text: string,
  metrics: readonly NamedMetric[],
): ExportedRow | undefined {
  const cells = parsed(text.replace(/,\s*$/, ''))
  if (!Array.isArray(cells) || cells.length !== columns.length) return undefined
  const row = new Map<string, unknown>()
  for (const [place, name] of columns.entries()) row.set(name, cells[place])
  const atMs = numberIn(row, 'time_ms')
  if (atMs === undefined || !Number.isSafeInteger(atMs) || atMs < 0 || atMs > TIME_MAX) return undefined
  if (row.get('outcome') === NOT_WATCHED_WORD) return { notWatchedFromMs: atMs }
  const outcome = OUTCOMES.find((known) => known === row.get('outcome'))
  if (outcome === undefined) return undefined
  return {
    node,
    atMs,
    outcome,
    latencyMs: 0,
    ...defined({
      everyMs: numberIn(row, 'interval'),
      serviceMs: numberIn(row, 'service_time'),
      ...Object.assign({}, ...metrics.map((metric) => metricIn(row, metric))),
    }),
  }
}

type Row = ReadonlyMap<string, unknown>

function numberIn(row: Row, name: string): number | undefined {
  const value = row.get(name)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function wordIn(row: Row, name: string): string | undefined {
  const value = row.get(name)
  return typeof value === 'string' && value.length <= 256 ? value : undefined
}

/** What a row says of a metric, by `sampleKeys`. */
function metricIn(row: Row, { metric, names, keys }: NamedMetric): Readonly<Record<string, unknown>> {
  switch (metric.kind) {
    case 'gauge':
      return metric.field === undefined
        ? { [metric.measured]: numberIn(row, names.value) }
        : amountIn(row, names.value, keys)
    case 'timestamp':
      return { [keys.value]: numberIn(row, names.value) }
    case 'counter':
      return {
        ...amountIn(row, names.value, keys),
        [keys.increase]: numberIn(row, names.unwatched) ?? numberIn(row, names.increase),
        [keys.unwatched]: numberIn(row, names.unwatched) === undefined ? undefined : true,
        [keys.restarted]: row.get(names.restarted) === true,
      }
    case 'state':
      return { [keys.value]: wordIn(row, names.value) }
    case 'fingerprint': {
      const changed = row.get(names.changed)
      return {
        [keys.value]: wordIn(row, names.value),
        [keys.changed]: typeof changed === 'boolean' ? changed : undefined,
      }
    }
  }
}

/** A number, or the exact text of one that no double shows. */
function amountIn(
  row: Row,
  name: string,
  { value: key, exact }: SampleKeys,
): Readonly<Record<string, unknown>> {
  const value = row.get(name)
  if (typeof value === 'number' && Number.isFinite(value)) return { [key]: value }
  if (typeof value !== 'string' || !/^-?\d{1,80}(\.\d{1,80})?$/.test(value)) return {}
  return { [key]: Number(value), [exact]: value }
}

const defined = (given: Readonly<Record<string, unknown>>): Partial<Sample> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const member = (value: object, name: string): unknown =>
  new Map<string, unknown>(Object.entries(value)).get(name)
