import * as v from 'valibot'
import { finite } from '#base/schemas.ts'
import { err, ok, type Result } from '#base/result.ts'
import { readStored } from '#base/stored.ts'
import type { CutOff } from '#history/history-status.ts'
import type {
  Change,
  Database,
  Guard,
  ReadRange,
  Storage,
  StorageFailure,
  StorageKey,
  StoredRow,
} from '#storage/storage.ts'
import { SEGMENT_KINDS, SEGMENTS, type SegmentId } from '#history/tiers.ts'
import { NOTHING_KNOWN, type LastValues } from './derive-events.ts'

/** The number increases with each restored backup. Other names belong to earlier layouts. */
const NAME = /^immune-history-store-(\d{1,9})$/

const nameOf = (generation: number): string => `immune-history-store-${generation}`

/** One row with the extent of all others. Every change rewrites it, which guards against a second writer. */
const MetaShape = v.object({
  /** The last writer, and the number of its write. */
  writer: v.fallback(v.string(), ''),
  /** Key of the last recent batch, and number of the last event. */
  seq: v.fallback(finite, 0),
  eventSeq: v.fallback(finite, 0),
  /** When an engine last watched, Unix ms. */
  aliveMs: v.fallback(v.optional(finite), undefined),
})
type StoreMeta = Readonly<v.InferOutput<typeof MetaShape>>

const isLastValues = (value: unknown): value is LastValues =>
  v.is(v.looseObject({ values: v.record(v.string(), v.string()) }), value)

const NodeShape = v.object({
  name: v.string(),
  /** Its rows in recent batches up to this one are in blocks, or deleted. */
  compactedUntil: v.fallback(finite, 0),
  /**
   * The time until which its last row in blocks holds, Unix ms. -Infinity: without rows, or after a gap that is still to be
   * reported.
   */
  untilMs: v.fallback(finite, Number.NEGATIVE_INFINITY),
  last: v.fallback(v.custom<LastValues>(isLastValues), NOTHING_KNOWN),
})
/** A node's state besides its blocks. Blocks and batches refer to it by `number`. */
export type StoredNode = Readonly<Omit<v.InferOutput<typeof NodeShape>, 'name'>> & { readonly number: number }

const SizeShape = v.object({
  bytes: v.fallback(finite, 0),
  /** Of samples and rollups; infinite if the segment has only events. */
  firstMs: v.fallback(finite, Number.POSITIVE_INFINITY),
})
export type SegmentSize = Readonly<v.InferOutput<typeof SizeShape>> & { readonly id: SegmentId }

/** A change of a segment's size. An empty segment is deleted. */
export type Growth = SegmentSize & {
  /** `firstMs` replaces the segment's, even if it is later. */
  readonly isCut?: boolean
}

type Updates = {
  readonly meta?: Partial<StoreMeta>
  readonly nodes?: ReadonlyMap<string, StoredNode>
  readonly grown?: readonly Growth[]
}

const META_NAME = 'store'
/** Present until the settings of a restored backup are applied. */
const SETTINGS_NAME = 'settings-pending'

/** This key alone, without longer keys that start with it. */
export const only = (key: StorageKey) => ({ from: key, to: [...key, Number.NEGATIVE_INFINITY] })
/** All keys that start with this one. */
export const under = (key: StorageKey) => ({ from: key, to: [...key, '\uffff'] })
export const ALL_KEYS = { from: [Number.NEGATIVE_INFINITY], to: ['\uffff'] } as const

export const bytesOf = (value: unknown): number => (value instanceof Uint8Array ? value.length : 0)

export const segmentKey = ({ kind, index }: SegmentId): StorageKey => [SEGMENTS[kind].rank, index]
export const sizeId = (id: SegmentId): string => segmentKey(id).join()

const CLOSED: Database = {
  read: async () => err('closed'),
  write: async () => err('closed'),
  close: () => undefined,
}

const EMPTY: StoreMeta = v.parse(MetaShape, {})

type Found = { readonly cutOff: CutOff | undefined; readonly hasOlder: boolean }

