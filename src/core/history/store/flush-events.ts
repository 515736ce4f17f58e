import { ok, type Result } from '#base/result.ts'
import {
  byPlace,
  decodeEvents,
  encodeEvents,
  eventKeyOf,
  eventRowOf,
  rowFor,
  type PlacedEntry,
} from './event-rows.ts'
import type { EventState, OpenRow } from './event-buffer.ts'
import { writeEvents, type OpenSegment } from './segments.ts'
import type { Change, Packer, StorageFailure, StorageKey } from '#history/storage.ts'
import { segmentAt, segmentName, type SegmentId } from '#history/tiers.ts'

/** Entries of one row at most, and the time that it may span. */
const ROW_ENTRIES = 256
export const ROW_SPAN_MS = 86_400_000
/** Small rows before they become one. */
const OPEN_ROWS = 32

/** Entries live as long as the coarse rollups. */
export const eventSegmentAt = (atMs: number): SegmentId => segmentAt('coarse', atMs)

/** Keeps every entry that waits. */
export async function flushEvents(state: EventState): Promise<Result<undefined, StorageFailure>> {
  const waiting = await flushWaiting(state)
  const dropped = waiting.ok ? state.events.takeDropped() : 0
  if (dropped === 0) return waiting
  const wallMs = state.clock.wallMs()
  state.events.add([{ wallMs, area: 'watching', what: 'entries-dropped', facts: { count: dropped } }])
  return flushWaiting(state)
}

async function flushWaiting(state: EventState): Promise<Result<undefined, StorageFailure>> {
  const bySegment = new Map<string, PlacedEntry[]>()
  for (const one of state.events.waiting()) {
    const name = segmentName(eventSegmentAt(one.entry.wallMs))
    const entries = bySegment.get(name) ?? []
    bySegment.set(name, entries)
    entries.push(one)
  }
  for (const entries of bySegment.values()) {
    const done = await writeEntries(state, entries)
    if (!done.ok) return done
    state.events.kept(entries)
  }
  return ok(undefined)
}

async function writeEntries(
  state: EventState,
  entries: readonly PlacedEntry[],
): Promise<Result<undefined, StorageFailure>> {
  const id = eventSegmentAt(entries[0]?.entry.wallMs ?? 0)
  const name = segmentName(id)
  const nowMs = state.clock.wallMs()
  // What was pinned to long ago stays by itself, or a row would span all the time between.
  const isNear = (atMs: number): boolean => Math.abs(atMs - nowMs) < ROW_SPAN_MS / 2
  const near = entries.filter(({ entry }) => isNear(entry.wallMs))
  const far = entries.filter(({ entry }) => !isNear(entry.wallMs))
  const held = state.events.open?.segment === name ? state.events.open.rows : []
  const open = held.filter(({ row }) => isNear(row.fromMs) && isNear(row.toMs))
  const openEntries = open.flatMap((one) => one.entries)
  const isFull = open.length >= OPEN_ROWS || openEntries.length + near.length >= ROW_ENTRIES
  const joined = isFull ? [...openEntries, ...near] : near
  const put = (rowEntries: readonly PlacedEntry[]): Promise<OpenRow> => encoded(rowEntries, state.packer)
  const apart = await Promise.all(rowsOf(far).map(put))
  const together = await Promise.all(rowsOf(joined).map(put))
  const replaced = isFull ? open : []
  const changes: Change[] = [
    ...replaced.map(({ row }) => deleteRow(eventKeyOf(row))),
    ...[...apart, ...together].map(({ row, value }): Change => ({
      kind: 'put',
      table: 'events',
      key: eventKeyOf(row),
      value,
    })),
  ]
  const bytes = bytesOf(apart) + bytesOf(together) - bytesOf(replaced)
  const done = await state.segments.use(id, (segment) => keep(state, segment, changes, entries.length, bytes))
  if (!done.ok) return done
  if (near.length > 0)
    state.events.open = {
      segment: name,
      rows: [...(isFull ? [] : open), ...together.filter(({ row }) => row.count < ROW_ENTRIES)],
    }
  return done
}

const bytesOf = (rows: readonly OpenRow[]): number => rows.reduce((sum, { value }) => sum + value.length, 0)

const encoded = async (entries: readonly PlacedEntry[], packer: Packer): Promise<OpenRow> => ({
  row: rowFor(entries),
  entries,
  value: await encodeEvents(entries, packer),
})

const keep = (
  state: EventState,
  segment: OpenSegment,
  changes: readonly Change[],
  count: number,
  bytes: number,
): Promise<Result<undefined, StorageFailure>> =>
  writeEvents(segment, changes, {
    count: segment.events.count + count,
    bytes: segment.events.bytes + bytes,
    lastSeq: Math.max(segment.events.lastSeq, state.events.lastSeq()),
  })

const deleteRow = (from: StorageKey): Change => ({
  kind: 'delete',
  range: { table: 'events', from, to: [...from, 0] },
})

/** Entries in order, cut into rows that are neither too large nor span too long. */
function rowsOf(entries: readonly PlacedEntry[]): readonly (readonly PlacedEntry[])[] {
  const rows: PlacedEntry[][] = []
  for (const one of entries.toSorted(byPlace)) {
    const last = rows.at(-1)
    const first = last?.[0]
    if (
      last !== undefined &&
      first !== undefined &&
      last.length < ROW_ENTRIES &&
      one.entry.wallMs - first.entry.wallMs < ROW_SPAN_MS
    )
      last.push(one)
    else rows.push([one])
  }
  return rows
}

/** Small rows that an earlier session left at the end of the log go on to be joined; and numbers go on after its last. */
export async function loadEvents(state: EventState): Promise<Result<undefined, StorageFailure>> {
  const nowMs = state.clock.wallMs()
  const current = eventSegmentAt(nowMs)
  const ids = state.segments.ids().filter(({ kind }) => kind === current.kind)
  for (const id of ids.toSorted((a, b) => b.index - a.index).slice(0, 2)) {
    const meta = await state.segments.use(id, async ({ events }) => ok(events))
    if (!meta.ok) return meta
    state.events.numberFrom(meta.value.lastSeq)
  }
  state.events.open = undefined
  if (!ids.some(({ index }) => index === current.index)) return ok(undefined)
  const read = await state.segments.use(current, ({ database }) =>
    database.read([
      { table: 'events', from: [nowMs - ROW_SPAN_MS], to: [''], limit: OPEN_ROWS, backwards: true },
    ]),
  )
  if (!read.ok) return read
  const rows: OpenRow[] = []
  for (const { key, value } of read.value[0] ?? []) {
    const row = eventRowOf(key)
    if (row === undefined || row.count >= ROW_ENTRIES || !(value instanceof Uint8Array)) continue
    const entries = await decodeEvents(value, state.packer)
    if (entries?.length === row.count) rows.push({ row, entries, value })
  }
  state.events.open = { segment: segmentName(current), rows: rows.toReversed() }
  return ok(undefined)
}
