import { ok, type Result } from '#base/result.ts'
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
import { coarsen } from '#history/rollup.ts'
import { numberOf, writeTo } from '#history/store/segments.ts'
import {
  appendNotWatched,
  appendRows,
  appendSample,
  createSeries,
  placeAt,
  type Series,
} from '#history/series.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import { sealPacked, unseal } from '#history/store/envelope.ts'
import type { Change, StorageFailure, StorageKey } from '#history/storage.ts'
import { HISTORY_PREFIX, segmentAt, TIERS, type SegmentKind } from '#history/tiers.ts'
import type { LineSource, TransferEnd } from './transfer.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Rows that are put aside at once, and hours that are taken in between two looks at whether to go on. */
const ROWS_STEP = 50_000
const HOURS_STEP = 24
/** Rows of one file: three months at ten seconds. */
const ROWS_MAX = 800_000

/** Where an import lies until all of it is taken in. No segment has this name. */
const IMPORT = `${HISTORY_PREFIX}-import`
/** In it, what is taken in; in a segment, how far that came. */
const IMPORT_KEY: StorageKey = ['import']
const FIRST_ROW: StorageKey = [Number.NEGATIVE_INFINITY]
const LAST_ROW: StorageKey = ['']

/** An import of which all is read, and what of it is taken in. */
type Plan = {
  readonly id: string
  readonly node: string
  readonly series: Series
  /** Starts of the hours of which nothing was here, oldest first. */
  readonly hours: readonly number[]
}

/**
 * Takes an own export in. Only whole hours of which this browser has nothing: an hour that is here is
 * the same, or was seen here and stays as it was seen. All of it is put aside first; what is cut off from then
 * on is completed at the next start. `go`: how much is done; false ends it there.
 */
export async function importNode(
  store: TransferStore,
  lines: LineSource,
  go: (share: number) => Promise<boolean>,
  rowsMax = ROWS_MAX,
): Promise<TransferEnd> {
  const before = await completeImport(store)
  if (!before.ok) return { kind: 'failed', failure: before.error, pending: true }
  const series = createSeries(1_024, store.metrics)
  let rows = 0
  const read = await readExport(lines, store.metrics, (_, row) => {
    if (++rows > rowsMax) return
    if ('node' in row) appendSample(series, row, rowsMax)
    else appendNotWatched(series, row.notWatchedFromMs, rowsMax)
  })
  if (!read.ok) return { kind: 'refused', problem: read.error }
  if (rows > rowsMax) return { kind: 'refused', problem: { kind: 'too-many' } }
  const node = read.value
  const hours = await freeHours(store, node, series, (share) => go(share / 2))
  if (hours === undefined) return { kind: 'cancelled', unchanged: true }
  const plan: Plan = { id: `${store.clock.wallMs()}`, node, series, hours }
  const aside = await putAside(store, plan)
  if (!aside.ok) {
    await store.storage.remove(IMPORT)
    return { kind: 'failed', failure: aside.error, unchanged: true }
  }
  const taken = await takeHours(store, plan, (share) => go(0.5 + share / 2))
  if (!taken.ok) return { kind: 'failed', failure: taken.error, pending: true }
  await store.storage.remove(IMPORT)
  await store.survey()
  const { isStopped, count } = taken.value
  return isStopped ? { kind: 'cancelled' } : { kind: 'done', rows: count, skipped: rows - count }
}

/** What an import that was cut off left: `completed` all that was put aside, `dropped` before all of it was. */
export async function completeImport(
  store: TransferStore,
): Promise<Result<'completed' | 'dropped' | 'none', StorageFailure>> {
  const names = await store.storage.list()
  if (!names.ok) return names
  if (!names.value.includes(IMPORT)) return ok('none')
  const plan = await readAside(store)
  if (!plan.ok) return plan
  const taken = plan.value && (await takeHours(store, plan.value, async () => true))
  if (taken?.ok === false) return taken
  const removed = await store.storage.remove(IMPORT)
  if (!removed.ok) return removed
  if (taken !== undefined) await store.survey()
  return ok(taken === undefined ? 'dropped' : 'completed')
}