/** The history database in use. Each commit is one transaction. */
export class StoreDatabase {
  readonly #storage: Storage
  readonly #writer: string
  readonly #nodes = new Map<string, StoredNode>()
  readonly #sizes = new Map<string, SegmentSize>()
  readonly nodes: ReadonlyMap<string, StoredNode> = this.#nodes
  readonly sizes: ReadonlyMap<string, SegmentSize> = this.#sizes
  #generation = 1
  #database = CLOSED
  #meta = EMPTY
  /** Whether this writer has written since it read the meta row. */
  #isClaimed = false
  #writes = 0
  /** The settings of a restored backup are being applied. */
  #isApplying = false
  #isEnded = false

  constructor(storage: Storage, writer: string) {
    this.#storage = storage
    this.#writer = writer
  }

  meta(): StoreMeta {
    return this.#meta
  }

  close(): void {
    this.#database.close()
    this.#database = CLOSED
  }

  /** Closes for good; pending work fails. */
  end(): void {
    this.#isEnded = true
    this.close()
  }

  read(ranges: readonly ReadRange[]): ReturnType<Database['read']> {
    return this.#database.read(ranges)
  }

  async load(): Promise<Result<Found, StorageFailure>> {
    const storage = this.#storage
    this.close()
    if (this.#isEnded) return err('closed')
    const listed = await storage.list()
    if (!listed.ok) return listed
    const there = generationsIn(listed.value)
    let isStaged = false
    // Uses the latest complete database, or creates the first.
    for (const candidate of there.length === 0 ? [1] : there) {
      const made = await storage.open(nameOf(candidate))
      if (!made.ok) return made
      const read = await made.value.read([{ table: 'meta', ...ALL_KEYS }])
      if (!read.ok || this.#isEnded) {
        made.value.close()
        return read.ok ? err('closed') : read
      }
      const rows = read.value[0] ?? []
      const has = (name: string): boolean => rows.some(({ key }) => key[0] === name)
      if (!has(META_NAME) && candidate !== (there.at(-1) ?? 1)) {
        made.value.close()
        isStaged = true
        continue
      }
      this.#generation = candidate
      this.#database = made.value
      this.#adopt(rows)
      // The next start removes what cannot be removed now.
      for (const other of there) if (other !== candidate) await storage.remove(nameOf(other))
      const isPending = !this.#isApplying && has(SETTINGS_NAME)
      if (isPending) await this.commit([DELETE_PENDING])
      const cutOff = isStaged ? 'restore' : isPending ? 'restore-settings' : undefined
      return ok({ cutOff, hasOlder: listed.value.some((name) => !NAME.test(name)) })
    }
    return err('broken')
  }

  #adopt(rows: readonly StoredRow[]): void {
    this.#meta = metaOf(rows.find(({ key }) => key[0] === META_NAME)?.value)
    this.#isClaimed = false
    this.#nodes.clear()
    this.#sizes.clear()
    for (const { key, value } of rows) {
      if (key[0] === 'node') readNode(this.#nodes, key, value)
      if (key[0] === 'segment') readSize(this.#sizes, key, value)
    }
  }

  async commit(
    changes: readonly Change[],
    updates: Updates = {},
  ): Promise<Result<undefined, StorageFailure>> {
    const next = { ...this.#meta, ...updates.meta, writer: `${this.#writer} ${++this.#writes}` }
    const sizes = sizesAfter(this.#sizes, updates.grown ?? [])
    const all = [...changes, ...changesOf(next, updates.nodes, sizes)]
    const done = await this.#database.write(all, this.#guard())
    if (!done.ok) return done
    this.#isClaimed = true
    this.#meta = next
    for (const [name, node] of updates.nodes ?? []) this.#nodes.set(name, node)
    for (const [id, size] of sizes)
      if (size.bytes > 0) this.#sizes.set(id, size)
      else this.#sizes.delete(id)
    return done
  }

  /** Only deletes, without updating the meta row. */
  deleteAlone(changes: readonly Change[]): ReturnType<Database['write']> {
    return this.#database.write(changes, this.#guard())
  }

  /** Only the last write of this writer may be overwritten. */
  #guard(): Guard {
    const [writer, meta] = [this.#writer, this.#meta]
    return {
      table: 'meta',
      key: [META_NAME],
      holds: (value) => {
        const last = metaOf(value).writer
        // A transaction that was reported as failed may still have committed.
        return last === meta.writer || (this.#isClaimed && last.startsWith(`${writer} `))
      },
    }
  }

  /** Creates a second database, for a backup that is being restored. */
  async stage() {
    const [storage, writer] = [this.#storage, this.#writer]
    const listed = await storage.list()
    if (!listed.ok) return listed
    const name = nameOf(Math.max(this.#generation, ...generationsIn(listed.value)) + 1)
    const made = await storage.open(name)
    if (!made.ok) return made
    const { write, close: end } = made.value
    return ok({
      write,
      discard: async (): Promise<void> => {
        end()
        await storage.remove(name)
      },
      /** Writes the meta row, which makes the database complete; the next load uses it. */
      commit: async (value: unknown): Promise<Result<undefined, StorageFailure>> => {
        const meta = { ...metaOf(value), writer: `${writer} restored` }
        const done = await write([putMeta([SETTINGS_NAME], true), putMeta([META_NAME], meta)])
        end()
        this.#isApplying = done.ok
        return done
      },
    })
  }

  /** Marks the settings of the restored backup as applied. */
  settingsApplied(): Promise<Result<undefined, StorageFailure>> {
    this.#isApplying = false
    return this.commit([DELETE_PENDING])
  }

  /** Removes the history of earlier versions. Resolves to the number of databases removed. */
  async removeOlder(): Promise<Result<number, StorageFailure>> {
    const listed = await this.#storage.list()
    if (!listed.ok) return listed
    const older = listed.value.filter((name) => !NAME.test(name))
    for (const name of older) {
      const removed = await this.#storage.remove(name)
      if (!removed.ok) return removed
    }
    return ok(older.length)
  }
}

/** Latest first. */
const generationsIn = (names: readonly string[]): readonly number[] =>
  names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => b - a)

const DELETE_PENDING: Change = { kind: 'delete', range: { table: 'meta', ...only([SETTINGS_NAME]) } }

function sizesAfter(
  before: ReadonlyMap<string, SegmentSize>,
  grown: readonly Growth[],
): ReadonlyMap<string, SegmentSize> {
  const sizes = new Map<string, SegmentSize>()
  for (const { id, bytes, firstMs, isCut } of grown) {
    const size = sizes.get(sizeId(id)) ?? before.get(sizeId(id))
    sizes.set(sizeId(id), {
      id,
      bytes: (size?.bytes ?? 0) + bytes,
      firstMs: isCut === true ? firstMs : Math.min(firstMs, size?.firstMs ?? firstMs),
    })
  }
  return sizes
}

const putMeta = (key: StorageKey, value: unknown): Change => ({ kind: 'put', table: 'meta', key, value })

function changesOf(
  meta: StoreMeta,
  nodes: Updates['nodes'],
  sizes: ReadonlyMap<string, SegmentSize>,
): readonly Change[] {
  return [
    putMeta([META_NAME], meta),
    ...Array.from(nodes ?? [], ([name, { number, ...rest }]) => putMeta(['node', number], { name, ...rest })),
    ...Array.from(sizes.values(), ({ id, ...rest }): Change => {
      const key = ['segment', ...segmentKey(id)]
      return rest.bytes > 0 ? putMeta(key, rest) : { kind: 'delete', range: { table: 'meta', ...only(key) } }
    }),
  ]
}

const metaOf = (value: unknown): StoreMeta => readStored(MetaShape, value) ?? EMPTY

function readNode(nodes: Map<string, StoredNode>, key: StorageKey, value: unknown): void {
  const number = key[1]
  const read = readStored(NodeShape, value)
  if (read === undefined || typeof number !== 'number') return
  const { name, ...node } = read
  nodes.set(name, { ...node, number })
}

function readSize(sizes: Map<string, SegmentSize>, key: StorageKey, value: unknown): void {
  const kind = SEGMENT_KINDS.find((each) => SEGMENTS[each].rank === key[1])
  const size = readStored(SizeShape, value)
  const index = key[2]
  if (kind === undefined || size === undefined || typeof index !== 'number') return
  const id = { kind, index }
  sizes.set(sizeId(id), { id, ...size })
}
