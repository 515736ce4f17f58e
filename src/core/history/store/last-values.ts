import { parseExactNumber } from '#record/exact-number.ts'
import type { LogEntry } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import {
  columnsOf,
  fingerprintAt,
  NOT_WATCHED,
  OUTCOMES,
  type MetricColumns,
  type Series,
} from '#history/series.ts'
import {
  deriveEvents,
  NOTHING_KNOWN,
  type Compared,
  type Failing,
  type LastValueMemory,
  type LastValues,
} from './derive-events.ts'
import { readEvents } from './events.ts'
import { lastMsOf, type HeadBlock } from './head-block.ts'
import type { StoreState } from './store-state.ts'

/** The most field names to remember. */
const FIELDS_MAX = 1_000

/** Compares a sample with the node's last values. Returns the sample to store. */
export function compare(state: StoreState, sample: Sample): Sample {
  const memory = state.lastValues
  const derived = deriveEvents(memory.byNode.get(sample.node) ?? NOTHING_KNOWN, sample, memory.metrics)
  memory.byNode.set(sample.node, derived.after)
  state.events.add([...derived.entries, ...newFields(memory, sample)])
  return derived.sample
}

function newFields({ fields }: LastValueMemory, { node, atMs, more }: Sample): readonly LogEntry[] {
  const fresh = (more?.unknownFields ?? []).filter((name) => !fields.has(fieldId(node, name)))
  return fresh.flatMap((name): LogEntry | [] => {
    if (fields.size >= FIELDS_MAX) return []
    fields.add(fieldId(node, name))
    return { wallMs: atMs, area: 'record', what: UNKNOWN_FIELD, nodeKey: node, facts: { name } }
  })
}

const UNKNOWN_FIELD = 'unknown-field'
/** Nodes of one service have the same members. */
const fieldId = (node: string, name: string): string => `${node.split('!')[0] ?? ''} ${name}`

/**
 * Restores the last values of each node from the store and the recent rows, and the known fields from the
 * journal.
 */
export async function readLastValues(state: StoreState, head: HeadBlock): Promise<void> {
  const { database, lastValues } = state
  const byNode = new Map(Array.from(database.nodes, ([node, { last }]) => [node, last]))
  for (const [node, { series }] of head.nodes)
    byNode.set(node, mergedLast(byNode.get(node) ?? NOTHING_KNOWN, series, lastValues.metrics))
  // The values of this session win where they are later.
  for (const [node, { series }] of state.head.nodes) {
    const seen = lastValues.byNode.get(node)
    const stored = head.nodes.get(node)?.series
    if (
      seen !== undefined &&
      series.length > 0 &&
      (stored === undefined || lastMsOf(series) >= lastMsOf(stored))
    )
      byNode.set(node, seen)
  }
  lastValues.byNode = byNode
  const noted = await readEvents(state, { areas: ['record'], text: UNKNOWN_FIELD, limit: FIELDS_MAX })
  for (const { what, nodeKey = '', facts } of noted.entries)
    if (what === UNKNOWN_FIELD && typeof facts?.['name'] === 'string')
      lastValues.fields.add(fieldId(nodeKey, facts['name']))
}

/** A node's last values after these rows. */
export function mergedLast(before: LastValues, series: Series, metrics: readonly Compared[]): LastValues {
  const values: Record<string, string | undefined> = { ...before.values }
  for (const { id } of metrics) {
    const columns = columnsOf(series, id)
    const text = columns && lastTextIn(columns, series)
    if (text !== undefined) values[id] = text
  }
  return { ...before, values, failing: failingIn(series, before.failing) }
}

function lastTextIn(columns: MetricColumns, { length }: Series): string | undefined {
  for (let row = length - 1; row >= 0; row--) {
    const text = textAt(columns, row)
    if (text !== undefined) return text
  }
  return undefined
}

/** The exact decimal; stored as text only if the double is not exact. */
function textAt(columns: MetricColumns, row: number): string | undefined {
  const { metric, value, text } = columns
  if (metric.kind === 'fingerprint') return fingerprintAt(columns, row)
  if (metric.kind === 'state') return text[row]
  return parseExactNumber(text[row] ?? String(value[row]))?.text
}

/** The run of failures at the end of these rows, if any; keeps the start of a run that continues. */
function failingIn({ columns, length }: Series, before: Failing | undefined): Failing | undefined {
  for (let index = length - 1; index >= 0; index--) {
    const code = columns.outcome[index] ?? NOT_WATCHED
    if (code === NOT_WATCHED) continue
    const kind = OUTCOMES[code]
    if (kind === undefined || kind === 'answered') return undefined
    return before?.kind === kind ? before : { kind, sinceMs: undefined, misses: 0 }
  }
  return before
}
