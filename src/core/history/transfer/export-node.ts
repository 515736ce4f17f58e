import { csvLine } from '#base/csv.ts'
import { sampleColumns, rollupColumns, type Cell, type Column } from './export-columns.ts'
import type { TransferStore } from '#history/store/stored-history.ts'
import type { Rollup } from '#history/rollup.ts'
import { placeAt, type Series } from '#history/series.ts'
import { TIERS, type TierName } from '#history/tiers.ts'
import { EXPORT_FORMAT, type ExportQuery, type TransferEnd, type TransferSink } from './transfer.ts'

type Window = { readonly fromMs: number; readonly toMs: number }

/** What is exported, stretch by stretch. */
type Source = {
  readonly columns: readonly { readonly name: string; readonly unit: string }[]
  readonly rows: (window: Window) => Promise<readonly (readonly Cell[])[]>
}

/** Writes a node's history as a file of text, a block of time after the other. */
export async function exportNode(
  store: TransferStore,
  query: ExportQuery,
  write: TransferSink,
): Promise<TransferEnd> {
  const { tier, form } = query
  const windows = windowsOf(within(store, query), TIERS[tier].blockMs)
  const { columns, rows } =
    tier === 'samples' ? samplesOf(store, query) : await rollupsOf(store, query, tier, windows)
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
    await store.yieldToEventLoop()
  }
  if (!isCsv && !(await write('\n]}\n', 1))) return { kind: 'cancelled' }
  return { kind: 'done', rows: count, skipped: 0 }
}

/** The part of the range in which there can be anything. */
const within = ({ firstMs, clock }: TransferStore, { node, fromMs, toMs, tier }: ExportQuery): Window => ({
  fromMs: Math.max(fromMs, firstMs(node, tier)),
  toMs: Math.min(toMs, clock.wallMs() + 1),
})

function windowsOf({ fromMs, toMs }: Window, lengthMs: number): readonly Window[] {
  const windows: Window[] = []
  for (let at = fromMs; at < toMs;) {
    const end = Math.min(toMs, (Math.floor(at / lengthMs) + 1) * lengthMs)
    windows.push({ fromMs: at, toMs: end })
    at = end
  }
  return windows
}

function samplesOf(store: TransferStore, { node }: ExportQuery): Source {
  const columns = sampleColumns(store.metrics)
  return {
    columns,
    rows: async (window) => {
      const series: Series = await store.readSamples({ node, ...window })
      return cellsOf(series, columns, placeAt(series, window.fromMs), placeAt(series, window.toMs))
    },
  }
}

/** Which outcomes and status words occur is known when all is read: so it is read twice, and never held at once. */
async function rollupsOf(
  store: TransferStore,
  { node }: ExportQuery,
  tier: Exclude<TierName, 'samples'>,
  windows: readonly Window[],
): Promise<Source> {
  const outcomes = new Set<number>()
  const states = new Map<string, Set<string>>()
  for (const window of windows) {
    const rollups = await store.readRollups(tier, { node, ...window })
    for (const code of rollups.outcomeMs.keys()) outcomes.add(code)
    for (const rolled of rollups.metrics) {
      if (rolled.kind !== 'state') continue
      const words = states.get(rolled.metric.id) ?? new Set()
      states.set(rolled.metric.id, words)
      for (const word of rolled.heldMs.keys()) words.add(word)
    }
    await store.yieldToEventLoop()
  }
  const columns = rollupColumns(store.metrics, outcomes, states)
  return {
    columns,
    rows: async ({ fromMs, toMs }) => {
      const rollups: Rollup = await store.readRollups(tier, { node, fromMs, toMs })
      const { stepMs } = TIERS[tier]
      const startMs = Math.floor(fromMs / stepMs) * stepMs
      const places = rollups.startMs.map((atMs, place) => (atMs >= startMs && atMs < toMs ? place : -1))
      const first = places.findIndex((place) => place !== -1)
      return first === -1
        ? []
        : cellsOf(rollups, columns, first, places.findLastIndex((place) => place !== -1) + 1)
    },
  }
}

const cellsOf = <T>(
  rows: T,
  columns: readonly Column<T>[],
  from: number,
  to: number,
): readonly (readonly Cell[])[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => columns.map(({ of }) => of(rows, from + at)))

const csvHead = (columns: Source['columns']): string =>
  csvLine(columns.map(({ name, unit }) => `${name} (${unit})`))

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
