import * as v from 'valibot'
import { jsonIn, readStored } from '#base/stored.ts'
import {
  boundEntry,
  EVENT_AREAS,
  idOf,
  matcherOf,
  placeOfId,
  type EventLog,
  type KeptEntry,
  type LogEntry,
} from '#history/event-log.ts'
import { codeOf } from '#node/files.ts'
import type { WatchFiles } from './state-file.ts'

const FILE = 'journal.jsonl'
/** About 6 MB in the file, and twice that in memory. */
export const ENTRIES_MAX = 20_000

const Finite = v.pipe(v.number(), v.finite())
const Stored = v.object({
  seq: v.pipe(Finite, v.integer(), v.minValue(1)),
  wallMs: Finite,
  serviceMs: v.exactOptional(Finite),
  area: v.picklist(EVENT_AREAS),
  what: v.string(),
  serviceId: v.exactOptional(v.string()),
  nodeKey: v.exactOptional(v.string()),
  facts: v.exactOptional(v.record(v.string(), v.union([v.string(), Finite, v.boolean()]))),
})

type Placed = { readonly seq: number; readonly entry: LogEntry }

/** The newest entries, one line of JSON each. A line that a crash cut off is left out. */
export function openWatchJournal(files: WatchFiles, report: (line: string) => void): EventLog {
  const listeners = new Set<() => void>()
  let kept = readEntries(files)
  let lastSeq = kept.at(-1)?.seq ?? 0
  let isReported = false
  // Also ends a line that a crash cut off.
  let lines = Number.POSITIVE_INFINITY
  const write = (added: readonly Placed[]): void => {
    lines += added.length
    const isRewrite = lines > 2 * ENTRIES_MAX
    try {
      if (isRewrite) files.replace(FILE, textOf(kept))
      else files.append(FILE, textOf(added))
      if (isRewrite) lines = kept.length
      isReported = false
    } catch (error) {
      if (!isReported) report(`${FILE}: cannot be written (${codeOf(error)}).`)
      isReported = true
      lines = Number.POSITIVE_INFINITY
    }
  }
  return {
    append: async (entries) => {
      if (entries.length === 0) return
      const added = entries.map((entry) => ({ seq: ++lastSeq, entry: boundEntry(entry) }))
      kept = [...kept, ...added].slice(-ENTRIES_MAX)
      write(added)
      for (const listener of listeners) listener()
    },
    read: async (query) => {
      const isWanted = matcherOf(query)
      const beforeSeq = placeOfId(query.before ?? '')?.seq ?? Number.POSITIVE_INFINITY
      const found: KeptEntry[] = []
      for (let index = kept.length - 1; index >= 0; index--) {
        const { seq, entry } = kept[index] ?? NEVER
        if (seq >= beforeSeq || !isWanted(entry)) continue
        if (found.length === query.limit) return { entries: found, before: found.at(-1)?.id }
        found.push({ ...entry, id: idOf({ wallMs: entry.wallMs, seq }) })
      }
      return { entries: found, before: undefined }
    },
    watch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const NEVER: Placed = { seq: Number.POSITIVE_INFINITY, entry: { wallMs: 0, area: 'watching', what: '' } }

const textOf = (entries: readonly Placed[]): string =>
  entries.map(({ seq, entry }) => `${JSON.stringify({ seq, ...entry })}\n`).join('')

const readEntries = (files: WatchFiles): readonly Placed[] =>
  (files.read(FILE) ?? '')
    .split('\n')
    .flatMap((line) => {
      const read = readStored(Stored, jsonIn(line))
      if (read === undefined) return []
      const { seq, ...entry } = read
      return [{ seq, entry }]
    })
    .slice(-ENTRIES_MAX)
