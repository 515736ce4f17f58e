import { err, ok, type Result } from '#base/result.ts'
import type { Clock } from '#base/clock.ts'
import type {
  Change,
  Database,
  Packer,
  Storage,
  StorageFailure,
  StorageKey,
  StoredRow,
} from '#history/storage.ts'
import { segmentName, segmentOfName, type SegmentId } from '#history/tiers.ts'
import type { StagedStorage } from './generations.ts'

/** What a segment says of itself. */
export type SegmentMeta = {
  /** Samples that were put into it, and the bytes of its records. */
  readonly samples: number
  readonly bytes: number
  /** Unix ms; of its samples. */
  readonly firstMs: number | undefined
  readonly lastMs: number | undefined
  /** When it was last written to: somebody watched until then. */
  readonly aliveMs: number | undefined
  /** Up to here its time is summed up. */
  readonly rolledToMs: number | undefined
  /** Of the write-ahead records up to the one with this key each row before this time was summed up, by the times of then. */
  readonly rolledKey: number | undefined
  readonly rolledKeyToMs: number | undefined
}

/** What a segment says of its part of the event log. Written apart from the meta: neither waits for the other. */
export type EventsMeta = {
  readonly count: number
  readonly bytes: number
  /** Entries have numbers up to here. */
  readonly lastSeq: number
}

const META_KEY: StorageKey = ['meta']
const EVENTS_KEY: StorageKey = ['events']
/** Who wrote last, and which write of its it was: two engines may run for a moment where there are no Web Locks. */
const WRITER_KEY: StorageKey = ['writer']

/** A database that is open, with what is needed to write into it. */
export type OpenSegment = {
  readonly id: SegmentId
  readonly database: Database
  /** Nodes have short numbers inside a segment. */
  readonly nodes: Map<string, number>
  readonly writer: Writer
  /** Who had written last when it was read, as it stands in the database. */
  readonly lastWriter: unknown
  /** This engine has written into it since it read what others wrote. */
  isClaimed: boolean
  meta: SegmentMeta
  events: EventsMeta
}

/** This engine, as the databases know it. */
type Writer = {
  /** A new name for each write, so that whoever read before it can tell. */
  readonly sign: () => string
  readonly signed: (value: unknown) => boolean
}

export type Segments = {
  /** Those that exist, as far as is known. */
  readonly ids: () => readonly SegmentId[]
  readonly refresh: () => Promise<Result<undefined, StorageFailure>>
  /** What others wrote is about to be read: from then on this engine may write again where they did. */
  readonly unclaim: () => void
  /** Opens again what did not open in time; until then nobody waits for it. */
  readonly tryAgain: () => void
  /**
   * Does something with a segment; makes it where there is none. A connection that died is opened
   * anew once, and `work` runs again: so it must be such that twice does no harm.
   */
  readonly use: <T>(
    id: SegmentId,
    work: (segment: OpenSegment) => Promise<Result<T, StorageFailure>>,
  ) => Promise<Result<T, StorageFailure>>
  readonly remove: (id: SegmentId) => Promise<Result<undefined, StorageFailure>>
  readonly close: () => void
  /** Closes for good: whatever is under way gets no further. */
  readonly end: () => void
}

const NODES_FROM: StorageKey = ['']
/** After every text that a key of ours can be. */
const NODES_TO: StorageKey = ['\uffff']

/** What every part of the store works with. */
export type SegmentStore = {
  readonly clock: Clock
  readonly storage: StagedStorage
  readonly segments: Segments
  readonly packer: Packer
  /** Resolves soon: lets polls go on in the middle of long work. */
  readonly yieldToEventLoop: () => Promise<void>
  /** Called for each record that can't be read. */
  readonly onDamaged: () => void
  /** Runs one after another what must not be mixed with a flush. */
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>
}

/** Connections that stay open; others are closed when these are used. */
const OPEN_MAX = 8

type Opened = Result<OpenSegment, StorageFailure>

