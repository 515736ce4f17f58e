import { createStore, type Store } from '#base/store.ts'
import type { EventPage, EventQuery, KeptEntry } from '#history/event-log.ts'

/** What of the journal is asked for; newest first. */
export type JournalQuery = Omit<EventQuery, 'before' | 'limit' | 'text'>

export type JournalView = {
  /** Those that match, newest first. */
  readonly entries: readonly KeptEntry[]
  /** `reading`: more are on their way. `more`: there may be older ones. `end`: there are none. `full`: no more are held. */
  readonly state: 'reading' | 'more' | 'end' | 'full' | 'failed'
  /** How many were looked at, matching or not, and how far back that goes; undefined before the first. */
  readonly seen: number
  readonly seenToMs: number | undefined
}

export type JournalReader = {
  readonly view: Store<JournalView>
  /** Reads the newest, and goes on where it was stopped. */
  readonly start: () => void
  /** Reads on towards the past, until a screenful more matches or nothing is left. */
  readonly readOn: () => void
  /** Looks for what is newer than the newest. */
  readonly freshen: () => void
  readonly stop: () => void
}

const PAGE = 500
/** While little matches each page is twice the one before, up to this: each costs a way to the engine and back. */
const PAGE_MAX = 2_000
/** So many more that match are read in one go. */
const SCREENFUL = 200
/** Rows held at once: what is older is reached by an earlier end of the time. */
export const HELD_MAX = 20_000

type Read = (query: EventQuery) => Promise<EventPage>
type Accepts = (entry: KeptEntry) => boolean

/** What has been read, and what a page more of it is. */
type Held = Pick<JournalView, 'entries' | 'seen' | 'seenToMs'> & {
  /** Where the next older page begins; undefined before the first and after the last. */
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

/** Undefined where the page does not reach what is known: more came than it holds. */
function withNewer(held: Held, page: EventPage, accepts: Accepts): Held | undefined {
  const known = page.entries.findIndex(({ id }) => id === held.newest)
  if (page.entries.length === 0) return held
  if (known === -1) return undefined
  const ids = new Set(held.entries.map(({ id }) => id))
  // A note may be pinned to a moment before the newest entry.
  const added = page.entries.filter((entry) => !ids.has(entry.id) && accepts(entry))
  if (known === 0 && added.length === 0) return held
  return {
    ...held,
    entries: [...added, ...held.entries].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, HELD_MAX),
    seen: held.seen + Math.max(known, added.length),
    newest: page.entries[0]?.id ?? held.newest,
  }
}

/** What one reader knows while it reads. `run` 0: it is stopped; each start is another. */
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

/** Page after page until so many match. */
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
  if (next === reader.held) return undefined
  reader.held = next
  return publish(reader, reader.view.get().state)
}

/**
 * Reads the journal page by page, so that a million entries cost no more than those that are
 * looked at. `accepts` is a search in the words on screen, which only this page knows.
 */
export function createJournalReader(
  read: Read,
  query: JournalQuery,
  accepts: Accepts = () => true,
): JournalReader {
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
    start: () => {
      reader.run = ++runs
      isReading = false
      void step(view.get().state === 'reading' ? older : newer)
    },
    readOn: () => {
      const { state } = view.get()
      if (state === 'more' || state === 'failed') void step(older)
    },
    freshen: () => {
      if (isReading) isStale = true
      else void step(newer)
    },
    stop: () => {
      reader.run = 0
    },
  }
}

function stateOf({ entries, before }: Held, wanted: number): JournalView['state'] {
  if (before === undefined) return 'end'
  if (entries.length >= HELD_MAX) return 'full'
  return entries.length >= wanted ? 'more' : 'reading'
}