/** What it would be put beside is there no more. */
export const dropImport = ({ storage }: TransferStore): Promise<unknown> => storage.remove(IMPORT)

async function putAside(
  { storage, packer }: TransferStore,
  { id, node, series, hours }: Plan,
): Promise<Result<undefined, StorageFailure>> {
  const opened = await storage.open(IMPORT)
  if (!opened.ok) return opened
  const database = opened.value
  try {
    for (let from = 0; from < series.length; from += ROWS_STEP) {
      const part = encodeSeries(series, from, Math.min(series.length, from + ROWS_STEP))
      const value = await sealPacked(part, packer)
      const kept = await database.write([{ kind: 'put', table: 'rows', key: [from], value }])
      if (!kept.ok) return kept
    }
    // Last: with it, all is there.
    return await database.write([
      { kind: 'put', table: 'meta', key: IMPORT_KEY, value: { id, node, hours, rows: series.length } },
    ])
  } finally {
    database.close()
  }
}

/** Undefined where not all of it was put aside. */
async function readAside({
  storage,
  packer,
  metrics,
}: TransferStore): Promise<Result<Plan | undefined, StorageFailure>> {
  const opened = await storage.open(IMPORT)
  if (!opened.ok) return opened
  const read = await opened.value.read([
    { table: 'meta', from: IMPORT_KEY, to: [...IMPORT_KEY, 0] },
    { table: 'rows', from: FIRST_ROW, to: LAST_ROW },
  ])
  opened.value.close()
  if (!read.ok) return read
  const [metas = [], rows = []] = read.value
  const plan = members(metas[0]?.value)
  const [id, node, hours, count] = ['id', 'node', 'hours', 'rows'].map((name) => plan.get(name))
  if (typeof id !== 'string' || typeof node !== 'string' || !Array.isArray(hours)) return ok(undefined)
  const series = createSeries(1_024, metrics)
  for (const { value } of rows) {
    const bytes = await unseal(value, packer)
    const part = bytes && decodeSeries(bytes)
    if (part !== undefined) appendRows(series, part, 0, part.length)
  }
  return ok(
    series.length === count
      ? { id, node, series, hours: hours.filter((hour) => typeof hour === 'number') }
      : undefined,
  )
}

const members = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])

/** Hours of which there is nothing here, day by day; undefined: it was stopped. */
async function freeHours(
  store: TransferStore,
  node: string,
  series: Series,
  go: (share: number) => Promise<boolean>,
): Promise<readonly number[] | undefined> {
  const lastMs = series.columns.atMs[series.length - 1] ?? 0
  // Of an hour that is not over, more may come; and what is to go soon anyway is not taken in.
  const endMs = store.clock.wallMs() - DEFAULTS.timeoutMaxMs - HOUR_MS
  const hours: number[] = []
  for (let at = 0; at < series.length;) {
    const dayMs = Math.floor((series.columns.atMs[at] ?? 0) / DAY_MS) * DAY_MS
    const range = { node, fromMs: dayMs, toMs: dayMs + DAY_MS }
    const here = await store.readSamples(range)
    const rollups = await store.readRollups('minute', range)
    const held = new Set<number>(rollups.startMs.map((atMs) => Math.floor(atMs / HOUR_MS)))
    for (let row = 0; row < here.length; row++) held.add(Math.floor((here.columns.atMs[row] ?? 0) / HOUR_MS))
    for (let hourMs = dayMs; hourMs < dayMs + DAY_MS && hourMs + HOUR_MS <= endMs; hourMs += HOUR_MS)
      if (placeAt(series, hourMs) < placeAt(series, hourMs + HOUR_MS) && !held.has(hourMs / HOUR_MS))
        hours.push(hourMs)
    at = placeAt(series, dayMs + DAY_MS)
    if (!(await go(Math.min(1, (dayMs + DAY_MS) / Math.max(1, lastMs))))) return undefined
    await store.yieldToEventLoop()
  }
  return hours
}