/** One connection to each of the segments that were used last. `onOpened`: before anybody uses it. */
function createConnections(
  open: (id: SegmentId) => Promise<Opened>,
  onOpened: (id: SegmentId, segment: OpenSegment) => void,
) {
  const held = new Map<string, OpenSegment>()
  /** Two that read the same would each give numbers of their own to nodes. */
  const opening = new Map<string, Promise<Opened>>()
  let isEnded = false

  const close = (name: string): void => {
    opening.delete(name)
    held.get(name)?.database.close()
    held.delete(name)
  }

  const opened = async (id: SegmentId, isWanted: () => boolean): Promise<Opened> => {
    const name = segmentName(id)
    const found = await open(id)
    const stays = isWanted()
    if (stays) opening.delete(name)
    if (!found.ok) return found
    if (!stays) {
      // What it read may be of before it was closed.
      found.value.database.close()
      return err('closed')
    }
    onOpened(id, found.value)
    held.set(name, found.value)
    if (held.size > OPEN_MAX) Array.from(held.keys()).slice(0, 1).forEach(close)
    return found
  }

  const closeAll = (): void => [...held.keys(), ...opening.keys()].forEach(close)

  return {
    /** The one that is open, or a new one: the same for all who ask meanwhile. `closed`: it was closed before it was open. */
    get: async (id: SegmentId): Promise<Opened> => {
      const name = segmentName(id)
      const known = held.get(name)
      if (isEnded) return err('closed')
      if (known !== undefined) {
        held.delete(name)
        held.set(name, known)
        return ok(known)
      }
      const underWay = opening.get(name)
      if (underWay !== undefined) return underWay
      const mine: Promise<Opened> = opened(id, () => opening.get(name) === mine)
      opening.set(name, mine)
      return mine
    },
    /** This one is of no more use. */
    drop: (id: SegmentId, segment: OpenSegment): void => {
      segment.database.close()
      if (held.get(segmentName(id)) === segment) held.delete(segmentName(id))
    },
    /** Whatever is open, or being opened, for a segment. */
    close: (id: SegmentId): void => close(segmentName(id)),
    closeAll,
    end: (): void => {
      isEnded = true
      closeAll()
    },
  }
}

/** `onVanished`: a segment that had samples is empty all of a sudden: it was cleared. */
export function createSegments(
  storage: Storage,
  writer: string,
  onVanished: (id: SegmentId) => void,
): Segments {
  const existing = new Map<string, SegmentId>()
  const samplesOf = new Map<string, number>()
  /** Those that this engine wrote into: what it knows of them is all there is, unless another did too. */
  const claimed = new Set<string>()
  /** Those that did not open in time. */
  const hung = new Map<string, StorageFailure>()
  const me = createWriter(writer)
  const connections = createConnections(
    async (id) => {
      const opened = await openSegment(storage, id, me, claimed.has(segmentName(id)))
      if (!opened.ok && (opened.error === 'no-answer' || opened.error === 'blocked'))
        hung.set(segmentName(id), opened.error)
      return opened
    },
    (id, { meta }) => {
      const name = segmentName(id)
      existing.set(name, id)
      if (meta.samples > 0 || (samplesOf.get(name) ?? 0) === 0) return
      samplesOf.set(name, 0)
      onVanished(id)
    },
  )

  const attempt = async <T>(
    id: SegmentId,
    work: (segment: OpenSegment) => Promise<Result<T, StorageFailure>>,
  ): Promise<Result<T, StorageFailure>> => {
    const hangs = hung.get(segmentName(id))
    if (hangs !== undefined) return err(hangs)
    const segment = await connections.get(id)
    if (!segment.ok) return segment
    const done = await work(segment.value)
    if (segment.value.isClaimed) claimed.add(segmentName(id))
    // What it numbered or counted meanwhile may not be kept: it is read anew.
    if (done.ok) samplesOf.set(segmentName(id), segment.value.meta.samples)
    else connections.drop(id, segment.value)
    return done
  }

  return {
    ids: () => Array.from(existing.values()),
    refresh: async () => {
      const names = await storage.list()
      if (!names.ok) return names
      existing.clear()
      for (const id of names.value.flatMap((name) => segmentOfName(name) ?? []))
        existing.set(segmentName(id), id)
      return ok(undefined)
    },
    unclaim: () => claimed.clear(),
    tryAgain: () => hung.clear(),
    use: async (id, work) => {
      const first = await attempt(id, work)
      if (first.ok || (first.error !== 'closed' && first.error !== 'broken')) return first
      return attempt(id, work)
    },
    remove: async (id) => {
      const name = segmentName(id)
      connections.close(id)
      samplesOf.delete(name)
      const removed = await storage.remove(name)
      if (removed.ok) existing.delete(name)
      return removed
    },
    close: connections.closeAll,
    end: connections.end,
  }
}

