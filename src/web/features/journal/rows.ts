import type { KeptEntry } from '#history/event-log.ts'
import { formatLongDay, type Zone } from '#texts/format-time.ts'

/** An entry, or the day over those that follow. */
export type JournalRow =
  | { readonly key: string; readonly day: string; readonly entry?: undefined }
  | { readonly key: string; readonly entry: KeptEntry }

/** In no zone does a day begin within a quarter of an hour, and naming days is what takes time here. */
const WITHIN_ONE_DAY_MS = 900_000

/** The entries, newest first, with a heading before each day. */
export function rowsOf(entries: readonly KeptEntry[], zone: Zone): readonly JournalRow[] {
  const rows: JournalRow[] = []
  let day: string | undefined
  let quarter: number | undefined
  for (const entry of entries) {
    const next = Math.floor(entry.wallMs / WITHIN_ONE_DAY_MS)
    if (next !== quarter) {
      quarter = next
      const named = formatLongDay(entry.wallMs, zone)
      if (named !== day) rows.push({ key: `day ${named} ${entry.id}`, day: named })
      day = named
    }
    rows.push({ key: entry.id, entry })
  }
  return rows
}

export const rowKey = (row: JournalRow): string => row.key
