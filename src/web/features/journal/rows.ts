import type { KeptEntry } from '#history/event-log.ts'
import { formatLongDay, type Zone } from '#texts/format-time.ts'

/** An entry, or the day over those that follow. */
export type JournalRow =
  | { readonly key: string; readonly day: string; readonly entry?: undefined }
  | { readonly key: string; readonly entry: KeptEntry }

/** The entries, newest first, with a heading before each day. */
export function rowsOf(entries: readonly KeptEntry[], zone: Zone): readonly JournalRow[] {
  const rows: JournalRow[] = []
  let last: string | undefined
  for (const entry of entries) {
    const day = formatLongDay(entry.wallMs, zone)
    if (day !== last) rows.push({ key: `day ${day} ${entry.id}`, day })
    last = day
    rows.push({ key: entry.id, entry })
  }
  return rows
}

export const rowKey = (row: JournalRow): string => row.key
