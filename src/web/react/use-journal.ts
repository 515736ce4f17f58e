import { useEffect, useMemo } from 'react'
import type { KeptEntry } from '#history/event-log.ts'
import { useDashboard } from './dashboard.ts'
import { createJournalReader, type JournalQuery } from './journal-reader.ts'
import { useStore } from './use-fleet.ts'

/** Reads the journal page by page and keeps it current. `query` and `accepts` must be stable objects. */
export function useJournal(query: JournalQuery, accepts?: (entry: KeptEntry) => boolean) {
  const { engine, events } = useDashboard()
  const reader = useMemo(
    () => createJournalReader(engine.readEvents, query, accepts),
    [engine, query, accepts],
  )
  useEffect(() => {
    reader.start()
    const end = events.subscribe(reader.freshen)
    return () => {
      end()
      reader.stop()
    }
  }, [reader, events])
  const view = useStore(reader.view, (now) => now)
  return { ...view, readOn: reader.readOn }
}
