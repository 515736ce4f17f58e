import { ok, type Result } from '#base/result.ts'
import { beginWalRecord, decodeWalRecord, encodeWalRecord, endWalRecord } from '#history/codec/wal-codec.ts'
import type { Gap } from '#history/history.ts'
import { appendRows, createSeries, type Series } from '#history/series.ts'
import type { Change, StorageFailure, StorageKey } from '#history/storage.ts'
import { segmentAt, segmentName, type SegmentId } from '#history/tiers.ts'
import { seal, unseal } from './envelope.ts'
import type { HeadBlock, HeadNode } from './head-block.ts'
import { pollsIn } from './records.ts'
import { numberOf, writeTo, type OpenSegment, type SegmentMeta, type SegmentStore } from './segments.ts'

/** What rows are written to disk with before they are in records. */
export type WalState = SegmentStore & {
  head: HeadBlock
  /** Set-backs of the clock that no write-ahead record tells of yet, in ms, each below 0. */
  shifts: number[]
  /** Key of the last write-ahead record: they only grow. */
  lastKey: number
  /** Names of segments that may hold write-ahead records. */
  readonly walSegments: Set<string>
  /** What the segment that is written to says of itself, after the last write-ahead record. */
  lastMeta: { readonly name: string; readonly meta: SegmentMeta } | undefined
}

/** Rows in one write-ahead record at most, some MB: what more gathered through an outage is written in several. */
const ROWS_MAX = 300_000

type Batch = {
  readonly node: string
  readonly headNode: HeadNode
  readonly from: number
  readonly to: number
}

/** Whether memory and the write-ahead records have the same rows, at the same times. */
export const isFlushed = ({ head, shifts }: WalState): boolean =>
  shifts.length === 0 &&
  Array.from(head.nodes.values()).every(({ series, flushed }) => flushed >= series.length)

/** Keeps every row that is not kept yet: one record for the whole fleet. Resolves to how many rows there were. */
export async function flush(state: WalState, rowsMax = ROWS_MAX): Promise<Result<number, StorageFailure>> {
  let written = 0
  while (true) {
    const unwritten = takeUnwritten(state, rowsMax)
    if (unwritten.batches.length === 0 && state.shifts.length === 0) return ok(written)
    const shifts = state.shifts
    state.shifts = []
    const done = await writeWalRecord(state, unwritten, shifts)
    if (!done.ok) {
      state.shifts = [...shifts, ...state.shifts]
      return done
    }
    noteWritten(unwritten)
    written += unwritten.batches.reduce((sum, { from, to }) => sum + to - from, 0)
  }
}

/** Rows that are not kept yet. */
type Unwritten = {
  readonly batches: readonly Batch[]
  readonly rows: Rows
  readonly span: Span
}

export function takeUnwritten(state: WalState, rowsMax = ROWS_MAX): Unwritten {
  const batches = takeBatches(state, rowsMax)
  const rows = rowsOf(batches)
  return { batches, rows, span: spanOf(rows) }
}

/** These rows are kept now. */
export function noteWritten({ batches }: Unwritten): void {
  for (const { headNode, from, to } of batches)
    // The oldest may have given way meanwhile: places then are others, and keeping a row twice does no harm.
    if (headNode.flushed === from) headNode.flushed = to
}

function takeBatches({ head }: WalState, rowsMax: number): readonly Batch[] {
  const batches: Batch[] = []
  let left = rowsMax
  for (const [node, headNode] of head.nodes) {
    const from = headNode.flushed
    const to = Math.min(headNode.series.length, from + left)
    if (to <= from) continue
    batches.push({ node, headNode, from, to })
    left -= to - from
  }
  return batches
}

