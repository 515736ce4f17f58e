import { ok, type Result } from '#base/result.ts'
import { unseal } from '#history/store/envelope.ts'
import { survey } from '#history/store/housekeeping.ts'
import type { KeeperRoom } from '#history/store/keeper-room.ts'
import { SLABS_FROM, SLABS_TO } from '#history/store/load-tail.ts'
import { slabOf } from '#history/store/flush.ts'
import { writeTo, type OpenSegment } from '#history/store/segments.ts'
import { appendRows, createSeries } from '#history/series.ts'
import { decodeSlab } from '#history/codec/slab-codec.ts'
import type { Change, StorageFailure } from '#history/storage.ts'
import { TIERS, TIER_NAMES } from '#history/tiers.ts'
import type { TransferEnd } from './transfer.ts'

/** Deletes all samples and sums of a node. What the log tells of it stays, and tells of this too. */
export async function deleteNode(
  room: KeeperRoom,
  node: string,
  go: (share: number) => Promise<boolean>,
): Promise<TransferEnd> {
  const ids = room.segments.ids()
  let records = 0
  room.tail.forget(node)
  room.memory.kept?.delete(node)
  for (const [at, id] of ids.entries()) {
    const done = await room.exclusive(() => room.segments.use(id, (segment) => without(room, segment, node)))
    if (!done.ok) return { kind: 'failed', failure: done.error }
    records += done.value
    if (!(await go((at + 1) / ids.length))) return { kind: 'cancelled' }
    await room.breathe()
  }
  const wallMs = room.clock.wallMs()
  room.events.add([{ wallMs, area: 'operator', what: 'history-deleted', nodeKey: node, facts: { records } }])
  await survey(room)
  return { kind: 'done', rows: records, skipped: 0 }
}

async function without(
  room: KeeperRoom,
  segment: OpenSegment,
  node: string,
): Promise<Result<number, StorageFailure>> {
  const number = segment.nodes.get(node)
  if (number === undefined) return ok(0)
  const ranges = TIER_NAMES.map((name) => {
    const { place } = TIERS[name]
    return { table: 'rows', from: [place, number], to: [place, number + 1] } as const
  })
  const read = await segment.database.read([...ranges, { table: 'slabs', from: SLABS_FROM, to: SLABS_TO }])
  if (!read.ok) return read
  const rows = read.value.slice(0, ranges.length).flat()
  const bytes = rows.reduce((sum, { value }) => sum + (value instanceof Uint8Array ? value.length : 0), 0)
  const changes: Change[] = ranges.map((range) => ({ kind: 'delete', range }))
  let slabs = 0
  for (const { key, value } of read.value[ranges.length] ?? []) {
    const packed = await unseal(value, room.packer)
    const slab = packed && decodeSlab(packed)
    if (slab === undefined || !Array.from(slab.nodes).includes(number)) continue
    slabs++
    changes.push({ kind: 'put', table: 'slabs', key, value: slabWithout(segment, slab, number, changes) })
  }
  const kept = await writeTo(segment, changes, {
    ...segment.head,
    bytes: Math.max(0, segment.head.bytes - bytes),
  })
  return kept.ok ? ok(rows.length + slabs) : kept
}

function slabWithout(
  segment: OpenSegment,
  { gaps, carried, rows, nodes }: NonNullable<ReturnType<typeof decodeSlab>>,
  number: number,
  changes: Change[],
): Uint8Array<ArrayBuffer> {
  const names = new Map(Array.from(segment.nodes, ([name, known]) => [known, name]))
  const parts: { readonly node: string; count: number }[] = []
  const left = createSeries(Math.max(1, rows.length))
  let carriedLeft = 0
  for (let at = 0; at < rows.length; at++) {
    const name = names.get(nodes[at] ?? 0)
    if (nodes[at] === number || name === undefined) continue
    if (at < carried) carriedLeft++
    appendRows(left, rows, at, at + 1)
    const last = parts.at(-1)
    if (last?.node === name) last.count++
    else parts.push({ node: name, count: 1 })
  }
  return slabOf(segment, { parts, rows: left }, carriedLeft, gaps, changes)
}