async function openSegment(
  storage: Storage,
  id: SegmentId,
  writer: Writer,
  wasClaimed: boolean,
): Promise<Opened> {
  const opened = await storage.open(segmentName(id))
  if (!opened.ok) return opened
  const database = opened.value
  const read = await database.read([
    { table: 'meta', from: META_KEY, to: [...META_KEY, 0] },
    { table: 'nodes', from: NODES_FROM, to: NODES_TO },
    { table: 'meta', from: EVENTS_KEY, to: [...EVENTS_KEY, 0] },
    { table: 'meta', from: WRITER_KEY, to: [...WRITER_KEY, 0] },
  ])
  if (!read.ok) {
    database.close()
    return read
  }
  const [metas = [], numbers = [], events = [], writers = []] = read.value
  const nodes = new Map<string, number>()
  for (const { key, value } of numbers)
    if (typeof key[0] === 'string' && typeof value === 'number') nodes.set(key[0], value)
  const lastWriter = writers[0]?.value
  return ok({
    id,
    database,
    nodes,
    writer,
    lastWriter,
    // A database that was cleared is nobody's.
    isClaimed: wasClaimed && lastWriter !== undefined,
    meta: metaOf(metas[0]),
    events: eventsMetaOf(events[0]),
  })
}

function createWriter(name: string): Writer {
  let writes = 0
  return {
    sign: () => `${name} ${++writes}`,
    signed: (value) => typeof value === 'string' && value.startsWith(`${name} `),
  }
}

/** The finite numbers of a row that is an object of them. */
function numbersOf(row: StoredRow | undefined): (name: string) => number | undefined {
  const value: object = typeof row?.value === 'object' && row.value !== null ? row.value : {}
  const numbers = new Map<string, unknown>(Object.entries(value))
  return (name) => {
    const given = numbers.get(name)
    return typeof given === 'number' && Number.isFinite(given) ? given : undefined
  }
}

function eventsMetaOf(row: StoredRow | undefined): EventsMeta {
  const number = numbersOf(row)
  return { count: number('count') ?? 0, bytes: number('bytes') ?? 0, lastSeq: number('lastSeq') ?? 0 }
}

/** What lies in a database is looked at like any other input. */
function metaOf(row: StoredRow | undefined): SegmentMeta {
  const number = numbersOf(row)
  return {
    samples: number('samples') ?? 0,
    bytes: number('bytes') ?? 0,
    firstMs: number('firstMs'),
    lastMs: number('lastMs'),
    aliveMs: number('aliveMs'),
    rolledToMs: number('rolledToMs'),
    rolledKey: number('rolledKey'),
    rolledKeyToMs: number('rolledKeyToMs'),
  }
}

/** A node's number in a segment; where it has none, it gets one with this write. */
export function numberOf(segment: OpenSegment, node: string, changes: Change[]): number {
  const known = segment.nodes.get(node)
  if (known !== undefined) return known
  const number = segment.nodes.size + 1
  segment.nodes.set(node, number)
  changes.push({ kind: 'put', table: 'nodes', key: [node], value: number })
  return number
}

/** Writes, and with it what the segment says of itself. */
export async function writeTo(
  segment: OpenSegment,
  changes: readonly Change[],
  meta: SegmentMeta,
): Promise<Result<undefined, StorageFailure>> {
  const kept = await write(segment, [...changes, { kind: 'put', table: 'meta', key: META_KEY, value: meta }])
  if (kept.ok) segment.meta = meta
  return kept
}

/** Writes entries of the log, and with it what the segment says of them. */
export async function writeEvents(
  segment: OpenSegment,
  changes: readonly Change[],
  events: EventsMeta,
): Promise<Result<undefined, StorageFailure>> {
  const kept = await write(segment, [
    ...changes,
    { kind: 'put', table: 'meta', key: EVENTS_KEY, value: events },
  ])
  if (kept.ok) segment.events = events
  return kept
}

async function write(
  segment: OpenSegment,
  changes: readonly Change[],
): Promise<Result<undefined, StorageFailure>> {
  const { database, writer, lastWriter } = segment
  // Nodes have numbers here, and write-ahead records keys, by what was read: what another wrote since then would be mixed up with it.
  const kept = await database.write(
    [...changes, { kind: 'put', table: 'meta', key: WRITER_KEY, value: writer.sign() }],
    {
      table: 'meta',
      key: WRITER_KEY,
      holds: (value) => writer.signed(value) || (!segment.isClaimed && value === lastWriter),
    },
  )
  if (kept.ok) segment.isClaimed = true
  return kept
}
