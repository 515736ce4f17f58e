import { jsonIn, readStored } from '#base/stored.ts'
import {
  boundEntry,
  keptOf,
  matcherOf,
  positionOfId,
  type EventLog,
  type KeptEntry,
  type NumberedEntry,
} from '#history/event-log.ts'
import { EntryShape } from '#history/store/events.ts'
import { createWriter } from '#node/files.ts'
import type { WatchFiles } from './state-file.ts'

const FILE = 'journal.jsonl'
/** About 6 MB in the file, and twice that in memory. */
export const ENTRIES_MAX = 20_000

/** The newest entries, one line of JSON each. A line that a crash cut off is left out. */
export function openWatchJournal(files: WatchFiles, report: (line: string) => void): EventLog {
  const listeners = new Set<() => void>()
  let kept = readEntries(files)
  let lastSeq = kept.at(-1)?.seq ?? 0
  const tryWrite = createWriter(report, (code) => `${FILE}: can’t be written (${code}).`)
  // Also ends a line that a crash cut off.
  let lines = Number.POSITIVE_INFINITY
  const write = (added: readonly NumberedEntry[]): void => {
    lines += added.length
    const isRewrite = lines > 2 * ENTRIES_MAX
    const isWritten = tryWrite(() =>
      isRewrite ? files.replace(FILE, textOf(kept)) : files.append(FILE, textOf(added)),
    )
    if (!isWritten) lines = Number.POSITIVE_INFINITY
    else if (isRewrite) lines = kept.length
  }
  return {
    append: async (entries) => {
      if (entries.length === 0) return
      const added = entries.map((entry) => ({ seq: ++lastSeq, ...boundEntry(entry) }))
      kept = [...kept, ...added].slice(-ENTRIES_MAX)
      write(added)
      for (const listener of listeners) listener()
    },
    read: async (query) => {
      const isWanted = matcherOf(query)
      const beforeSeq = positionOfId(query.before ?? '')?.seq ?? Number.POSITIVE_INFINITY
      const found: KeptEntry[] = []
      for (const entry of kept.toReversed()) {
        if (entry.seq >= beforeSeq || !isWanted(entry)) continue
        if (found.length === query.limit) return { entries: found, before: found.at(-1)?.id }
        found.push(keptOf(entry))
      }
      return { entries: found, before: undefined }
    },
    watch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const textOf = (entries: readonly NumberedEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

const readEntries = (files: WatchFiles): readonly NumberedEntry[] =>
  (files.read(FILE) ?? '')
    .split('\n')
    .flatMap((line) => readStored(EntryShape, jsonIn(line)) ?? [])
    .slice(-ENTRIES_MAX)
