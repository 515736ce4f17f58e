import { ok, type Result } from '#base/result.ts'
import { decodeBatch, encodeSeries } from '#history/codec/series-codec.ts'
import { appendRows, createSeries, type Series } from '#history/series.ts'
import type { StorageFailure } from '#history/storage.ts'
import { ALL_KEYS, type StoredNode } from './database.ts'
import { NOTHING_KNOWN } from './derive-events.ts'
import { seal, unseal } from './envelope.ts'
import type { HeadBlock, HeadNode } from './head-block.ts'
import type { StoreState } from './store-state.ts'

/** Rows in one batch at most, some MB: what more gathered through an outage is written in several. */
const ROWS_MAX = 300_000

/** Rows of a node that are not written yet: `[from, to)`. */
type Part = { readonly node: string; readonly head: HeadNode; readonly from: number; readonly to: number }

/** Writes every row that is not written yet, one batch for the whole fleet. Resolves to how many rows there were. */
export async function flush(state: StoreState, rowsMax = ROWS_MAX): Promise<Result<number, StorageFailure>> {
  let written = 0
  while (true) {
    const parts = unwritten(state.head, rowsMax)
    const { shifts } = state
    if (parts.length === 0 && shifts.length === 0) return ok(written)
    const done = await writeBatch(state, parts, shifts)
    if (!done.ok) return done
    state.shifts = state.shifts.slice(shifts.length)
    for (const { head, from, to } of parts) {
      written += to - from
      // The oldest may have given way meanwhile; then rows are written twice, and read back once.
      if (head.flushed === from) head.flushed = to
    }
  }
}

function unwritten({ nodes }: HeadBlock, rowsMax: number): readonly Part[] {
  const parts: Part[] = []
  let left = rowsMax
  for (const [node, head] of nodes) {
    const from = head.flushed
    const to = Math.min(head.series.length, from + left)
    if (to <= from) continue
    parts.push({ node, head, from, to })
    left -= to - from
  }
  return parts
}

function writeBatch(
  state: StoreState,
  parts: readonly Part[],
  shifts: readonly number[],
): Promise<Result<undefined, StorageFailure>> {
  const { database } = state
  const seq = database.meta().seq + 1
  const nodes = newNodes(
    state,
    parts.map(({ node }) => node),
  )
  const count = parts.reduce((sum, { from, to }) => sum + to - from, 0)
  const numbers = new Float64Array(count)
  let at = 0
  for (const { node, from, to } of parts) {
    const { number } = nodes.get(node) ?? database.nodes.get(node) ?? NO_NODE
    numbers.fill(number, at, (at += to - from))
  }
  const [only] = parts
  const [rows, start] =
    parts.length === 1 && only !== undefined ? [only.head.series, only.from] : [joined(parts, count), 0]
  const value = seal(encodeSeries(rows, start, start + count, { nodes: numbers, shifts }))
  return database.commit([{ kind: 'put', table: 'recent', key: [seq], value }], {
    meta: { seq, aliveMs: Math.round(state.clock.wallMs()) },
    nodes,
  })
}

function joined(parts: readonly Part[], count: number): Series {
  const rows = createSeries(Math.max(1, count))
  for (const { head, from, to } of parts) appendRows(rows, head.series, from, to)
  return rows
}

const NO_NODE = { compactedUntil: 0, untilMs: Number.NEGATIVE_INFINITY, last: NOTHING_KNOWN, number: 0 }

/** Those that have no number yet get the next ones. */
export function newNodes(
  { database: { nodes } }: Pick<StoreState, 'database'>,
  names: readonly string[],
): Map<string, StoredNode> {
  const fresh = new Map<string, StoredNode>()
  for (const name of names)
    if (!nodes.has(name)) fresh.set(name, { ...NO_NODE, number: nodes.size + fresh.size + 1 })
  return fresh
}

/** Notes that somebody watches still, also where polls are rare. */
export const noteAlive = ({
  database,
  head,
  clock,
}: StoreState): Promise<Result<undefined, StorageFailure>> =>
  head.nodes.size === 0
    ? Promise.resolve(ok(undefined))
    : database.commit([], { meta: { aliveMs: Math.round(clock.wallMs()) } })

/** Reads back what no block holds yet. */
export async function readRecent(
  { database, packer, onDamaged }: StoreState,
  head: HeadBlock,
): Promise<Result<undefined, StorageFailure>> {
  const read = await database.read([{ table: 'recent', ...ALL_KEYS }])
  if (!read.ok) return read
  const names = new Map(Array.from(database.nodes, ([name, node]) => [node.number, { name, node }]))
  for (const { key, value } of read.value[0] ?? []) {
    const bytes = await unseal(value, packer)
    const batch = bytes && decodeBatch(bytes)
    if (batch === undefined) {
      onDamaged()
      continue
    }
    for (const byMs of batch.shifts) head.addGap({ fromMs: -byMs, toMs: 0, reason: 'clock-step' })
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
