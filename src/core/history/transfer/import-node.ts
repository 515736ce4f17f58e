import { HOUR_MS } from '#base/time.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  appendNotWatched,
  appendRows,
  appendSamples,
  createSeries,
  rowFrom,
  type Series,
} from '#history/series.ts'
import { blockChanges } from '#history/store/blocks.ts'
import { placeRows } from '#history/store/compaction.ts'
import { lastMsOf } from '#history/store/head-block.ts'
import { survey } from '#history/store/maintenance.ts'
import { readRollups, readSamples } from '#history/store/read-history.ts'
import { newNodes } from '#history/store/recent.ts'
import type { StoreState } from '#history/store/store-state.ts'
import type { StorageFailure } from '#storage/storage.ts'
import { NOT_WATCHED_WORD } from './export-columns.ts'
import { readExport } from './read-export.ts'
import type { LineSource, TransferEnd } from './transfer.ts'

/** The most rows in one file: three months at a 10 s interval. */
const ROWS_MAX = 800_000

/**
 * Imports our own export in one transaction. It takes only whole hours that this browser has no data for;
 * other hours stay as they are. `go`: gets the progress; false cancels.
 */
export async function importNode(
  state: StoreState,
  lines: LineSource,
  go: (share: number) => Promise<boolean>,
): Promise<TransferEnd> {
  const series = createSeries(state.metrics, 1_024)
  let rows = 0
  const read = await readExport(lines, state.metrics, (row) => {
    if (++rows > ROWS_MAX) return 'too-many'
    if (row.outcome === NOT_WATCHED_WORD) appendNotWatched(series, row.atMs)
    else appendSamples(series, [row])
    return undefined
  })
  if (!read.ok) return read.error
  if (!(await go(0.4))) return { kind: 'cancelled', unchanged: true }
  const free = await freeRows(state, read.value, series)
  // Compaction must not run between the read and the write.
  const done =
    free.length === 0
      ? ok(undefined)
      : await state.maintenance(() => storeRows(state, read.value, free, () => go(0.9)))
  if (!done.ok) return { kind: 'failed', failure: done.error, unchanged: true }
  if (done.value === 'stopped') return { kind: 'cancelled', unchanged: true }
  await survey(state)
  return { kind: 'done', rows: free.length, skipped: rows - free.length }
}

/** Rows of past hours that this browser has no data for. */
async function freeRows(state: StoreState, node: string, series: Series): Promise<Series> {
  const free = createSeries(state.metrics, Math.max(1, series.length))
  const range = { node, fromMs: series.columns.atMs[0] ?? 0, toMs: lastMsOf(series) + 1 }
  const hourOf = (atMs: number): number => Math.floor(atMs / HOUR_MS) * HOUR_MS
  if (series.length === 0) return free
  const here = await readSamples(state, range)
  const taken = new Set(Array.from(here.columns.atMs.subarray(0, here.length), hourOf))
  const rolled = await readRollups(state, 'hour', range)
  for (const column of rolled.polls.values())
    for (const [row, polls] of column.entries()) if (polls > 0) taken.add(rolled.startMs[row] ?? 0)
  const endMs = hourOf(state.clock.wallMs())
  for (let at = 0; at < series.length;) {
    const hourMs = hourOf(series.columns.atMs[at] ?? 0)
    const end = rowFrom(series, hourMs + HOUR_MS)
    if (hourMs < endMs && !taken.has(hourMs)) appendRows(free, series, at, end)
    at = end
  }
  return free
}

async function storeRows(
  state: StoreState,
  node: string,
  rows: Series,
  go: () => Promise<boolean>,
): Promise<Result<'stopped' | undefined, StorageFailure>> {
  const { database } = state
  const named = await state.exclusive(() => database.commit([], { nodes: newNodes(database, [node]) }))
  if (!named.ok) return named
  const stored = database.nodes.get(node)
  if (stored === undefined) return err('broken')
  const placed = await placeRows(state, stored, rows)
  if (!placed.ok) return placed
  const { changes, grown } = await blockChanges(state.packer, placed.value)
  if (!(await go())) return ok('stopped')
  return state.exclusive(() => database.commit(changes, { grown }))
}
