import * as v from 'valibot'
import { finite } from '#base/schemas.ts'
import { ok, type Result } from '#base/result.ts'
import { jsonIn, readStored, storedList } from '#base/stored.ts'
import { DAY_MS } from '#base/time.ts'
import {
  EVENT_AREAS,
  EVENTS_READ_MAX,
  idOf,
  isBefore,
  keptOf,
  matcherOf,
  positionOfId,
  type EventPage,
  type EventQuery,
  type NumberedEntry,
} from '#history/event-log.ts'
import type { Change, Packer, StorageFailure, StorageKey, StoredRow } from '#storage/storage.ts'
import { segmentAt } from '#history/tiers.ts'
import { bytesOf, only, type Growth } from './database.ts'
import { seal, sealPacked, unseal } from './envelope.ts'
import type { StoreState } from './store-state.ts'

/** The most entries in one row, and the longest time that it spans. */
const ROW_ENTRIES = 256
const ROW_SPAN_MS = DAY_MS
/** The most rows that one read visits; then it reports that there may be more. */
const ROWS_MAX = 400
const ROWS_STEP = 8
/** Rows with at least this many entries are deflated. */
const PACKED_FROM = 32
const LAST_SEQ = Number.MAX_SAFE_INTEGER

export async function flushEvents(state: StoreState): Promise<Result<undefined, StorageFailure>> {
  const entries = state.events.waiting
  if (entries.length === 0) return ok(undefined)
  const { changes, grown } = await rowChanges(state, entries, [])
  const eventSeq = Math.max(...entries.map(({ seq }) => seq))
  const done = await state.database.commit(changes, { meta: { eventSeq }, grown })
  if (!done.ok) return done
  state.events.stored(entries)
  const count = state.events.takeDropped()
  if (count === 0) return done
  state.note('entries-dropped', { count })
  return flushEvents(state)
}

/** The changes that replace rows with rows of these entries. */
async function rowChanges(
  { packer }: StoreState,
  entries: readonly NumberedEntry[],
  replaced: readonly StoredRow[],
): Promise<{ readonly changes: readonly Change[]; readonly grown: readonly Growth[] }> {
  // Entries live as long as the coarse rollups.
  const grown: Growth[] = []
  const count = (atMs: number, bytes: number): void => {
    grown.push({ id: segmentAt('coarse', atMs), bytes, firstMs: Number.POSITIVE_INFINITY })
  }
  const changes = replaced.map(({ key, value }): Change => {
    count(Number(key[0]), -bytesOf(value))
    return { kind: 'delete', range: { table: 'events', ...only(key) } }
  })
  for (const row of rowsOf(entries)) {
    const bytes = new TextEncoder().encode(JSON.stringify(row))
    const value = row.length < PACKED_FROM ? seal(bytes) : await sealPacked(bytes, packer)
    const last = row.at(-1)
    const key: StorageKey = [last?.wallMs ?? 0, last?.seq ?? 0, row[0]?.wallMs ?? 0]
    count(Number(key[0]), value.length)
    changes.push({ kind: 'put', table: 'events', key, value })
  }
  return { changes, grown }
}

/** Splits entries into rows that are neither too large nor span too long. */
function rowsOf(entries: readonly NumberedEntry[]): readonly (readonly NumberedEntry[])[] {
  const rows: NumberedEntry[][] = []
  for (const one of entries.toSorted(byPosition)) {
    const last = rows.at(-1)
    const spanMs = one.wallMs - (last?.[0]?.wallMs ?? 0)
    if (last !== undefined && last.length < ROW_ENTRIES && spanMs < ROW_SPAN_MS) last.push(one)
    else rows.push([one])
  }
  return rows
}

/** Joins the small rows of these days. */
export async function joinEvents(
  state: StoreState,
  fromMs: number,
  toMs: number,
): Promise<Result<undefined, StorageFailure>> {
  for (let dayMs = fromMs; dayMs < toMs; dayMs += ROW_SPAN_MS) {
    const read = await state.database.read([{ table: 'events', from: [dayMs], to: [dayMs + ROW_SPAN_MS] }])
    if (!read.ok) return read
    const rows = read.value[0] ?? []
    const entries: NumberedEntry[] = []
    const readable: StoredRow[] = []
    for (const row of rows) {
      const found = await decodeEvents(row.value, state.packer)
      if (found === undefined) continue
      entries.push(...found)
      readable.push(row)
    }
    if (readable.length <= Math.ceil(entries.length / ROW_ENTRIES) + 1) continue
    const done = await state.exclusive(async () => {
      const { changes, grown } = await rowChanges(state, entries, readable)
      return state.database.commit(changes, { grown })
    })
    if (!done.ok) return done
  }
  return ok(undefined)
}

