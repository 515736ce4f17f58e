import type { Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { TransferStore } from '#history/store/stored-history.ts'
import { readExport } from './read-export.ts'
import {
  placePieces,
  pollsIn,
  ROLLUP_FORM,
  rollupPieces,
  SERIES_FORM,
  seriesPieces,
  type Piece,
  type RecordForm,
} from '#history/store/records.ts'
import { rollSeries } from '#history/roll-series.ts'
import { coarsen, type Rollup } from '#history/rollup.ts'
import { numberOf, writeTo } from '#history/store/segments.ts'
import { appendNotWatched, appendSample, createSeries, placeAt, type Series } from '#history/series.ts'
import type { Change, StorageFailure } from '#history/storage.ts'
import { segmentAt, segmentToMs, TIERS, type SegmentId } from '#history/tiers.ts'
import type { LineSource, TransferEnd } from './transfer.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Rows of one file: three months at ten seconds. */
const ROWS_MAX = 800_000

/**
 * Takes an own export in. Only whole hours of which this browser has nothing: an hour that is here is
 * the same, or was seen here and stays as it was seen. `go`: how much is done; false ends it there.
 */
export async function importNode(
  store: TransferStore,
  lines: LineSource,
  go: (share: number) => Promise<boolean>,
): Promise<TransferEnd> {
  const series = createSeries(1_024, store.metrics)
  let rows = 0
  const read = await readExport(lines, store.metrics, (_, row) => {
    if (++rows > ROWS_MAX) return
    if ('node' in row) appendSample(series, row, ROWS_MAX * 2)
    else appendNotWatched(series, row.notWatchedFromMs, ROWS_MAX * 2)
  })
  if (!read.ok) return { kind: 'refused', problem: read.error }
  if (rows > ROWS_MAX) return { kind: 'refused', problem: { kind: 'too-many' } }
  let taken = 0
  const lastMs = series.columns.atMs[series.length - 1] ?? 0
  for (let at = 0; at < series.length;) {
    const dayMs = Math.floor((series.columns.atMs[at] ?? 0) / DAY_MS) * DAY_MS
    const end = placeAt(series, dayMs + DAY_MS)
    const done = await store.exclusive(() => takeDay(store, read.value, series, dayMs))
    if (!done.ok) return { kind: 'failed', failure: done.error }
    taken += done.value
    at = end
    if (!(await go(Math.min(1, (dayMs + DAY_MS) / Math.max(1, lastMs))))) return { kind: 'cancelled' }
    await store.yieldToEventLoop()
  }
  await store.survey()
  return { kind: 'done', rows: taken, skipped: rows - taken }
}

/** The hours of one day that are not here yet. Resolves to how many rows were taken. */
async function takeDay(
  store: TransferStore,
  node: string,
  series: Series,
  dayMs: number,
): Promise<Result<number, StorageFailure>> {
  const range = { node, fromMs: dayMs, toMs: dayMs + DAY_MS }
  const here = await store.readSamples(range)
  const rollups = await store.readRollups('minute', range)
  const held = new Set<number>(rollups.startMs.map((atMs) => Math.floor(atMs / HOUR_MS)))
  for (let at = 0; at < here.length; at++) held.add(Math.floor((here.columns.atMs[at] ?? 0) / HOUR_MS))
  // Of an hour that is not over, more may come; and what is to go soon anyway is not taken in.
  const endMs = store.clock.wallMs() - DEFAULTS.timeoutMaxMs - HOUR_MS
  let taken = 0
  for (let hourMs = dayMs; hourMs < dayMs + DAY_MS && hourMs + HOUR_MS <= endMs; hourMs += HOUR_MS) {
    const from = placeAt(series, hourMs)
    const to = placeAt(series, hourMs + HOUR_MS)
    if (from === to || held.has(hourMs / HOUR_MS)) continue
    const kept = await takeHour(store, node, { series, from, to }, hourMs)
    if (!kept.ok) return kept
    taken += to - from
  }
  return { ok: true, value: taken }
}

type Hour = { readonly series: Series; readonly from: number; readonly to: number }

/** Rollups first and samples last: what is cut off between them is not taken twice. */
async function takeHour(
  store: TransferStore,
  node: string,
  { series, from, to }: Hour,
  hourMs: number,
): Promise<Result<undefined, StorageFailure>> {
  // The rows before it say what held when it began.
  const window = { fromMs: hourMs, toMs: hourMs + HOUR_MS }
  const quarter = rollSeries(series, window, TIERS.quarter.stepMs, true)
  const coarse = await put(store, segmentAt('coarse', hourMs), node, ROLLUP_FORM, 0, (number) => [
    ...rollupPieces('quarter', number, quarter),
    ...rollupPieces('hour', number, coarsen(quarter, TIERS.hour.stepMs)),
  ])
  if (!coarse.ok) return coarse
  const rollups: Rollup = rollSeries(series, window, TIERS.minute.stepMs, false)
  const minute = await put(store, segmentAt('minute', hourMs), node, ROLLUP_FORM, 0, (number) =>
    rollupPieces('minute', number, rollups),
  )
  if (!minute.ok) return minute
  const polls = pollsIn(series, from, to)
  return put(store, segmentAt('samples', hourMs), node, SERIES_FORM, polls, (number) =>
    seriesPieces(number, series, from, to),
  )
}

function put<T>(
  store: TransferStore,
  id: SegmentId,
  node: string,
  form: RecordForm<T>,
  polls: number,
  piecesOf: (number: number) => readonly Piece<T>[],
): Promise<Result<undefined, StorageFailure>> {
  return store.segments.use(id, async (segment) => {
    const changes: Change[] = []
    const pieces = piecesOf(numberOf(segment, node, changes))
    const placed = await placePieces(segment, form, pieces, store.packer)
    if (!placed.ok) return placed
    const times = pieces.map(({ key }) => key.fromMs)
    return writeTo(segment, [...changes, ...placed.value.changes], {
      ...segment.meta,
      samples: segment.meta.samples + polls,
      bytes: segment.meta.bytes + placed.value.bytes,
      firstMs: Math.min(segment.meta.firstMs ?? Number.POSITIVE_INFINITY, ...times),
      lastMs: Math.max(
        segment.meta.lastMs ?? Number.NEGATIVE_INFINITY,
        Math.min(segmentToMs(id) - 1, ...times.map((atMs) => atMs)),
      ),
    })
  })
}
