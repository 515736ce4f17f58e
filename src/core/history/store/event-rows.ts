import { textFingerprint } from '#base/fingerprint.ts'
import { seal, sealPacked, unseal } from './envelope.ts'
import {
  EVENT_AREAS,
  isBefore,
  type EventArea,
  type EventFacts,
  type EventPlace,
  type LogEntry,
} from '#history/event-log.ts'
import type { Packer, StorageKey } from '#history/storage.ts'

/** An entry and its place in the order of all. */
export type PlacedEntry = { readonly entry: LogEntry; readonly seq: number }

export const placeOf = ({ entry, seq }: PlacedEntry): EventPlace => ({ wallMs: entry.wallMs, seq })

export const byPlace = (a: PlacedEntry, b: PlacedEntry): number => (isBefore(placeOf(a), placeOf(b)) ? -1 : 1)

/** What one row of the log holds, known by its key alone: so that a search leaves out rows without reading them. */
export type EventRow = {
  readonly toMs: number
  readonly fromMs: number
  /** Number of its first entry: no other row has it. */
  readonly seq: number
  readonly count: number
  /** A bit for each of EVENT_AREAS that occurs. */
  readonly areas: number
  /** 256 bits, of which each node that occurs has one. */
  readonly nodes: readonly number[]
}

const WORDS = 8

/** Sorts by the newest entry. */
export const eventKeyOf = ({ toMs, fromMs, seq, count, areas, nodes }: EventRow): StorageKey => [
  toMs,
  fromMs,
  seq,
  count,
  areas,
  ...nodes,
]

export function eventRowOf(key: StorageKey): EventRow | undefined {
  const numbers = key.filter((part) => typeof part === 'number')
  const [toMs, fromMs, seq, count, areas, ...nodes] = numbers
  if (numbers.length !== key.length || nodes.length !== WORDS || areas === undefined) return undefined
  if (toMs === undefined || fromMs === undefined || seq === undefined || count === undefined) return undefined
  return { toMs, fromMs, seq, count, areas, nodes }
}

const bitOf = (node: string): number => Number.parseInt(textFingerprint(node).slice(0, 4), 16) % (32 * WORDS)

const areaBit = (area: EventArea): number => 1 << EVENT_AREAS.indexOf(area)

/** Whether a row may hold something of this node; undefined: of any. */
export function mayHoldNode({ nodes }: EventRow, node: string | undefined): boolean {
  if (node === undefined) return true
  const bit = bitOf(node)
  return (((nodes[bit >> 5] ?? 0) >>> (bit & 31)) & 1) === 1
}

export const holdsAreas = ({ areas }: EventRow, wanted: readonly EventArea[] | undefined): boolean =>
  wanted === undefined || wanted.some((area) => (areas & areaBit(area)) !== 0)

/** The row that these entries make. They are in order, and at least one. */
export function rowFor(entries: readonly PlacedEntry[]): EventRow {
  const nodes = Array.from({ length: WORDS }, () => 0)
  let areas = 0
  for (const { entry } of entries) {
    areas |= areaBit(entry.area)
    if (entry.nodeKey === undefined) continue
    const bit = bitOf(entry.nodeKey)
    nodes[bit >> 5] = ((nodes[bit >> 5] ?? 0) | (1 << (bit & 31))) >>> 0
  }
  return {
    toMs: entries.at(-1)?.entry.wallMs ?? 0,
    fromMs: entries[0]?.entry.wallMs ?? 0,
    seq: Math.min(...entries.map(({ seq }) => seq)),
    count: entries.length,
    areas,
    nodes,
  }
}

/** Rows with at least so many entries are deflated. */
const PACKED_FROM = 32

export async function encodeEvents(
  entries: readonly PlacedEntry[],
  packer: Packer,
): Promise<Uint8Array<ArrayBuffer>> {
  const plain = entries.map(({ entry, seq }) => [
    seq,
    entry.wallMs,
    EVENT_AREAS.indexOf(entry.area),
    entry.what,
    entry.serviceMs ?? 0,
    entry.serviceId ?? 0,
    entry.nodeKey ?? 0,
    ...(entry.facts === undefined ? [] : [entry.facts]),
  ])
  const bytes = new TextEncoder().encode(JSON.stringify(plain))
  return entries.length < PACKED_FROM ? seal(bytes) : sealPacked(bytes, packer)
}

/** Undefined where the row is damaged; an entry that is none is left out. */
export async function decodeEvents(
  value: unknown,
  packer: Packer,
): Promise<readonly PlacedEntry[] | undefined> {
  const bytes = await unseal(value, packer)
  if (bytes === undefined) return undefined
  try {
    const plain: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return Array.isArray(plain) ? plain.flatMap((one: unknown) => decodeEvent(one) ?? []) : undefined
  } catch {
    return undefined
  }
}

function decodeEvent(plain: unknown): PlacedEntry | undefined {
  if (!Array.isArray(plain)) return undefined
  const [seq, wallMs, place, what, serviceMs, serviceId, nodeKey, facts]: readonly unknown[] = plain
  const area = EVENT_AREAS[typeof place === 'number' ? place : -1]
  if (typeof seq !== 'number' || typeof wallMs !== 'number' || typeof what !== 'string') return undefined
  // An area of a later version: it is not known here.
  if (area === undefined) return undefined
  return {
    seq,
    entry: {
      wallMs,
      area,
      what,
      ...(typeof serviceMs === 'number' && serviceMs !== 0 && { serviceMs }),
      ...(typeof serviceId === 'string' && { serviceId }),
      ...(typeof nodeKey === 'string' && { nodeKey }),
      ...(isFacts(facts) && { facts }),
    },
  }
}

const isFacts = (value: unknown): value is EventFacts =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every(
    (one) => typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean',
  )
