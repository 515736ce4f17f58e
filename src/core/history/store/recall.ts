import type { LogEntry } from '#history/event-log.ts'
import { judge } from './chronicle.ts'
import type { Sample } from '#history/history.ts'
import type { StoreState } from './store-state.ts'
import { lastKeptIn, NOTHING_KEPT, type LastKept } from './last-kept.ts'
import { readEvents } from './read-events.ts'
import { readParts } from './read-rows.ts'
import { SERIES_FORM } from './records.ts'
import { HAS_PROOF } from '#history/proof-columns.ts'
import { PROOF_CHANGED, placeAt, RESTARTED } from '#history/series.ts'
import type { HeadBlock } from './head-block.ts'

const DAY_MS = 86_400_000
/** Samples that came before history was read back, at most: the oldest are not compared with anything. */
const UNJUDGED_MAX = 20_000
/** A node whose newest rows are all failures is looked up so far back, and so many of them. */
const LOOK_BACK_MS = 8 * DAY_MS
const LOOK_UPS_MAX = 500
/** Names of fields that are remembered. */
const FIELDS_MAX = 1_000

/** What of the past each new sample is compared with. */
export type Memory = {
  /** By node; undefined while nothing was read back, or another tab keeps history. */
  kept: Map<string, LastKept> | undefined
  /** Samples of this session that wait for it. */
  unjudged: Sample[]
  /** Members of records that the interface does not know and that were told of: service and name. */
  fields: Set<string>
}

export const createMemory = (): Memory => ({ kept: undefined, unjudged: [], fields: new Set() })

/** Compares a sample with what is known, where anything is known; returns what is to be kept of it. */
export function compare(state: StoreState, sample: Sample): Sample {
  const { memory } = state
  if (memory.kept === undefined) {
    if (memory.unjudged.push(sample) > UNJUDGED_MAX * 1.25)
      memory.unjudged = memory.unjudged.slice(-UNJUDGED_MAX)
    return sample
  }
  const judged = judge(memory.kept.get(sample.node) ?? NOTHING_KEPT, sample)
  memory.kept.set(sample.node, judged.after)
  state.events.add([...judged.entries, ...newFields(memory, sample)])
  return judged.sample
}

function newFields({ fields }: Memory, { node, atMs, more }: Sample): readonly LogEntry[] {
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
export async function recall(
  state: StoreState,
  head: HeadBlock,
): Promise<Pick<Memory, 'fields'> & { kept: Map<string, LastKept> }> {
  const kept = new Map<string, LastKept>()
  let lookUps = 0
  for (const [node, { series }] of head.nodes) {
    let known = lastKeptIn(series)
    if (known.status === undefined && known.threats === undefined && lookUps++ < LOOK_UPS_MAX) {
      const toMs = series.columns.atMs[0] ?? 0
      const parts = await readParts(state, SERIES_FORM, 'samples', node, toMs - LOOK_BACK_MS, toMs)
      for (const part of parts.ok ? parts.value.toReversed() : []) known = lastKeptIn(part, known)
      await state.yieldToEventLoop()
    }
    kept.set(node, known)
  }
  const told = await readEvents(state, { areas: ['record'], text: UNKNOWN_FIELD, limit: FIELDS_MAX })
  const fields = new Set(
    told.entries.flatMap(({ what, nodeKey = '', facts }) =>
      what === UNKNOWN_FIELD && typeof facts?.['name'] === 'string' ? [fieldId(nodeKey, facts['name'])] : [],
    ),
  )
  return { kept, fields }
}

/** What came before history was read back is compared now; rows that say otherwise are put right. */
export function compareLate(
  state: StoreState,
  known: Awaited<ReturnType<typeof recall>>,
  ends: ReadonlyMap<string, number>,
): void {
  const { unjudged } = state.memory
  Object.assign(state.memory, { ...known, unjudged: [] } satisfies Memory)
  for (const sample of unjudged) {
    // What another tab has kept was compared by it.
    if (sample.atMs <= (ends.get(sample.node) ?? Number.NEGATIVE_INFINITY)) continue
    const judged = compare(state, sample)
    const series = state.head.nodes.get(sample.node)?.series
    const place = series === undefined ? 0 : placeAt(series, Math.round(sample.atMs))
    if (series === undefined || series.columns.atMs[place] !== Math.round(sample.atMs)) continue
    series.columns.threatIncrease[place] = judged.threatIncrease ?? 0
    series.columns.flags[place] =
      ((series.columns.flags[place] ?? 0) & HAS_PROOF) |
      (judged.threatRestarted === true ? RESTARTED : 0) |
      (judged.proofChanged === true ? PROOF_CHANGED : 0)
  }
}
