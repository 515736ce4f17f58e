import { readKept, writtenOf, type KeptAlarms } from '#alarms/kept-alarms.ts'

/** What is kept, as another session reads it. */
export function readBack(kept: KeptAlarms): KeptAlarms {
  const { document, points } = structuredClone(writtenOf(kept))
  const read = readKept(document, points)
  if (read === undefined) throw new Error('what was kept can not be read')
  return read
}