/** Reads one page of the journal, from memory and the store. */
export async function readEvents(state: StoreState, query: EventQuery): Promise<EventPage> {
  const limit = Math.min(EVENTS_READ_MAX, Math.max(1, Math.floor(query.limit)))
  const end = positionOfId(query.before ?? '') ?? { wallMs: LAST_SEQ, seq: LAST_SEQ }
  const lastMs = Math.min(end.wallMs, (query.toMs ?? LAST_SEQ) - 1)
  const matches = matcherOf(query)
  const found = new Map<string, NumberedEntry>()
  const add = (entries: readonly NumberedEntry[]): void => {
    for (const one of entries) if (isBefore(one, end) && matches(one)) found.set(idOf(one), one)
  }
  const newest = (): readonly NumberedEntry[] =>
    Array.from(found.values()).toSorted((a, b) => byPosition(b, a))
  add(state.events.waiting)
  add(await entriesOf(state, await spanningRows(state, lastMs)))
  const from: StorageKey = [query.fromMs ?? Number.NEGATIVE_INFINITY]
  let to: StorageKey = [lastMs + 1]
  /** Every entry after this time has been read; undefined once there is nothing left to read. */
  let nextMs: number | undefined
  for (let looked = 0; looked < ROWS_MAX; looked += ROWS_STEP) {
    const read = await state.database.read([
      { table: 'events', from, to, limit: ROWS_STEP + 1, backwards: true },
    ])
    const rows = read.ok ? (read.value[0] ?? []) : []
    add(await entriesOf(state, rows.slice(0, ROWS_STEP)))
    const next = rows[ROWS_STEP]
    nextMs = next && Number(next.key[0])
    if (next === undefined || (newest()[limit - 1]?.wallMs ?? Number.NEGATIVE_INFINITY) > Number(nextMs))
      break
    to = [...next.key, Number.NEGATIVE_INFINITY]
  }
  const whole = newest().filter(({ wallMs }) => nextMs === undefined || wallMs > nextMs)
  const page = whole.slice(0, limit)
  const last = page.at(-1)
  const isFull =
    last !== undefined && (whole.length > limit || (page.length === limit && nextMs !== undefined))
  return {
    entries: page.map(keptOf),
    before: isFull ? idOf(last) : nextMs === undefined ? undefined : idOf({ wallMs: nextMs, seq: LAST_SEQ }),
  }
}

/** Rows that span a moment. A row's key ends with the time of its first entry. */
async function spanningRows({ database }: StoreState, atMs: number): Promise<readonly StoredRow[]> {
  const span = { table: 'events', from: [atMs + 1], to: [atMs + ROW_SPAN_MS], keysOnly: true } as const
  const listed = await database.read([span])
  const keys = (listed.ok ? (listed.value[0] ?? []) : [])
    .map(({ key }) => key)
    .filter((key) => Number(key[2]) <= atMs)
  const read = await database.read(keys.map((key) => ({ table: 'events' as const, ...only(key) })))
  return read.ok ? read.value.flat() : []
}

async function entriesOf(state: StoreState, rows: readonly StoredRow[]): Promise<readonly NumberedEntry[]> {
  const entries: NumberedEntry[] = []
  for (const { value } of rows) {
    const found = await decodeEvents(value, state.packer)
    if (found === undefined) state.noteDamaged()
    else entries.push(...found)
  }
  return entries
}

/** Undefined if the row is damaged. Leaves out invalid entries and those of unknown areas. */
async function decodeEvents(value: unknown, packer: Packer): Promise<readonly NumberedEntry[] | undefined> {
  const bytes = await unseal(value, packer)
  const json = bytes && jsonIn(new TextDecoder().decode(bytes))
  return json === undefined ? undefined : readStored(storedList(EntryShape), json)
}

const byPosition = (a: NumberedEntry, b: NumberedEntry): number => (isBefore(a, b) ? -1 : 1)

/** A journal's entry as it is stored. */
export const EntryShape = v.object({
  seq: v.pipe(finite, v.integer(), v.minValue(1)),
  wallMs: finite,
  area: v.picklist(EVENT_AREAS),
  what: v.string(),
  serviceMs: v.exactOptional(finite),
  serviceId: v.exactOptional(v.string()),
  nodeKey: v.exactOptional(v.string()),
  facts: v.exactOptional(v.record(v.string(), v.union([v.string(), finite, v.boolean()]))),
})
