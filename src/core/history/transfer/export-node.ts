import { CSV_MARK, csvLine, type CsvCell } from '#base/csv.ts'
import { sampleColumns, rollupColumns, type Column } from './export-columns.ts'
import type { TimeRange } from '#base/time.ts'
import { firstMsOf } from '#history/store/head-block.ts'
import { readRollups, readSamples } from '#history/store/read-history.ts'
import type { StoreState } from '#history/store/store-state.ts'
import { stepsWithin } from '#history/rollup.ts'
import { rowFrom } from '#history/series.ts'
import { TIERS, type TierName } from '#history/tiers.ts'
import { EXPORT_FORMAT, type ExportQuery, type TransferEnd, type TransferSink } from './transfer.ts'

type Source = {
  readonly columns: readonly { readonly name: string; readonly unit: string }[]
  /** Those that may have rows. */
  readonly windows: readonly TimeRange[]
  readonly rows: (window: TimeRange) => Promise<readonly (readonly CsvCell[])[]>
}

/** Writes a node's history as text, one block of time after another. */
export async function exportNode(
  state: StoreState,
  query: ExportQuery,
  write: TransferSink,
): Promise<TransferEnd> {
  const { tier, form } = query
  const all = windowsOf(within(state, query), TIERS[tier].blockMs)
  const { columns, windows, rows } =
    tier === 'samples' ? samplesOf(state, query, all) : await rollupsOf(state, query, tier, all)
  const isCsv = form === 'csv'
  if (!(await write(isCsv ? csvHead(columns) : jsonHead(query, columns), 0))) return { kind: 'cancelled' }
  let count = 0
  for (const [at, window] of windows.entries()) {
    let text = ''
    for (const cells of await rows(window)) {
      if (isCsv) text += csvLine(cells)
      else text += `${count === 0 ? '\n' : ',\n'}${JSON.stringify(cells.map((cell) => cell ?? null))}`
      count++
    }
    if (!(await write(text, (at + 1) / windows.length))) return { kind: 'cancelled' }
    await state.yieldToEventLoop()
  }
  if (!isCsv && !(await write('\n]}\n', 1))) return { kind: 'cancelled' }
  return { kind: 'done', rows: count, skipped: 0 }
}

/** The part of the range that can have data. */
const within = (
  { status, head, clock }: StoreState,
  { node, fromMs, toMs, tier }: ExportQuery,
): TimeRange => {
  const reachMs = status.get().reach[tier] ?? Number.POSITIVE_INFINITY
  const firstMs = Math.min(reachMs, firstMsOf(head.nodes.get(node)?.series))
  return { fromMs: Math.max(fromMs, firstMs), toMs: Math.min(toMs, clock.wallMs() + 1) }
}

function windowsOf({ fromMs, toMs }: TimeRange, lengthMs: number): readonly TimeRange[] {
  const windows: TimeRange[] = []
  for (let at = fromMs; at < toMs;) {
    const end = Math.min(toMs, (Math.floor(at / lengthMs) + 1) * lengthMs)
    windows.push({ fromMs: at, toMs: end })
    at = end
  }
  return windows
}

function samplesOf(state: StoreState, { node }: ExportQuery, windows: readonly TimeRange[]): Source {
  const columns = sampleColumns(state.metrics)
  return {
    columns,
    windows,
    rows: async (window) => {
      const series = await readSamples(state, { node, ...window })
      return cellsOf(series, columns, rowFrom(series, window.fromMs), rowFrom(series, window.toMs))
    },
  }
}

/**
 * Reads twice instead of holding everything in memory, because the columns depend on all outcomes and status
 * words. Windows without rows are read once.
 */
async function rollupsOf(
  state: StoreState,
  { node }: ExportQuery,
  tier: Exclude<TierName, 'samples'>,
  all: readonly TimeRange[],
): Promise<Source> {
  const windows: TimeRange[] = []
  const outcomes = new Set<number>()
  const states = new Map<string, Set<string>>()
  for (const window of all) {
    const rollups = await readRollups(state, tier, { node, ...window })
    if (rollups.startMs.length > 0) windows.push(window)
    for (const code of rollups.outcomeMs.keys()) outcomes.add(code)
    for (const { metric, columns } of rollups.metrics) {
      if (metric.kind !== 'state') continue
      const words = states.get(metric.id) ?? new Set()
      states.set(metric.id, words)
      for (const word of columns.keys()) words.add(word)
    }
    await state.yieldToEventLoop()
  }
  const columns = rollupColumns(state.metrics, outcomes, states)
  return {
    columns,
    windows,
    rows: async ({ fromMs, toMs }) => {
      const { stepMs } = TIERS[tier]
      const rollup = await readRollups(state, tier, { node, fromMs, toMs })
      const steps = stepsWithin(rollup, Math.floor(fromMs / stepMs) * stepMs, toMs)
      return cellsOf(steps, columns, 0, steps.startMs.length)
    },
  }
}

const cellsOf = <T>(
  rows: T,
  columns: readonly Column<T>[],
  from: number,
  to: number,
): readonly (readonly CsvCell[])[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => columns.map(({ of }) => of(rows, from + at)))

const csvHead = (columns: Source['columns']): string =>
  CSV_MARK + csvLine(columns.map(({ name, unit }) => `${name} (${unit})`))

const jsonHead = ({ node, tier, fromMs, toMs }: ExportQuery, columns: Source['columns']): string =>
  `${JSON.stringify({
    format: EXPORT_FORMAT,
    version: 1,
    node,
    resolution: tier,
    fromMs,
    toMs,
    columns: columns.map(({ name }) => name),
    units: Object.fromEntries(columns.map(({ name, unit }) => [name, unit])),
  }).slice(0, -1)},"rows":[`
