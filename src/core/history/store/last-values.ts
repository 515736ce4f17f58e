import { parseExactNumber, type ExactNumber } from '#record/exact-number.ts'
import type { LogEntry } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import {
  CHANGED,
  columnsOf,
  fingerprintAt,
  KNOWN,
  markUnwatched,
  NOT_WATCHED,
  OUTCOMES,
  placeAt,
  RESTARTED,
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
import { markFirst, type HeadBlock } from './head-block.ts'
import type { StoreState } from './store-state.ts'

/** Samples that came before history was read back, at most: the oldest are not compared with anything. */
const WAITING_MAX = 20_000
/** Names of fields that are remembered. */
const FIELDS_MAX = 1_000

/** Compares a sample with what is known, where anything is known; returns what is to be kept of it. */
export function compare(state: StoreState, sample: Sample): Sample {
  const memory = state.lastValues
  if (memory.byNode === undefined) {
    if (memory.waiting.push(sample) > WAITING_MAX * 1.25) memory.waiting = memory.waiting.slice(-WAITING_MAX)
    return sample
  }
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

/** What is stored of each node and what rows that were read back say after it; and the log of fields. */
export async function readLastValues(
  state: StoreState,
  head: HeadBlock,
): Promise<Pick<LastValueMemory, 'fields'> & { byNode: Map<string, LastValues> }> {
  const byNode = new Map<string, LastValues>()
  for (const [node, { last }] of state.database.nodes) byNode.set(node, last)
  for (const [node, { series }] of head.nodes)
    byNode.set(node, mergedLast(byNode.get(node) ?? NOTHING_KNOWN, series, state.lastValues.metrics))
  const noted = await readEvents(state, { areas: ['record'], text: UNKNOWN_FIELD, limit: FIELDS_MAX })
  const fields = new Set(
    noted.entries.flatMap(({ what, nodeKey = '', facts }) =>
      what === UNKNOWN_FIELD && typeof facts?.['name'] === 'string' ? [fieldId(nodeKey, facts['name'])] : [],
    ),
  )
  return { byNode, fields }
}

/** What came before history was read back is compared now; rows that say otherwise are put right. */
export function compareLate(
  state: StoreState,
  known: Awaited<ReturnType<typeof readLastValues>>,
  ends: ReadonlyMap<string, number>,
): void {
  const { waiting } = state.lastValues
  Object.assign(state.lastValues, { ...known, waiting: [] } satisfies Partial<LastValueMemory>)
  for (const sample of waiting) {
    // What was read back was compared when it came.
    if (sample.atMs <= (ends.get(sample.node) ?? Number.NEGATIVE_INFINITY)) continue
    const derived = compare(state, sample)
    const series = state.head.nodes.get(sample.node)?.series
    const place = series === undefined ? 0 : placeAt(series, Math.round(sample.atMs))
    if (series === undefined || series.columns.atMs[place] !== Math.round(sample.atMs)) continue
    correctRow(series, place, derived)
    if (place === 0) markFirst(series, state.database.nodes.get(sample.node)?.untilMs)
  }
}

/** What only a comparison tells of a row. */
function correctRow({ columns }: Series, place: number, sample: Sample): void {
  const fields: Readonly<Record<string, unknown>> = sample
  for (const column of columns.metrics) {
    const { metric, keys, increase, flags } = column
    if (metric.kind === 'counter') {
      const by = fields[keys.increase]
      increase[place] = typeof by === 'number' ? by : 0
      flags[place] = fields[keys.restarted] === true ? RESTARTED : 0
      markUnwatched(columns, column, place, place + 1)
    }
    if (metric.kind === 'fingerprint')
      flags[place] = ((flags[place] ?? 0) & KNOWN) | (fields[keys.changed] === true ? CHANGED : 0)
  }
}

/** What is known of a node after these rows. */
export function mergedLast(before: LastValues, series: Series, metrics: readonly Compared[]): LastValues {
  const values: Record<string, string | undefined> = { ...before.values }
  for (const { id } of metrics) {
    const columns = columnsOf(series, id)
    const text = columns && lastTextIn(columns, series)
    if (text !== undefined) values[id] = text
  }
  return { ...before, values, failing: failingIn(series, before.failing) }
}

function lastTextIn(columns: MetricColumns, { length, texts }: Series): string | undefined {
  for (let place = length - 1; place >= 0; place--) {
    const text = textAt(columns, place, texts.list)
    if (text !== undefined) return text
  }
  return undefined
}

function textAt(columns: MetricColumns, place: number, texts: readonly string[]): string | undefined {
  const { kind } = columns.metric
  if (kind === 'fingerprint') return fingerprintAt(columns, place)
  const text = texts[columns.text[place] ?? 0] ?? ''
  return kind === 'state' ? text || undefined : exactAt(columns.value[place], text)?.text
}

/** Whether the last poll of these rows failed; a run of failures that goes on keeps its beginning. */
function failingIn({ columns, length }: Series, before: Failing | undefined): Failing | undefined {
  for (let place = length - 1; place >= 0; place--) {
    const code = columns.outcome[place] ?? NOT_WATCHED
    if (code === NOT_WATCHED) continue
    const kind = OUTCOMES[code]
    if (kind === undefined || kind === 'answered') return undefined
    return before?.kind === kind ? before : { kind, sinceMs: undefined, misses: 0 }
  }
  return before
}

/** An amount as it was written; the text is kept only where the double is not exact. */
function exactAt(value = Number.NaN, text = ''): ExactNumber | undefined {
  return parseExactNumber(text === '' ? String(value) : text)
}
