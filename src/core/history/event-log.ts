/** What an entry is about: the kinds that a journal tells apart. */
export const EVENT_AREAS = ['alarm', 'service', 'watching', 'record', 'operator', 'settings'] as const
export type EventArea = (typeof EVENT_AREAS)[number]

/** Small plain facts: at most 16, texts at most 512 characters, a `note` at most 2,000. What is more is cut off. */
export type EventFacts = Readonly<Record<string, string | number | boolean>>

/** Something that happened and is worth telling later. */
export type LogEntry = {
  /** This computer's clock when it happened, Unix ms. A note may be pinned to an earlier moment. */
  readonly wallMs: number
  /** The service's own time then, where it is known. */
  readonly serviceMs?: number
  readonly area: EventArea
  /** What happened, as a stable name in kebab case: `status-changed`, `gap`, `note`. At most 64 characters. */
  readonly what: string
  readonly serviceId?: string
  /** Text of the node's key: (service, node). */
  readonly nodeKey?: string
  readonly facts?: EventFacts
}

/** `id` is unique, and ids sort by time as texts do. */
export type KeptEntry = LogEntry & { readonly id: string }

/** All that is given must fit. */
export type EventQuery = {
  /** From this moment up to, and without, `toMs`. */
  readonly fromMs?: number
  readonly toMs?: number
  readonly nodeKey?: string
  readonly areas?: readonly EventArea[]
  /** Is found in its name or in one of its facts, in upper or lower case. */
  readonly text?: string
  /** Only entries before this one. */
  readonly before?: string
  /** At most so many, and never more than `EVENTS_READ_MAX`. */
  readonly limit: number
}

export type EventPage = {
  /** Newest first. There may be fewer than asked for, or none, although there are more. */
  readonly entries: readonly KeptEntry[]
  /** There may be more: ask with this. */
  readonly before: string | undefined
}

/** Entries in one page at most. */
export const EVENTS_READ_MAX = 10_000

/**
 * What happened, kept in this browser: entries are added and never changed, and go with the
 * oldest rollups. While nothing can be kept the newest are held in memory.
 */
export type EventLog = {
  /** Never throws; resolves when they can be read back. They are kept within a second. */
  readonly append: (entries: readonly LogEntry[]) => Promise<void>
  /** Never throws: what can't be read is left out. */
  readonly read: (query: EventQuery) => Promise<EventPage>
  /** There are new entries. Returns the end of the watch. */
  readonly watch: (listener: () => void) => () => void
}

const FACTS_MAX = 16
const NAME_MAX = 64
const TEXT_MAX = 512
const NOTE_MAX = 2_000

/** An entry within its bounds. */
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

/** Where an entry stands among all: by time, and by the order in which they came. */
export type EventPlace = { readonly wallMs: number; readonly seq: number }

/** Digits of the largest time and number, so that texts sort as the numbers do. */
const DIGITS = 16

export const idOf = ({ wallMs, seq }: EventPlace): string =>
  `${String(Math.max(0, wallMs)).padStart(DIGITS, '0')}-${String(seq).padStart(DIGITS, '0')}`

/** Undefined for a text that is no id. */
export function placeOfId(id: string): EventPlace | undefined {
  const match = /^(\d{16})-(\d{16})$/.exec(id)
  return match === null ? undefined : { wallMs: Number(match[1]), seq: Number(match[2]) }
}

export const isBefore = (one: EventPlace, other: EventPlace): boolean =>
  one.wallMs === other.wallMs ? one.seq < other.seq : one.wallMs < other.wallMs

/** Whether an entry is what was asked for; its place is not looked at. */
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
