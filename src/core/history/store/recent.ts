import { ok, type Result } from '#base/result.ts'
import { decodeSeries, encodeSeries } from '#history/codec/series-codec.ts'
import { appendRows, createSeries, type StoredMetric } from '#history/series.ts'
import type { Change, StorageFailure } from '#storage/storage.ts'
import { ALL_KEYS, type StoreDatabase, type StoredNode } from './database.ts'
import { NOTHING_KNOWN } from './derive-events.ts'
import { seal, unseal } from './envelope.ts'
import type { HeadBlock, HeadNode } from './head-block.ts'
import type { StoreState } from './store-state.ts'

/** The most rows in one batch, a few MB. After an outage a flush writes several. */
const ROWS_MAX = 300_000

/** Unwritten rows of a node: `[from, to)`. */
type Part = { readonly node: string; readonly head: HeadNode; readonly from: number; readonly to: number }

/**
 * Writes every unwritten row, usually as one batch for the whole fleet. After the clock was set back, it
 * rewrites all recent rows with their new times. Resolves to the number of rows.
 */
export async function flush(state: StoreState): Promise<Result<number, StorageFailure>> {
  const { database, head, shiftMs } = state
  if (shiftMs < 0) for (const node of head.nodes.values()) node.flushed = 0
  const batches = unwritten(head)
  if (batches.length === 0 && shiftMs === 0) return ok(0)
  const parts = batches.flat()
  const names = parts.map(({ node }) => node)
  const nodes = newNodes(database, names)
  let { seq } = database.meta()
  const changes: Change[] = shiftMs < 0 ? [{ kind: 'delete', range: { table: 'recent', ...ALL_KEYS } }] : []
  for (const batch of batches) {
    const numberOf = ({ node }: Part): number => (nodes.get(node) ?? database.nodes.get(node))?.number ?? 0
    changes.push({
      kind: 'put',
      table: 'recent',
      key: [++seq],
      value: seal(encodeBatch(state.metrics, batch, numberOf)),
    })
  }
  const done = await database.commit(changes, {
    meta: { seq, aliveMs: Math.round(state.clock.wallMs()) },
    nodes,
  })
  if (!done.ok) return done
  state.shiftMs -= shiftMs
  // The head block may have dropped rows during the write. Those after them are written again, and read once.
  for (const { head: node, from, to } of parts) if (node.flushed === from) node.flushed = to
  return ok(parts.reduce((sum, { from, to }) => sum + to - from, 0))
}

function unwritten({ nodes }: HeadBlock): readonly (readonly Part[])[] {
  const batches: Part[][] = []
  let left = 0
  for (const [node, head] of nodes)
    for (let from = head.flushed; from < head.series.length;) {
      if (left === 0) {
        batches.push([])
        left = ROWS_MAX
      }
      const to = Math.min(head.series.length, from + left)
      batches.at(-1)?.push({ node, head, from, to })
      left -= to - from
      from = to
    }
  return batches
}

function encodeBatch(
  metrics: readonly StoredMetric[],
  parts: readonly Part[],
  numberOf: (part: Part) => number,
): Uint8Array<ArrayBuffer> {
  const count = parts.reduce((sum, { from, to }) => sum + to - from, 0)
  const numbers = new Float64Array(count)
  // A single node's rows need no copy.
  const only = parts.length === 1 ? parts[0] : undefined
  const rows = only?.head.series ?? createSeries(metrics, count)
  let at = 0
  for (const part of parts) {
    if (only === undefined) appendRows(rows, part.head.series, part.from, part.to)
    numbers.fill(numberOf(part), at, (at += part.to - part.from))
  }
  return encodeSeries(rows, only?.from ?? 0, only?.to ?? count, numbers)
}

/** Assigns the next numbers to new nodes. */
export function newNodes(
  { nodes }: Pick<StoreDatabase, 'nodes'>,
  names: readonly string[],
): Map<string, StoredNode> {
  const fresh = new Map<string, StoredNode>()
  for (const name of names)
    if (!nodes.has(name) && !fresh.has(name))
      fresh.set(name, {
        number: nodes.size + fresh.size + 1,
        compactedUntil: 0,
        untilMs: Number.NEGATIVE_INFINITY,
        last: NOTHING_KNOWN,
      })
  return fresh
}

/** Stores that someone watches, for nodes that are rarely polled. */
export async function noteAlive({ database, head, clock }: StoreState) {
  if (head.nodes.size === 0) return ok(undefined)
  return database.commit([], { meta: { aliveMs: Math.round(clock.wallMs()) } })
}

/** Reads the rows that no block has yet. */
export async function readRecent(
  state: StoreState,
  head: HeadBlock,
): Promise<Result<undefined, StorageFailure>> {
  const { database, packer } = state
  const read = await database.read([{ table: 'recent', ...ALL_KEYS }])
  if (!read.ok) return read
  const names = new Map(Array.from(database.nodes, ([name, node]) => [node.number, { name, node }]))
  for (const { key, value } of read.value[0] ?? []) {
    const bytes = await unseal(value, packer)
    const batch = bytes && decodeSeries(bytes)
    if (batch === undefined) {
      state.noteDamaged()
      continue
    }
    for (let start = 0; start < batch.series.length;) {
      const number = batch.nodes[start] ?? 0
      let end = start + 1
      while (batch.nodes[end] === number) end++
      const found = names.get(number)
      if (found !== undefined && found.node.compactedUntil < Number(key[0]))
        head.addRows(found.name, batch.series, start, end)
      start = end
    }
  }
  for (const node of head.nodes.values()) node.flushed = node.series.length
  return ok(undefined)
}
