import { ok, type Result } from '#base/result.ts'
import { unseal } from './envelope.ts'
import type { Segments } from './segments.ts'
import { decodeWalRecord } from '#history/codec/wal-codec.ts'
import type { Packer, StorageFailure, StorageKey } from '#history/storage.ts'
import type { HeadBlock } from './head-block.ts'
import { segmentName, type SegmentId } from '#history/tiers.ts'

export const WAL_FROM: StorageKey = [Number.NEGATIVE_INFINITY]
export const WAL_TO: StorageKey = ['']

export type LoadedHead = {
  /** Segments in which there were write-ahead records. */
  readonly walSegments: readonly SegmentId[]
  /** The largest key of a write-ahead record. */
  readonly lastKey: number
  /** When somebody last watched, as far as is known. */
  readonly aliveMs: number | undefined
}

/** Segments of samples that may hold write-ahead records: the newest, and the one before, of the time when it was. */
const NEWEST = 2

/** Reads back what no record holds yet. */
export async function loadHead(
  segments: Segments,
  packer: Packer,
  head: HeadBlock,
  onDamaged: () => void,
): Promise<Result<LoadedHead, StorageFailure>> {
  const newest = segments
    .ids()
    .filter(({ kind }) => kind === 'samples')
    .toSorted((a, b) => a.index - b.index)
    .slice(-NEWEST)
  const walSegments: SegmentId[] = []
  let lastKey = 0
  let aliveMs: number | undefined
  for (const id of newest) {
    const read = await segments.use(id, async ({ database, nodes, meta }) => {
      if (meta.aliveMs !== undefined) aliveMs = Math.max(meta.aliveMs, aliveMs ?? meta.aliveMs)
      const rows = await database.read([{ table: 'wal', from: WAL_FROM, to: WAL_TO }])
      return rows.ok ? ok({ rows: rows.value[0] ?? [], nodes: new Map(nodes) }) : rows
    })
    if (!read.ok) return read
    const { rows, nodes } = read.value
    const names = new Map(Array.from(nodes, ([name, number]) => [number, name]))
    if (rows.length > 0) walSegments.push(id)
    for (const { key, value } of rows) {
      lastKey = Math.max(lastKey, Number(key[0]))
      const bytes = await unseal(value, packer)
      const record = bytes && decodeWalRecord(bytes)
      if (record === undefined) onDamaged()
      else replay(head, record, names)
    }
  }
  return ok({ walSegments, lastKey, aliveMs })
}

function replay(
  head: HeadBlock,
  { gaps, carried, rows, nodes }: NonNullable<ReturnType<typeof decodeWalRecord>>,
  names: ReadonlyMap<number, string>,
): void {
  for (const gap of gaps) head.addGap(gap)
  for (let start = 0; start < rows.length;) {
    const number = nodes[start] ?? 0
    let end = start + 1
    // Carried rows come one by one: each is a node's first.
    const limit = start < carried ? end : rows.length
    while (end < limit && nodes[end] === number) end++
    const name = names.get(number)
    if (name !== undefined) head.addRows(name, rows, start, end, start < carried)
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
  return segments.use(id, async ({ meta }) => ok(meta.samples === 0))
}

const indexOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1))
