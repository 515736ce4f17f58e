import { ok, type Result } from '#base/result.ts'
import { unseal } from '#history/store/envelope.ts'
import type { TransferStore } from '#history/store/stored-history.ts'
import { WAL_FROM, WAL_TO, walRecordOf } from '#history/store/wal.ts'
import { writeTo, type OpenSegment } from '#history/store/segments.ts'
import { appendRows, createSeries } from '#history/series.ts'
import { decodeWalRecord } from '#history/codec/wal-codec.ts'
import type { Change, StorageFailure } from '#history/storage.ts'
import { TIERS, TIER_NAMES } from '#history/tiers.ts'
import type { TransferEnd } from './transfer.ts'

/** Deletes all samples and rollups of a node. What the log tells of it stays, and tells of this too. */
export async function deleteNode(
  store: TransferStore,
  node: string,
  go: (share: number) => Promise<boolean>,
): Promise<TransferEnd> {
  const ids = store.segments.ids()
  let records = 0
  store.forget(node)
  for (const [at, id] of ids.entries()) {
    const done = await store.exclusive(() =>
      store.segments.use(id, (segment) => without(store, segment, node)),
    )
    if (!done.ok) return { kind: 'failed', failure: done.error }
    records += done.value
    if (!(await go((at + 1) / ids.length))) return { kind: 'cancelled' }
    await store.yieldToEventLoop()
  }
  const wallMs = store.clock.wallMs()
  store.log([{ wallMs, area: 'operator', what: 'history-deleted', nodeKey: node, facts: { records } }])
  await store.survey()
  return { kind: 'done', rows: records, skipped: 0 }
}

async function without(
  store: TransferStore,
  segment: OpenSegment,
  node: string,
): Promise<Result<number, StorageFailure>> {
  const number = segment.nodes.get(node)
  if (number === undefined) return ok(0)
  const ranges = TIER_NAMES.map((name) => {
    const { place } = TIERS[name]
    return { table: 'rows', from: [place, number], to: [place, number + 1] } as const
  })
  const read = await segment.database.read([...ranges, { table: 'wal', from: WAL_FROM, to: WAL_TO }])
  if (!read.ok) return read
  const rows = read.value.slice(0, ranges.length).flat()
  const bytes = rows.reduce((sum, { value }) => sum + (value instanceof Uint8Array ? value.length : 0), 0)
  const changes: Change[] = ranges.map((range) => ({ kind: 'delete', range }))
  let walRecords = 0
  for (const { key, value } of read.value[ranges.length] ?? []) {
    const packed = await unseal(value, store.packer)
    const record = packed && decodeWalRecord(packed)
    if (record === undefined || !Array.from(record.nodes).includes(number)) continue
    walRecords++
    changes.push({
      kind: 'put',
      table: 'wal',
      key,
      value: walRecordWithout(segment, record, number, changes),
    })
  }
  const kept = await writeTo(segment, changes, {
    ...segment.meta,
    bytes: Math.max(0, segment.meta.bytes - bytes),
  })
  return kept.ok ? ok(rows.length + walRecords) : kept
}

function walRecordWithout(
  segment: OpenSegment,
  { gaps, carried, rows, nodes }: NonNullable<ReturnType<typeof decodeWalRecord>>,
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
  return walRecordOf(segment, { parts, rows: left }, carriedLeft, gaps, changes)
}
