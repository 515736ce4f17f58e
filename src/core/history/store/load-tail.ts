import { ok, type Result } from '#base/result.ts'
import { unseal } from './envelope.ts'
import type { Segments } from './segments.ts'
import { decodeSlab } from '#history/codec/slab-codec.ts'
import type { Packer, StorageFailure, StorageKey } from '#history/storage.ts'
import type { Tail } from './tail.ts'
import { segmentName, type SegmentId } from '#history/tiers.ts'

export const SLABS_FROM: StorageKey = [Number.NEGATIVE_INFINITY]
export const SLABS_TO: StorageKey = ['']

export type LoadedTail = {
  /** Segments in which there were slabs. */
  readonly slabs: readonly SegmentId[]
  /** The largest key of a slab. */
  readonly lastKey: number
  /** When somebody last watched, as far as is known. */
  readonly aliveMs: number | undefined
}

/** Segments of samples that may hold slabs: the newest, and the one before, of the time when it was. */
const NEWEST = 2

/** Reads back what no record holds yet. */
export async function loadTail(
  segments: Segments,
  packer: Packer,
  tail: Tail,
  onDamaged: () => void,
): Promise<Result<LoadedTail, StorageFailure>> {
  const newest = segments
    .ids()
    .filter(({ kind }) => kind === 'samples')
    .toSorted((a, b) => a.index - b.index)
    .slice(-NEWEST)
  const slabs: SegmentId[] = []
  let lastKey = 0
  let aliveMs: number | undefined
  for (const id of newest) {
    const read = await segments.use(id, async ({ database, nodes, head }) => {
      if (head.aliveMs !== undefined) aliveMs = Math.max(head.aliveMs, aliveMs ?? head.aliveMs)
      const rows = await database.read([{ table: 'slabs', from: SLABS_FROM, to: SLABS_TO }])
      return rows.ok ? ok({ rows: rows.value[0] ?? [], nodes: new Map(nodes) }) : rows
    })
    if (!read.ok) return read
    const { rows, nodes } = read.value
    const names = new Map(Array.from(nodes, ([name, number]) => [number, name]))
    if (rows.length > 0) slabs.push(id)
    for (const { key, value } of rows) {
      lastKey = Math.max(lastKey, Number(key[0]))
      const bytes = await unseal(value, packer)
      const slab = bytes && decodeSlab(bytes)
      if (slab === undefined) onDamaged()
      else takeSlab(tail, slab, names)
    }
  }
  return ok({ slabs, lastKey, aliveMs })
}

function takeSlab(
  tail: Tail,
  { gaps, carried, rows, nodes }: NonNullable<ReturnType<typeof decodeSlab>>,
  names: ReadonlyMap<number, string>,
): void {
  for (const gap of gaps) tail.addGap(gap)
  for (let start = 0; start < rows.length;) {
    const number = nodes[start] ?? 0
    let end = start + 1
    // Carried rows come one by one: each is a node's first.
    const limit = start < carried ? end : rows.length
    while (end < limit && nodes[end] === number) end++
    const name = names.get(number)
    if (name !== undefined) tail.addRows(name, rows, start, end, start < carried)
    start = end
  }
}

/** What was remembered of the history and is not there any more; undefined when nothing is missing. */
export async function missingOf(
  segments: Segments,
  known: Readonly<Record<string, number>>,
): Promise<Result<boolean, StorageFailure>> {
  const ids = new Map(segments.ids().map((id) => [segmentName(id), id]))
  // The oldest go by retention: only when the newest is gone too was it not this product.
  const newest = Object.keys(known)
    .filter((name) => (known[name] ?? 0) > 0)
    .toSorted((a, b) => indexOf(a) - indexOf(b))
    .at(-1)
  if (newest === undefined) return ok(false)
  const id = ids.get(newest)
  if (id === undefined) return ok(true)
  return segments.use(id, async ({ head }) => ok(head.samples === 0))
}

const indexOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1))
