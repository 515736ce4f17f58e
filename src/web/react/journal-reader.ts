import { createStore, type Store } from '#base/store.ts'
import type { EventPage, EventQuery, KeptEntry } from '#history/event-log.ts'

export type JournalQuery = Omit<EventQuery, 'before' | 'limit' | 'text'>

export type JournalView = {
  /** Matching entries, newest first. */
  readonly entries: readonly KeptEntry[]
  /** `reading`: a read is in progress. `more`: older entries may exist. `end`: none exist. `full`: the limit is reached. */
  readonly state: 'reading' | 'more' | 'end' | 'full' | 'failed'
  /** Number of entries examined, matching or not, and the time of the oldest; undefined before the first read. */
  readonly seen: number
  readonly seenToMs: number | undefined
}

const PAGE = 500
/** While few entries match, the page size doubles up to this, because each page costs a round trip to the engine. */
const PAGE_MAX = 2_000
/** Number of further matches that one call reads. */
const SCREENFUL = 200
/** Maximum number of entries in memory. Older ones require an earlier end of the time range. */
export const HELD_MAX = 20_000

type Read = (query: EventQuery) => Promise<EventPage>
type Accepts = (entry: KeptEntry) => boolean

type Held = Pick<JournalView, 'entries' | 'seen' | 'seenToMs'> & {
  /** Start of the next older page; undefined before the first page and after the last. */
  readonly before: string | undefined
  readonly newest: string | undefined
}

const NOTHING: Held = { entries: [], seen: 0, seenToMs: undefined, before: undefined, newest: undefined }

const withOlder = (held: Held, page: EventPage, accepts: Accepts): Held => ({
  entries: [...held.entries, ...page.entries.filter(accepts)].slice(0, HELD_MAX),
  seen: held.seen + page.entries.length,
  seenToMs: page.entries.at(-1)?.wallMs ?? held.seenToMs,
  before: page.before,
  newest: held.newest ?? page.entries[0]?.id,
})

/** Undefined if the page does not reach the known entries, because more entries arrived than it holds. */
function withNewer(held: Held, page: EventPage, accepts: Accepts): Held | undefined {
  const known = page.entries.findIndex(({ id }) => id === held.newest)
  if (page.entries.length === 0) return held
  if (known === -1) return undefined
  const ids = new Set(held.entries.map(({ id }) => id))
  // A note may be pinned to a time before the newest entry.
  const added = page.entries.filter((entry) => !ids.has(entry.id) && accepts(entry))
  if (known === 0 && added.length === 0) return held
  return {
    ...held,
    entries: [...added, ...held.entries].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, HELD_MAX),
    seen: held.seen + Math.max(known, added.length),
    newest: page.entries[0]?.id ?? held.newest,
  }
}

/** State of a reader. `run` is 0 while stopped; each start has its own number. */
type ReaderState = {
  readonly read: Read
  readonly query: JournalQuery
  readonly accepts: Accepts
  readonly view: Store<JournalView>
  held: Held
  run: number
}

const publish = (
  { view, held: { entries, seen, seenToMs } }: ReaderState,
  state: JournalView['state'],
): void => view.publish({ entries, seen, seenToMs, state })

const older = (reader: ReaderState, run: number): Promise<void> =>
  readTo(reader, run, Math.min(HELD_MAX, reader.held.entries.length + SCREENFUL))

/** Reads pages until `wanted` entries match. */
async function readTo(reader: ReaderState, run: number, wanted: number, limit = PAGE): Promise<void> {
  publish(reader, 'reading')
  const { before } = reader.held
  const page = await reader.read({ ...reader.query, ...(before !== undefined && { before }), limit })
  if (run !== reader.run) return undefined
  reader.held = withOlder(reader.held, page, reader.accepts)
  const state = stateOf(reader.held, wanted)
  if (state === 'reading') return readTo(reader, run, wanted, Math.min(PAGE_MAX, 2 * limit))
  return publish(reader, state)
}

async function newer(reader: ReaderState, run: number): Promise<void> {
  const page = await reader.read({ ...reader.query, limit: PAGE })
  if (run !== reader.run) return undefined
  const next = withNewer(reader.held, page, reader.accepts)
  if (next === undefined) {
    reader.held = NOTHING
    return older(reader, run)
  }
  if (next === reader.held && reader.view.get().state !== 'failed') return undefined
  reader.held = next
  return publish(reader, stateOf(next, 0))
}

/**
 * Reads the journal page by page, so that even a million entries cost only what is examined. `accepts` searches the displayed
 * texts, which only this page knows.
 */
export function createJournalReader(read: Read, query: JournalQuery, accepts: Accepts = () => true) {
  const view = createStore<JournalView>({ entries: [], state: 'reading', seen: 0, seenToMs: undefined })
  const reader: ReaderState = { read, query, accepts, view, held: NOTHING, run: 0 }
  let runs = 0
  let isReading = false
  let isStale = false

  async function step(work: (reader: ReaderState, run: number) => Promise<void>): Promise<void> {
    if (isReading || reader.run === 0) return
    const { run } = reader
    isReading = true
    await work(reader, run).catch(() => publish(reader, 'failed'))
    if (run !== reader.run) return
    isReading = false
    if (!isStale) return
    isStale = false
    void step(newer)
  }

  return {
    view,
    /** Reads the newest entries, or resumes after `stop`. */
    start: (): void => {
      reader.run = ++runs
      isReading = false
      void step(view.get().state === 'reading' ? older : newer)
    },
    /** Reads older entries until a screenful matches or none are left. */
    readOn: (): void => {
      const { state } = view.get()
      // Once the oldest entry is known, only a read of newer ones can have failed.
      const isWhole = reader.held !== NOTHING && reader.held.before === undefined
      if (state === 'more' || state === 'failed') void step(isWhole ? newer : older)
    },
    freshen: (): void => {
      if (isReading) isStale = true
      else void step(newer)
    },
    stop: (): void => {
      reader.run = 0
    },
  }
}

function stateOf({ entries, before }: Held, wanted: number): JournalView['state'] {
  if (before === undefined) return 'end'
  if (entries.length >= HELD_MAX) return 'full'
  return entries.length >= wanted ? 'more' : 'reading'
}
