import {
  EVENTS_READ_MAX,
  idOf,
  isBefore,
  matcherOf,
  placeOfId,
  type EventPage,
  type EventPlace,
  type EventQuery,
} from '#history/event-log.ts'
import {
  byPlace,
  decodeEvents,
  eventKeyOf,
  eventRowOf,
  holdsAreas,
  mayHoldNode,
  placeOf,
  type EventRow,
  type PlacedEntry,
} from './event-rows.ts'
import type { EventState } from './event-buffer.ts'
import { ROW_SPAN_MS, eventSegmentAt } from './flush-events.ts'
import { segmentFromMs, segmentToMs, type SegmentId } from '#history/tiers.ts'

/** Rows that one read looks into at most: then it says that there may be more. */
const ROWS_MAX = 400
/** Rows that are read at once. */
const ROWS_STEP = 8
const LAST_SEQ = Number.MAX_SAFE_INTEGER

/** One page of the log: what memory holds, and what is kept. */
export async function readEvents(state: EventState, query: EventQuery): Promise<EventPage> {
  const limit = Math.min(EVENTS_READ_MAX, Math.max(1, Math.floor(query.limit)))
  const end: EventPlace = placeOfId(query.before ?? '') ?? { wallMs: LAST_SEQ, seq: LAST_SEQ }
  const lastMs = Math.min(end.wallMs, (query.toMs ?? LAST_SEQ) - 1)
  const matches = matcherOf(query)
  const isWanted = (one: PlacedEntry): boolean => isBefore(placeOf(one), end) && matches(one.entry)
  const page = createPage(limit, state.events.waiting().filter(isWanted))
  const firstMs = query.fromMs ?? Number.NEGATIVE_INFINITY
  let looked = 0
  for (const id of segmentsOf(state, firstMs, lastMs)) {
    const rows = (await rowsIn(state, id, firstMs, lastMs)).filter(
      (row) => mayHoldNode(row, query.nodeKey) && holdsAreas(row, query.areas),
    )
    for (let at = 0; at < rows.length; at += ROWS_STEP) {
      const nextMs = rows[at]?.toMs ?? 0
      if (page.isFull(nextMs)) return page.full()
      if (looked >= ROWS_MAX) return page.upTo(nextMs)
      const step = rows.slice(at, at + ROWS_STEP)
      looked += step.length
      page.add((await contentOf(state, id, step)).filter(isWanted))
    }
    if (page.isFull(segmentFromMs(id) - 1)) return page.full()
  }
  return page.all()
}

/** Segments that may hold entries of `[firstMs, lastMs]`, newest first. */
const segmentsOf = (state: EventState, firstMs: number, lastMs: number): readonly SegmentId[] =>
  state.segments
    .ids()
    .filter(
      (id) => id.kind === eventSegmentAt(0).kind && segmentFromMs(id) <= lastMs && segmentToMs(id) > firstMs,
    )
    .toSorted((a, b) => b.index - a.index)

/** Rows that may hold entries of `[firstMs, lastMs]`, those with the newest entries first. */
async function rowsIn(
  { segments }: EventState,
  id: SegmentId,
  firstMs: number,
  lastMs: number,
): Promise<readonly EventRow[]> {
  const range = { table: 'events', from: [firstMs], to: [lastMs + ROW_SPAN_MS], keysOnly: true } as const
  const read = await segments.use(id, ({ database }) => database.read([range]))
  const keys = read.ok ? (read.value[0] ?? []) : []
  return keys
    .flatMap(({ key }) => eventRowOf(key) ?? [])
    .filter(({ fromMs }) => fromMs <= lastMs)
    .toReversed()
}

async function contentOf(
  state: EventState,
  id: SegmentId,
  rows: readonly EventRow[],
): Promise<readonly PlacedEntry[]> {
  const ranges = rows.map((row) => {
    const from = eventKeyOf(row)
    return { table: 'events', from, to: [...from, 0] } as const
  })
  const read = await state.segments.use(id, ({ database }) => database.read(ranges))
  const entries: PlacedEntry[] = []
  for (const { value } of read.ok ? read.value.flat() : []) {
    const held = await decodeEvents(value, state.packer)
    if (held === undefined) state.onDamaged()
    else entries.push(...held)
  }
  return entries
}

/** Gathers entries, newest first. */
function createPage(limit: number, first: readonly PlacedEntry[]) {
  const found = new Map<string, PlacedEntry>()
  const add = (entries: readonly PlacedEntry[]): void => {
    for (const one of entries) found.set(idOf(placeOf(one)), one)
  }
  const newest = (): readonly PlacedEntry[] => Array.from(found.values()).toSorted((a, b) => byPlace(b, a))
  const pageOf = (entries: readonly PlacedEntry[], before: string | undefined): EventPage => ({
    entries: entries.map((one) => ({ ...one.entry, id: idOf(placeOf(one)) })),
    before,
  })
  const full = (): EventPage => {
    const entries = newest().slice(0, limit)
    const last = entries.at(-1)
    return pageOf(entries, last && idOf(placeOf(last)))
  }
  add(first)
  return {
    add,
    full,
    /** Whether it has as many as it may, and nothing up to `nextMs` could come between them. */
    isFull: (nextMs: number): boolean => {
      if (found.size < limit) return false
      return (newest()[limit - 1]?.entry.wallMs ?? Number.NEGATIVE_INFINITY) > nextMs
    },
    /** What comes after `nextMs` is whole; the rest is to be asked for. */
    upTo: (nextMs: number): EventPage =>
      pageOf(
        newest().filter(({ entry }) => entry.wallMs > nextMs),
        idOf({ wallMs: nextMs, seq: LAST_SEQ }),
      ),
    all: (): EventPage => (found.size > limit ? full() : pageOf(newest(), undefined)),
  }
}
