export const EVENT_AREAS = ['alarm', 'service', 'watching', 'record', 'operator', 'settings'] as const
export type EventArea = (typeof EVENT_AREAS)[number]

/** At most 16 facts; texts up to 512 characters, a `note` up to 2,000. Longer ones are cut. */
export type EventFacts = Readonly<Record<string, string | number | boolean>>

export type LogEntry = {
  /** When it happened by this computer's clock, Unix ms. A note may name an earlier moment. */
  readonly wallMs: number
  /** The service's own time then, if known. */
  readonly serviceMs?: number
  readonly area: EventArea
  /** A stable name in kebab case, such as `status-changed`, `gap` or `note`. At most 64 characters. */
  readonly what: string
  readonly serviceId?: string
  /** The node's key. */
  readonly nodeKey?: string
  readonly facts?: EventFacts
}

/** An entry as it is stored: numbered by arrival. */
export type NumberedEntry = LogEntry & { readonly seq: number }

/** `id` is unique, and ids sort by time as text. */
export type KeptEntry = LogEntry & { readonly id: string }

/** An entry has to match every member. */
export type EventQuery = {
  /** Inclusive; `toMs` is exclusive. */
  readonly fromMs?: number
  readonly toMs?: number
  readonly nodeKey?: string
  readonly areas?: readonly EventArea[]
  /** Case-insensitive substring of its name or of a fact. */
  readonly text?: string
  /** Only entries before this one. */
  readonly before?: string
  /** Capped at `EVENTS_READ_MAX`. */
  readonly limit: number
}

export type EventPage = {
  /** Newest first. Can be short or empty even if there are more. */
  readonly entries: readonly KeptEntry[]
  /** Set if there may be more: pass it to the next query. */
  readonly before: string | undefined
}

export const EVENTS_READ_MAX = 10_000

/**
 * The journal in this browser. Entries are never changed, and are deleted with the oldest rollups. While the
 * store fails, the newest stay in memory.
 */
export type EventLog = {
  /** Never throws. Resolves when the entries can be read; they are stored within a second. */
  readonly append: (entries: readonly LogEntry[]) => Promise<void>
  /** Never throws; leaves out what it cannot read. */
  readonly read: (query: EventQuery) => Promise<EventPage>
  readonly watch: (listener: () => void) => () => void
}

const FACTS_MAX = 16
const NAME_MAX = 64
const TEXT_MAX = 512
const NOTE_MAX = 2_000

export function boundEntry(entry: LogEntry): LogEntry {
  const { wallMs, serviceMs, area, what, serviceId, nodeKey, facts } = entry
  return {
    wallMs: Math.round(wallMs),
    ...(serviceMs !== undefined && { serviceMs: Math.round(serviceMs) }),
    area,
    what: what.slice(0, NAME_MAX),
    ...(serviceId !== undefined && { serviceId: serviceId.slice(0, TEXT_MAX) }),
    ...(nodeKey !== undefined && { nodeKey: nodeKey.slice(0, TEXT_MAX * 2) }),
    ...(facts !== undefined && { facts: boundFacts(facts) }),
  }
}

const boundFacts = (facts: EventFacts): EventFacts =>
  Object.fromEntries(
    Object.entries(facts)
      .slice(0, FACTS_MAX)
      .map(([name, value]) => [
        name.slice(0, NAME_MAX),
        typeof value === 'string' ? value.slice(0, name === 'note' ? NOTE_MAX : TEXT_MAX) : value,
      ]),
  )

/** The order of entries: by time, then by arrival. */
type EventPosition = Pick<NumberedEntry, 'wallMs' | 'seq'>

/** Padded to the digits of the largest number, so that ids sort like the numbers. */
const DIGITS = 16

export const idOf = ({ wallMs, seq }: EventPosition): string =>
  `${String(Math.max(0, wallMs)).padStart(DIGITS, '0')}-${String(seq).padStart(DIGITS, '0')}`

export const keptOf = ({ seq, ...entry }: NumberedEntry): KeptEntry => ({
  ...entry,
  id: idOf({ wallMs: entry.wallMs, seq }),
})

export function positionOfId(id: string): EventPosition | undefined {
  const match = /^(\d{16})-(\d{16})$/.exec(id)
  return match === null ? undefined : { wallMs: Number(match[1]), seq: Number(match[2]) }
}

export const isBefore = (one: EventPosition, other: EventPosition): boolean =>
  one.wallMs === other.wallMs ? one.seq < other.seq : one.wallMs < other.wallMs

/** Whether an entry matches the query, apart from `before`. */
export function matcherOf({ fromMs, toMs, nodeKey, areas, text }: EventQuery): (entry: LogEntry) => boolean {
  const wanted = text?.trim().toLowerCase() ?? ''
  const has = (value: unknown): boolean => String(value).toLowerCase().includes(wanted)
  return (entry) =>
    (fromMs === undefined || entry.wallMs >= fromMs) &&
    (toMs === undefined || entry.wallMs < toMs) &&
    (nodeKey === undefined || entry.nodeKey === nodeKey) &&
    (areas === undefined || areas.includes(entry.area)) &&
    (wanted === '' ||
      has(entry.what) ||
      Object.values(entry.facts ?? {}).some(has) ||
      (entry.nodeKey !== undefined && has(entry.nodeKey)))
}