async function writeWalRecord(
  state: WalState,
  { batches, rows, span }: Unwritten,
  shifts: readonly number[],
): Promise<Result<undefined, StorageFailure>> {
  const nowMs = Math.round(state.clock.wallMs())
  // Chosen once: a second attempt writes the same record.
  const key = nextKey(state, nowMs)
  const id = segmentAt('samples', nowMs)
  const gaps = shifts.map((byMs): Gap => ({ fromMs: -byMs, toMs: 0, reason: 'clock-step' }))
  // Now, and not when the database is open: the head block may be another one by then.
  const start = beginWalRecord({ gaps, carried: 0, ...rows })
  const parts = batches.map(({ node, from, to }) => ({ node, count: to - from }))
  const done = await state.segments.use(id, async (segment) => {
    const changes: Change[] = []
    const record = seal(endWalRecord(start, nodesOf(segment, parts, changes)))
    changes.push({ kind: 'put', table: 'wal', key: [key], value: record })
    const meta = metaAfter(segment.meta, span, nowMs)
    const kept = await writeTo(segment, changes, meta)
    if (kept.ok) state.lastMeta = { name: segmentName(id), meta }
    return kept
  })
  if (done.ok) state.walSegments.add(segmentName(id))
  return done.ok ? ok(undefined) : done
}

type Rows = { readonly rows: Series; readonly from: number; readonly to: number }

/** One node's rows as they lie there; those of several, one behind the other. */
function rowsOf(batches: readonly Batch[]): Rows {
  const [only] = batches
  if (batches.length === 1 && only !== undefined)
    return { rows: only.headNode.series, from: only.from, to: only.to }
  const count = batches.reduce((sum, { from, to }) => sum + to - from, 0)
  const rows = createSeries(Math.max(1, count))
  for (const { headNode, from, to } of batches) appendRows(rows, headNode.series, from, to)
  return { rows, from: 0, to: count }
}

/** Notes that somebody watches still, also where polls are rare. */
export async function noteAlive(state: WalState): Promise<Result<undefined, StorageFailure>> {
  if (state.head.size() === 0) return ok(undefined)
  const nowMs = Math.round(state.clock.wallMs())
  return state.segments.use(segmentAt('samples', nowMs), (segment) =>
    writeTo(segment, [], { ...segment.meta, aliveMs: nowMs }),
  )
}

export function nextKey(state: WalState, nowMs: number): number {
  state.lastKey = Math.max(state.lastKey + 1, nowMs)
  return state.lastKey
}

/** Rows of several nodes, node by node: so many of each. */
export type WalRows = {
  readonly parts: readonly { readonly node: string; readonly count: number }[]
  readonly rows: Series
}

/** A write-ahead record of these rows; nodes that have no number in the segment get one. */
export function walRecordOf(
  segment: OpenSegment,
  { parts, rows }: WalRows,
  carried: number,
  gaps: readonly Gap[],
  changes: Change[],
): Uint8Array<ArrayBuffer> {
  return seal(encodeWalRecord({ gaps, carried, rows, nodes: nodesOf(segment, parts, changes) }))
}

/** For each row its node's number in the segment. */
function nodesOf(segment: OpenSegment, parts: WalRows['parts'], changes: Change[]): Uint32Array {
  const nodes = new Uint32Array(parts.reduce((sum, { count }) => sum + count, 0))
  let place = 0
  for (const { node, count } of parts) {
    nodes.fill(numberOf(segment, node, changes), place, place + count)
    place += count
  }
  return nodes
}

type Span = { readonly polls: number; readonly firstMs: number; readonly lastMs: number }

function spanOf({ rows, from, to }: Rows): Span {
  const { atMs } = rows.columns
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let place = from; place < to; place++) {
    const at = atMs[place] ?? 0
    if (at < firstMs) firstMs = at
    if (at > lastMs) lastMs = at
  }
  return { polls: pollsIn(rows, from, to), firstMs, lastMs }
}

/** What a segment says of itself after these rows. */
export function metaAfter(meta: SegmentMeta, { polls, firstMs, lastMs }: Span, nowMs: number): SegmentMeta {
  if (firstMs > lastMs) return { ...meta, aliveMs: nowMs }
  return {
    ...meta,
    samples: meta.samples + polls,
    firstMs: Math.min(meta.firstMs ?? firstMs, firstMs),
    lastMs: Math.max(meta.lastMs ?? lastMs, lastMs),
    aliveMs: nowMs,
  }
}

