import type { MetricRegistry } from '#metrics/metric.ts'
import { ok, type Result } from '#base/result.ts'
import { decodeRollup, encodeRollup } from '#history/codec/rollup-codec.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import { addRollups, takeRows, type Rollup } from '#history/rollup.ts'
import { appendRows, createSeries, NOT_WATCHED, placeAt, type Series } from '#history/series.ts'
import type { Change, Packer, ReadRange, StorageFailure, StorageKey, StoredRow } from '#history/storage.ts'
import { segmentsIn, segmentName, TIERS, type SegmentId, type TierName } from '#history/tiers.ts'
import { seal, sealPacked, unseal } from './envelope.ts'
import { mergeRows } from './head-block.ts'
import type { OpenSegment, Segments, SegmentStore } from './segments.ts'

export type RecordStore = Pick<SegmentStore, 'segments' | 'packer' | 'onDamaged'>

/** Where a record lies and what it spans; `[fromMs, toMs)` of one node. */
export type RecordKey = {
  readonly tier: TierName
  readonly node: number
  readonly fromMs: number
  readonly toMs: number
}

export const keyOf = ({ tier, node, fromMs, toMs }: RecordKey): StorageKey => [
  TIERS[tier].place,
  node,
  fromMs,
  toMs,
]

/** All records of a tier and node that may hold something of `[fromMs, toMs)`: those of the blocks that it touches. */
export function recordsIn(tier: TierName, node: number, fromMs: number, toMs: number): ReadRange {
  const { place, blockMs } = TIERS[tier]
  return {
    table: 'rows',
    from: [place, node, Math.floor(fromMs / blockMs) * blockMs],
    to: [place, node, toMs],
  }
}

export function recordKeyOf(tier: TierName, key: StorageKey): RecordKey | undefined {
  const [, node, fromMs, toMs] = key
  return typeof node === 'number' && typeof fromMs === 'number' && typeof toMs === 'number'
    ? { tier, node, fromMs, toMs }
    : undefined
}

export const deleteOf = (key: RecordKey): Change => {
  const from = keyOf(key)
  return { kind: 'delete', range: { table: 'rows', from, to: [...from, 0] } }
}

/** What a tier's records hold, and how it is put together. */
export type RecordForm<T> = {
  readonly encode: (content: T) => Uint8Array<ArrayBuffer>
  readonly decode: (bytes: Uint8Array) => T | undefined
  readonly merge: (one: T, other: T) => T
}

export const SERIES_FORM: RecordForm<Series> = {
  encode: (series) => encodeSeries(series),
  decode: decodeSeries,
  merge: mergeRows,
}

export const ROLLUP_FORM: RecordForm<Rollup> = {
  encode: encodeRollup,
  decode: (bytes) => decodeRollup(bytes),
  merge: (one, other) => addRollups([one, other], one.stepMs),
}

/** Rollups as far as charts are drawn from them. To be read only: what is left out would be lost by writing it. */
export const chartForm = (metrics: MetricRegistry): Pick<RecordForm<Rollup>, 'decode'> => {
  const banded = metrics.flatMap(({ id, chart }) => (chart?.band === true ? [id] : []))
  return { decode: (bytes) => decodeRollup(bytes, banded) }
}

/** What a record holds; undefined where it is damaged. */
export async function readRecord<T>(
  form: Pick<RecordForm<T>, 'decode'>,
  value: unknown,
  packer: Packer,
): Promise<T | undefined> {
  const bytes = await unseal(value, packer)
  return bytes && form.decode(bytes)
}

/** New content for a record, still to be put beside what is there. */
export type Piece<T> = { readonly key: RecordKey; readonly content: T }

/**
 * The changes that bring new pieces into a segment: each goes into the record that spans its
 * time, or into one of its own. Says how many bytes the segment's records grow by.
 */
