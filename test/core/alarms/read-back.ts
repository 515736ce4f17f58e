import { parseStoredAlarms, documentsOf, type StoredAlarms } from '#alarms/alarm-store.ts'

/** The stored alarms, as another session reads them. */
export function readBack(kept: StoredAlarms): StoredAlarms {
  const { document, points } = structuredClone(documentsOf(kept))
  const read = parseStoredAlarms(document, points)
  if (read === undefined) throw new Error('what was kept can not be read')
  return read
}