export const WAL_FROM: StorageKey = [Number.NEGATIVE_INFINITY]
export const WAL_TO: StorageKey = ['']

type LoadedHead = {
  /** Segments in which there were write-ahead records. */
  readonly walSegments: readonly SegmentId[]
  /** The largest key of a write-ahead record. */
  readonly lastKey: number
  /** When somebody last watched, as far as is known. */
  readonly aliveMs: number | undefined
}

/** Segments of samples that may hold write-ahead records: the newest, and the one before, of the time when it was. */
const NEWEST = 2

/** Reads back what no record holds yet. `beforeRecord`: all records before the one of this key are in the head block, no other is. */
export async function loadHead(
  { segments, packer, onDamaged }: WalState,
  head: HeadBlock,
  beforeRecord: (key: number) => void = () => undefined,
): Promise<Result<LoadedHead, StorageFailure>> {
  const newest = segments
    .ids()
    .filter(({ kind }) => kind === 'samples')
    .toSorted((a, b) => a.index - b.index)
    .slice(-NEWEST)
  const walSegments: SegmentId[] = []
  const records: { readonly key: number; readonly value: unknown; readonly names: Names }[] = []
  const alive: { readonly atMs: number; readonly lastKey: number }[] = []
  for (const id of newest) {
    const read = await segments.use(id, async ({ database, nodes, meta }) => {
      const rows = await database.read([{ table: 'wal', from: WAL_FROM, to: WAL_TO }])
      return rows.ok ? ok({ rows: rows.value[0] ?? [], nodes: new Map(nodes), aliveMs: meta.aliveMs }) : rows
    })
    if (!read.ok) return read
    const { rows, nodes, aliveMs } = read.value
    const names = new Map(Array.from(nodes, ([name, number]) => [number, name]))
    const keys = rows.map(({ key }) => Number(key[0]))
    if (aliveMs !== undefined) alive.push({ atMs: aliveMs, lastKey: Math.max(0, ...keys) })
    if (rows.length > 0) walSegments.push(id)
    for (const [place, { value }] of rows.entries()) records.push({ key: keys[place] ?? 0, value, names })
  }
  // In the order in which they were written: a clock that was set back leads into the segment before.
  records.sort((a, b) => a.key - b.key)
  let setBackKey = 0
  for (const { key, value, names } of records) {
    beforeRecord(key)
    const bytes = await unseal(value, packer)
    const record = bytes && decodeWalRecord(bytes)
    if (record === undefined) onDamaged()
    else replay(head, record, names)
    if (record?.gaps.some(({ fromMs, toMs }) => toMs < fromMs)) setBackKey = key
  }
  // Signs of life from before the clock was set back are by another time.
  const signs = alive.filter(({ lastKey }) => lastKey >= setBackKey).map(({ atMs }) => atMs)
  return ok({
    walSegments,
    lastKey: records.at(-1)?.key ?? 0,
    aliveMs: signs.length === 0 ? undefined : Math.max(...signs),
  })
}

/** Of nodes, by their numbers in a segment. */
type Names = ReadonlyMap<number, string>

function replay(
  head: HeadBlock,
  { gaps, carried, rows, nodes }: NonNullable<ReturnType<typeof decodeWalRecord>>,
  names: Names,
): void {
  for (const gap of gaps) head.addGap(gap)
  for (let start = 0; start < rows.length;) {
    const number = nodes[start] ?? 0
    let end = start + 1
    // Carried rows come one by one: each is a node's first.
    const limit = start < carried ? end : rows.length
    while (end < limit && nodes[end] === number) end++
    const name = names.get(number)
    if (name !== undefined) head.addRows(name, rows, start, end, start < carried)
    start = end
  }
}
