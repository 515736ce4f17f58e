import { err, ok, type Result } from '#base/result.ts'
import { createConnections } from './connections.ts'
import type { Change, Database, Storage, StorageFailure, StorageKey, StoredRow } from '#history/storage.ts'
import { segmentName, segmentOfName, type SegmentId } from '#history/tiers.ts'

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
/** Who wrote last, and which write of its it was: another's here is news to a tab that was frozen and lost its lead. */
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
  /** This tab has written into it since it read what others wrote. */
  isClaimed: boolean
  meta: SegmentMeta
  events: EventsMeta
}

/** This tab, as the databases know it. */
type Writer = {
  /** A new name for each write, so that whoever read before it can tell. */
  readonly sign: () => string
  readonly signed: (value: unknown) => boolean
}

export type Segments = {
  /** Those that exist, as far as this tab knows. */
  readonly ids: () => readonly SegmentId[]
  readonly refresh: () => Promise<Result<undefined, StorageFailure>>
  /** What others wrote is about to be read: from then on this tab may write again where they did. */
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
}

export const NODES_FROM: StorageKey = ['']
/** After every text that a key of ours can be. */
export const NODES_TO: StorageKey = ['\uffff']

/** `onVanished`: a segment that had samples is empty all of a sudden: it was cleared. */
export function createSegments(
  storage: Storage,
  writer: string,
  onVanished: (id: SegmentId) => void,
): Segments {
  const existing = new Map<string, SegmentId>()
  const samplesOf = new Map<string, number>()
  /** Those that this tab wrote into: what it knows of them is all there is, unless another did too. */
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
  }
}

async function openSegment(
  storage: Storage,
  id: SegmentId,
  writer: Writer,
  wasClaimed: boolean,
): Promise<Result<OpenSegment, StorageFailure>> {
  const database = await storage.open(segmentName(id))
  if (!database.ok) return database
  const loaded = await load(id, database.value, writer, wasClaimed)
  if (!loaded.ok) database.value.close()
  return loaded
}

async function load(
  id: SegmentId,
  database: Database,
  writer: Writer,
  wasClaimed: boolean,
): Promise<Result<OpenSegment, StorageFailure>> {
  const read = await database.read([
    { table: 'meta', from: META_KEY, to: [...META_KEY, 0] },
    { table: 'nodes', from: NODES_FROM, to: NODES_TO },
    { table: 'meta', from: EVENTS_KEY, to: [...EVENTS_KEY, 0] },
    { table: 'meta', from: WRITER_KEY, to: [...WRITER_KEY, 0] },
  ])
  if (!read.ok) return read
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