export async function placePieces<T>(
  segment: OpenSegment,
  form: RecordForm<T>,
  pieces: readonly Piece<T>[],
  packer: Packer,
): Promise<Result<{ readonly changes: readonly Change[]; readonly bytes: number }, StorageFailure>> {
  const keys = await segment.database.read(
    pieces.map(({ key }) => ({
      ...recordsIn(key.tier, key.node, key.fromMs, key.fromMs + 1),
      keysOnly: true,
    })),
  )
  if (!keys.ok) return keys
  const spanning = pieces.map(({ key }, place) =>
    keys.value[place]
      ?.map((row) => recordKeyOf(key.tier, row.key))
      .findLast((found) => found !== undefined && found.toMs > key.fromMs),
  )
  const held = spanning.filter((found) => found !== undefined)
  const values = await segment.database.read(
    held.map((found) => ({ table: 'rows', from: keyOf(found), to: [...keyOf(found), 0] })),
  )
  if (!values.ok) return values
  const records = new Map<string, { key: RecordKey; content: T; wasBytes: number }>()
  for (const [place, { key, content }] of pieces.entries()) {
    const into = spanning[place] ?? key
    const id = keyOf(into).join(' ')
    const value = spanning[place] && values.value[held.indexOf(spanning[place])]?.[0]?.value
    const known = records.get(id)
    // What is damaged can't be read any more; what is new takes its place.
    const present =
      known?.content ?? (value === undefined ? undefined : await readRecord(form, value, packer))
    records.set(id, {
      key: into,
      content: present === undefined ? content : form.merge(present, content),
      wasBytes: known?.wasBytes ?? (value instanceof Uint8Array ? value.length : 0),
    })
  }
  const changes: Change[] = []
  let bytes = 0
  for (const { key, content, wasBytes } of records.values()) {
    const payload = form.encode(content)
    const isBlock = key.toMs - key.fromMs > TIERS[key.tier].partMs
    const value = isBlock ? await sealPacked(payload, packer) : seal(payload)
    changes.push({ kind: 'put', table: 'rows', key: keyOf(key), value })
    bytes += value.length - wasBytes
  }
  return ok({ changes, bytes })
}

/**
 * Everything that records hold of a node in `[fromMs, toMs)`, and what lies beside it in the
 * same records, oldest first: one read in each segment that the range touches.
 */
export async function readParts<T>(
  { segments, packer, onDamaged }: RecordStore,
  form: Pick<RecordForm<T>, 'decode'>,
  tier: TierName,
  node: string,
  fromMs: number,
  toMs: number,
): Promise<Result<readonly T[], StorageFailure>> {
  const names = segments.ids().map(segmentName)
  const ids = segmentsIn(TIERS[tier].segment, fromMs, toMs, names)
  // All at once: what takes time is the way to the store and back.
  const found = await Promise.all(ids.map((id) => readSegment(segments, id, tier, node, fromMs, toMs)))
  const parts: T[] = []
  for (const rows of found) {
    if (!rows.ok) return rows
    for (const { key, value } of rows.value) {
      const span = recordKeyOf(tier, key)
      if (span === undefined || span.toMs <= fromMs) continue
      const content = await readRecord(form, value, packer)
      if (content === undefined) onDamaged()
      else parts.push(content)
    }
  }
  return ok(parts)
}

const readSegment = (
  segments: Segments,
  id: SegmentId,
  tier: TierName,
  node: string,
  fromMs: number,
  toMs: number,
): Promise<Result<readonly StoredRow[], StorageFailure>> =>
  segments.use(id, async ({ database, nodes }) => {
    const number = nodes.get(node)
    if (number === undefined) return ok([])
    const read = await database.read([recordsIn(tier, number, fromMs, toMs)])
    return read.ok ? ok(read.value[0] ?? []) : read
  })

/** A roll-up in pieces of one record each. */
export function rollupPieces(tier: TierName, node: number, rollup: Rollup): readonly Piece<Rollup>[] {
  const { partMs } = TIERS[tier]
  const pieces: Piece<Rollup>[] = []
  for (let start = 0; start < rollup.startMs.length;) {
    const fromMs = Math.floor((rollup.startMs[start] ?? 0) / partMs) * partMs
    let end = start + 1
    while (end < rollup.startMs.length && (rollup.startMs[end] ?? 0) < fromMs + partMs) end++
    const key = { tier, node, fromMs, toMs: fromMs + partMs }
    pieces.push({
      key,
      content: start === 0 && end === rollup.startMs.length ? rollup : takeRows(rollup, start, end),
    })
    start = end
  }
  return pieces
}

export function seriesPieces(
  node: number,
  series: Series,
  from: number,
  to: number,
): readonly Piece<Series>[] {
  const { partMs } = TIERS.samples
  const pieces: Piece<Series>[] = []
  for (let start = from; start < to;) {
    const fromMs = Math.floor((series.columns.atMs[start] ?? 0) / partMs) * partMs
    const end = Math.min(to, placeAt(series, fromMs + partMs))
    const content = createSeries(end - start)
    appendRows(content, series, start, end)
    pieces.push({ key: { tier: 'samples', node, fromMs, toMs: fromMs + partMs }, content })
    start = end
  }
  return pieces
}

/** Polls among rows; the marks of unwatched time are none. */
export function pollsIn({ columns }: Series, start: number, end: number): number {
  let polls = 0
  for (let place = start; place < end; place++) if (columns.outcome[place] !== NOT_WATCHED) polls++
  return polls
}
