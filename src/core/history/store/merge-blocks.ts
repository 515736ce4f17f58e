import { ok, type Result } from '#base/result.ts'
import { sealPacked } from './envelope.ts'
import {
  deleteOf,
  keyOf,
  readRecord,
  recordKeyOf,
  ROLLUP_FORM,
  SERIES_FORM,
  type RecordForm,
  type RecordKey,
} from './records.ts'
import { writeTo, type OpenSegment, type SegmentStore } from './segments.ts'
import type { StorageFailure } from '#history/storage.ts'
import { TIER_NAMES, TIERS, type SegmentId, type TierName } from '#history/tiers.ts'

type MergeStore = Pick<SegmentStore, 'segments' | 'packer' | 'yieldToEventLoop' | 'onDamaged'>

/**
 * Makes one packed record of each block whose days are over, so that a read finds few. One
 * node and block at a time: whatever ends it half-way has lost nothing and done part of it.
 */
export async function mergeBlocks(
  ports: MergeStore,
  id: SegmentId,
  completeMs: number,
): Promise<Result<number, StorageFailure>> {
  const { segments, yieldToEventLoop } = ports
  const numbers = await segments.use(id, async ({ nodes }) => ok(Array.from(nodes.values())))
  if (!numbers.ok) return numbers
  let merged = 0
  for (const tier of TIER_NAMES.filter((name) => TIERS[name].segment === id.kind))
    for (const node of numbers.value) {
      const done = await segments.use(id, (segment) => mergeNode(ports, segment, tier, node, completeMs))
      if (!done.ok) return done
      merged += done.value
      await yieldToEventLoop()
    }
  return ok(merged)
}

async function mergeNode(
  ports: MergeStore,
  segment: OpenSegment,
  tier: TierName,
  node: number,
  completeMs: number,
): Promise<Result<number, StorageFailure>> {
  const { place, blockMs } = TIERS[tier]
  const listed = await segment.database.read([
    { table: 'rows', from: [place, node], to: [place, node + 1], keysOnly: true },
  ])
  if (!listed.ok) return listed
  const blocks = new Map<number, RecordKey[]>()
  for (const { key } of listed.value[0] ?? []) {
    const record = recordKeyOf(tier, key)
    if (record === undefined || record.toMs > completeMs) continue
    const block = Math.floor(record.fromMs / blockMs)
    blocks.set(block, [...(blocks.get(block) ?? []), record])
  }
  let merged = 0
  for (const [block, records] of blocks) {
    if (records.length < 2) continue
    const fromMs = block * blockMs
    const done =
      tier === 'samples'
        ? await mergeRecords(ports, segment, SERIES_FORM, records, fromMs)
        : await mergeRecords(ports, segment, ROLLUP_FORM, records, fromMs)
    if (!done.ok) return done
    merged++
  }
  return ok(merged)
}

async function mergeRecords<T>(
  { packer, onDamaged }: MergeStore,
  segment: OpenSegment,
  form: RecordForm<T>,
  records: readonly RecordKey[],
  fromMs: number,
): Promise<Result<undefined, StorageFailure>> {
  const values = await segment.database.read(
    records.map((record) => ({ table: 'rows', from: keyOf(record), to: [...keyOf(record), 0] })),
  )
  if (!values.ok) return values
  let whole: T | undefined
  let bytes = 0
  for (const [row] of values.value) {
    if (row?.value instanceof Uint8Array) bytes -= row.value.length
    const content = await readRecord(form, row?.value, packer)
    if (content === undefined) onDamaged()
    else whole = whole === undefined ? content : form.merge(whole, content)
  }
  const [first] = records
  if (first === undefined) return ok(undefined)
  const key: RecordKey = { ...first, fromMs, toMs: Math.max(...records.map(({ toMs }) => toMs)) }
  const value = whole && (await sealPacked(form.encode(whole), packer))
  return writeTo(
    segment,
    [
      ...records.map(deleteOf),
      ...(value === undefined ? [] : [{ kind: 'put', table: 'rows', key: keyOf(key), value } as const]),
    ],
    { ...segment.meta, bytes: segment.meta.bytes + bytes + (value?.length ?? 0) },
  )
}