/** Hour by hour; one that was taken before is passed over. */
async function takeHours(
  store: TransferStore,
  plan: Plan,
  go: (share: number) => Promise<boolean>,
): Promise<Result<{ readonly isStopped: boolean; readonly count: number }, StorageFailure>> {
  const { series, hours } = plan
  let count = 0
  for (const [place, hourMs] of hours.entries()) {
    if (place % HOURS_STEP === 0) {
      if (!(await go(place / hours.length))) return ok({ isStopped: true, count })
      await store.yieldToEventLoop()
    }
    const done = await store.exclusive(() => takeHour(store, plan, hourMs))
    if (!done.ok) return done
    count += placeAt(series, hourMs + HOUR_MS) - placeAt(series, hourMs)
  }
  return ok({ isStopped: false, count })
}

async function takeHour(
  store: TransferStore,
  plan: Plan,
  hourMs: number,
): Promise<Result<undefined, StorageFailure>> {
  const { series } = plan
  const [from, to] = [placeAt(series, hourMs), placeAt(series, hourMs + HOUR_MS)]
  // The rows before it say what held when it began.
  const window = { fromMs: hourMs, toMs: hourMs + HOUR_MS }
  const quarter = rollSeries(series, window, TIERS.quarter.stepMs, true)
  const coarse = await put(store, plan, 'coarse', hourMs, ROLLUP_FORM, undefined, (number) => [
    ...rollupPieces('quarter', number, quarter),
    ...rollupPieces('hour', number, coarsen(quarter, TIERS.hour.stepMs)),
  ])
  if (!coarse.ok) return coarse
  const minute = await put(store, plan, 'minute', hourMs, ROLLUP_FORM, undefined, (number) =>
    rollupPieces('minute', number, rollSeries(series, window, TIERS.minute.stepMs, false)),
  )
  if (!minute.ok) return minute
  const samples = { polls: pollsIn(series, from, to), lastMs: series.columns.atMs[to - 1] ?? hourMs }
  return put(store, plan, 'samples', hourMs, SERIES_FORM, samples, (number) =>
    seriesPieces(number, series, from, to),
  )
}

function put<T>(
  store: TransferStore,
  { id, node }: Plan,
  kind: SegmentKind,
  hourMs: number,
  form: RecordForm<T>,
  samples: { readonly polls: number; readonly lastMs: number } | undefined,
  piecesOf: (number: number) => readonly Piece<T>[],
): Promise<Result<undefined, StorageFailure>> {
  return store.segments.use(segmentAt(kind, hourMs), async (segment) => {
    const read = await segment.database.read([{ table: 'meta', from: IMPORT_KEY, to: [...IMPORT_KEY, 0] }])
    if (!read.ok) return read
    const before = members(read.value[0]?.[0]?.value)
    const toMs = before.get('toMs')
    if (before.get('id') === id && typeof toMs === 'number' && toMs > hourMs) return ok(undefined)
    const changes: Change[] = [
      { kind: 'put', table: 'meta', key: IMPORT_KEY, value: { id, toMs: hourMs + HOUR_MS } },
    ]
    const pieces = piecesOf(numberOf(segment, node, changes))
    const placed = await placePieces(segment, form, pieces, store.packer)
    if (!placed.ok) return placed
    const times = pieces.map(({ key }) => key.fromMs)
    return writeTo(segment, [...changes, ...placed.value.changes], {
      ...segment.meta,
      samples: segment.meta.samples + (samples?.polls ?? 0),
      bytes: segment.meta.bytes + placed.value.bytes,
      firstMs: Math.min(segment.meta.firstMs ?? Number.POSITIVE_INFINITY, ...times),
      lastMs: samples && Math.max(segment.meta.lastMs ?? samples.lastMs, samples.lastMs),
    })
  })
}
