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
  UNWATCHED,
  type MetricColumns,
  type Series,
} from '#history/series.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import {
  comparedOf,
  deriveEvents,
  NOTHING_KNOWN,
  type Compared,
  type Failing,
  type LastValues,
} from './derive-events.ts'
import type { EventState } from './event-buffer.ts'
import type { HeadBlock } from './head-block.ts'
import { readEvents } from './read-events.ts'
import { readParts, SERIES_FORM } from './records.ts'
import type { SegmentStore } from './segments.ts'

const DAY_MS = 86_400_000
/** Samples that came before history was read back, at most: the oldest are not compared with anything. */
const WAITING_MAX = 20_000
/** A node whose newest rows are all failures is looked up so far back, and so many of them. */
const LOOK_BACK_MS = 8 * DAY_MS
const LOOK_UPS_MAX = 500
/** Names of fields that are remembered. */
const FIELDS_MAX = 1_000

/** What of the past each new sample is compared with. */
type LastValueMemory = {
  /** By node; undefined while nothing was read back. */
  byNode: Map<string, LastValues> | undefined
  /** Samples of this session that wait for it. */
  waiting: Sample[]
  /** Members of records that the interface does not know and that the log has: service and name. */
  fields: Set<string>
  readonly metrics: readonly Compared[]
}

/** What samples are compared with. */
export type LastValuesState = SegmentStore &
  EventState & { readonly lastValues: LastValueMemory; head: HeadBlock }

export const createLastValues = (registry: MetricRegistry): LastValueMemory => ({
  byNode: undefined,
  waiting: [],
  fields: new Set(),
  metrics: comparedOf(registry),
})

/** Compares a sample with what is known, where anything is known; returns what is to be kept of it. */
export function compare(state: LastValuesState, sample: Sample): Sample {
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

/** What rows that were read back tell of each node, and the log of fields. */
export async function readLastValues(
  state: LastValuesState,
  head: HeadBlock,
): Promise<Pick<LastValueMemory, 'fields'> & { byNode: Map<string, LastValues> }> {
  const { metrics } = state.lastValues
  const byNode = new Map<string, LastValues>()
  let lookUps = 0
  for (const [node, { series }] of head.nodes) {
    let known = lastValuesIn(series, metrics)
    if (Object.keys(known.values).length === 0 && lookUps++ < LOOK_UPS_MAX) {
      const toMs = series.columns.atMs[0] ?? 0
      const parts = await readParts(state, SERIES_FORM, 'samples', node, toMs - LOOK_BACK_MS, toMs)
      for (const part of parts.ok ? parts.value.toReversed() : []) known = lastValuesIn(part, metrics, known)
      await state.yieldToEventLoop()
    }
    byNode.set(node, known)
  }
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
  state: LastValuesState,
  known: Awaited<ReturnType<typeof readLastValues>>,
  ends: ReadonlyMap<string, number>,
): void {
  const { waiting } = state.lastValues
  Object.assign(state.lastValues, { ...known, waiting: [] } satisfies Partial<LastValueMemory>)
  for (const sample of waiting) {
    // What was read back was compared when it came.
    if (sample.atMs <= (ends.get(sample.node) ?? Number.NEGATIVE_INFINITY)) continue
    const isKnown = known.byNode.has(sample.node)
    const derived = compare(state, sample)
    const series = state.head.nodes.get(sample.node)?.series
    const place = series === undefined ? 0 : placeAt(series, Math.round(sample.atMs))
    if (series === undefined || series.columns.atMs[place] !== Math.round(sample.atMs)) continue
    correctRow(series, place, derived, isKnown)
  }
}

/** What only a comparison tells of a row. */
function correctRow({ columns }: Series, place: number, sample: Sample, isKnown: boolean): void {
  const fields: Readonly<Record<string, unknown>> = sample
  for (const column of columns.metrics) {
    const { metric, keys, increase, flags } = column
    if (metric.kind === 'counter') {
      const by = fields[keys.increase]
      increase[place] = typeof by === 'number' ? by : 0
      flags[place] = fields[keys.restarted] === true ? RESTARTED : 0
      // The value that it was compared with is from longer ago than there are rows.
      if (place === 0 && isKnown) flags[place] = (flags[place] ?? 0) | UNWATCHED
      markUnwatched(columns, column, place, place + 1)
    }
    if (metric.kind === 'fingerprint')
      flags[place] = ((flags[place] ?? 0) & KNOWN) | (fields[keys.changed] === true ? CHANGED : 0)
  }
}

/** What rows tell, put before what is known of the time after them. */
export function lastValuesIn(
  series: Series,
  metrics: readonly Compared[],
  later: LastValues = NOTHING_KNOWN,
): LastValues {
  const values: Record<string, string | undefined> = { ...later.values }
  for (const { id } of metrics) {
    const columns = columnsOf(series, id)
    const text = columns && values[id] === undefined ? lastTextIn(columns, series) : undefined
    if (text !== undefined) values[id] = text
  }
  return { ...later, values, failing: later.failing ?? failingIn(series) }
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

/** Whether the last poll of these rows failed. */
function failingIn({ columns, length }: Series): Failing | undefined {
  for (let place = length - 1; place >= 0; place--) {
    const code = columns.outcome[place] ?? NOT_WATCHED
    if (code === NOT_WATCHED) continue
    const kind = OUTCOMES[code]
    return kind === undefined || kind === 'answered' ? undefined : { kind, sinceMs: undefined, misses: 0 }
  }
  return undefined
}

/** An amount as it was written; the text is kept only where the double is not exact. */
function exactAt(value = Number.NaN, text = ''): ExactNumber | undefined {
  return parseExactNumber(text === '' ? String(value) : text)
}
