import type { LogEntry } from '#history/event-log.ts'
import { createEventBuffer, type EventState } from '#history/store/event-buffer.ts'
import { encodeEvents, eventKeyOf, rowFor, type PlacedEntry } from '#history/store/event-rows.ts'
import { createSegments } from '#history/store/segments.ts'
import { segmentAt, segmentName } from '#history/tiers.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { quickPacker } from './kept-history.ts'

export const entryAt = (wallMs: number, given: Partial<LogEntry> = {}): LogEntry => ({
  wallMs,
  area: 'record',
  what: 'gap',
  ...given,
})

/** The log of one engine over a store of memory. */
export function createKeptLog(storage = createMemoryStorage(), clock = createFakeClock()) {
  const damaged: number[] = []
  const state: EventState = {
    clock,
    segments: createSegments(storage, 'me', () => undefined),
    packer: quickPacker,
    onDamaged: () => damaged.push(1),
    events: createEventBuffer(),
  }
  const nameAt = (atMs: number) => segmentName(segmentAt('coarse', atMs))
  return {
    clock,
    storage,
    state,
    damaged: () => damaged.length,
    nameAt,
    /** Rows of the log in a segment: from when, to when and how many entries, in order. */
    rows: (atMs = clock.wallMs()) =>
      Array.from(storage.databases.get(nameAt(atMs))?.get('events')?.values() ?? [], ({ key }) => ({
        fromMs: Number(key[1]),
        toMs: Number(key[0]),
        count: Number(key[3]),
      })).toSorted((a, b) => a.fromMs - b.fromMs || a.count - b.count),
    /** What a segment says of its part of the log, and the bytes that its rows have. */
    meta: (atMs = clock.wallMs()): Readonly<Record<string, unknown>> => ({
      ...Object(storage.databases.get(nameAt(atMs))?.get('meta')?.get('["events"]')?.value),
    }),
    bytes: (atMs = clock.wallMs()) =>
      Array.from(storage.databases.get(nameAt(atMs))?.get('events')?.values() ?? []).reduce(
        (sum, { value }) => sum + (value as Uint8Array).length,
        0,
      ),
    /** Lays a row of these entries into the store, as it was written some time. */
    lay: async (entries: readonly PlacedEntry[]) => {
      const first = entries[0]?.entry.wallMs ?? 0
      const tables = storage.databases.get(nameAt(first)) ?? new Map()
      storage.databases.set(nameAt(first), tables)
      const rows = tables.get('events') ?? new Map()
      tables.set('events', rows)
      const key = eventKeyOf(rowFor(entries))
      rows.set(JSON.stringify(key), { key, value: await encodeEvents(entries, quickPacker) })
    },
  }
}
