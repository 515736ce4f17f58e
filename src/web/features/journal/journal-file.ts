import { CSV_MARK, csvLine } from '#base/csv.ts'
import type { EventPage, EventQuery, KeptEntry, LogEntry } from '#history/event-log.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { JournalQuery } from '#react/journal-reader.ts'
import { eventWords } from '#texts/en-events.ts'

export type JournalFormat = 'csv' | 'json'

type FileWriter = {
  readonly head: string
  readonly entry: (entry: KeptEntry, wordsOf: WordsOf, isFirst: boolean) => string
  readonly foot: string
}

const HEAD = ['time', 'service_time', 'area', 'what', 'node', 'service', 'words', 'facts'] as const

const iso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString()

type WordsOf = (entry: LogEntry) => string

const wordsWith =
  (metrics: MetricRegistry): WordsOf =>
  (entry) =>
    eventWords(entry, { zone: 'utc', nowMs: entry.wallMs, metrics }).title

const CSV: FileWriter = {
  head: CSV_MARK + csvLine(HEAD),
  entry: (entry, wordsOf) =>
    csvLine([
      iso(entry.wallMs),
      iso(entry.serviceMs),
      entry.area,
      entry.what,
      entry.nodeKey,
      entry.serviceId,
      wordsOf(entry),
      entry.facts === undefined ? undefined : JSON.stringify(entry.facts),
    ]),
  foot: '',
}

const JSON_FILE: FileWriter = {
  head: '[',
  entry: (entry, wordsOf, isFirst) =>
    `${isFirst ? '' : ','}\n${JSON.stringify({ ...entry, time: iso(entry.wallMs), words: wordsOf(entry) })}`,
  foot: '\n]\n',
}

const PAGE = 1_000

type WriteOptions = {
  readonly read: (query: EventQuery) => Promise<EventPage>
  readonly query: JournalQuery
  readonly accepts: ((entry: KeptEntry) => boolean) | undefined
  readonly format: JournalFormat
  readonly metrics: MetricRegistry
  /** Called after each page with the number of entries so far; returning false stops the export. */
  readonly onWritten: (count: number) => boolean
}

/** The file's parts, newest entry first; undefined if stopped. Rejects if the journal cannot be read. */
export async function writeJournal(options: WriteOptions): Promise<readonly string[] | undefined> {
  const { read, query, accepts = () => true, format, metrics, onWritten } = options
  const wordsOf = wordsWith(metrics)
  const { head, entry: write, foot } = format === 'csv' ? CSV : JSON_FILE
  const parts = [head]
  let count = 0
  let before: string | undefined
  do {
    const page = await read({ ...query, ...(before !== undefined && { before }), limit: PAGE })
    let part = ''
    for (const entry of page.entries) if (accepts(entry)) part += write(entry, wordsOf, count++ === 0)
    parts.push(part)
    before = page.before
    if (!onWritten(count)) return undefined
  } while (before !== undefined)
  return [...parts, foot]
}
