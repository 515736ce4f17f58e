import { parseExactNumber } from '#record/exact-number.ts'
import type { MetricRegistry, RecordMetric } from '#metrics/metric.ts'
import { FAILURES } from '#protocol/failure.ts'
import { counterStep } from '#record/counter.ts'
import type { EventFacts, LogEntry } from '#history/event-log.ts'
import type { Sample } from '#history/history.ts'
import { sampleKeys, type SampleKeys } from '#history/series.ts'

/** A node's values up to its last sample, to compare the next one with. */
export type LastValues = {
  /** By the metric's id: a state's word, the exact decimal of a gauge or counter, or a fingerprint. */
  readonly values: Readonly<Partial<Record<string, string>>>
  /** The run of failures that includes the last sample. */
  readonly failing: Failing | undefined
  readonly proofWrong: boolean
}

export type Failing = {
  readonly kind: Exclude<Sample['outcome'], 'answered'>
  /** When its first request was sent, if this session sent it. */
  readonly sinceMs: number | undefined
  readonly misses: number
}

export const NOTHING_KNOWN: LastValues = {
  values: {},
  failing: undefined,
  proofWrong: false,
}

/** A metric whose consecutive samples are compared. */
export type Compared = Pick<RecordMetric, 'id' | 'kind'> & { readonly keys: SampleKeys }

/** Excludes ages, which change all the time, and gauges that change with each answer. */
export const comparedOf = (registry: MetricRegistry): readonly Compared[] =>
  registry.flatMap(({ id, kind, field, settled }) =>
    field === undefined || kind === 'timestamp' || (kind === 'gauge' && settled !== true)
      ? []
      : [{ id, kind, keys: sampleKeys({ id, kind }) }],
  )

/**
 * Compares a sample with the node's last values: completes the counter's increase, even across sessions, and
 * derives journal entries.
 */
export function deriveEvents(last: LastValues, given: Sample, metrics: readonly Compared[]) {
  const { otherNode } = given.more ?? {}
  // Values of two nodes are not comparable.
  const before = otherNode === undefined ? last : { ...last, values: {} }
  const texts = textsOf(given, metrics)
  const sample = sinceLast(before, given, metrics, texts)
  const entry = (area: LogEntry['area'], what: string, facts: Facts): LogEntry => ({
    wallMs: sample.atMs,
    ...(sample.serviceMs !== undefined && { serviceMs: sample.serviceMs }),
    area,
    what,
    nodeKey: sample.node,
    facts: definedIn(facts),
  })
  const { outcome, more } = sample
  const { failing } = before
  if (outcome !== 'answered') {
    const sinceMs = failing === undefined ? sample.atMs : failing.sinceMs
    const after = { ...before, failing: { kind: outcome, sinceMs, misses: (failing?.misses ?? 0) + 1 } }
    const cause = { kind: outcome, code: FAILURES[outcome].code, ...more?.failure }
    if (failing === undefined) return { after, sample, entries: [entry('service', 'failure-began', cause)] }
    const changed = entry('service', 'failure-changed', { ...cause, from: failing.kind })
    return { after, sample, entries: failing.kind === outcome ? [] : [changed] }
  }
  const proofWrong = more?.proof === undefined ? before.proofWrong : more.proof !== 'verified'
  const entries: LogEntry[] = []
  if (failing !== undefined)
    entries.push(
      entry('service', 'failure-ended', {
        kind: failing.kind,
        code: FAILURES[failing.kind].code,
        sinceMs: failing.sinceMs,
        misses: failing.misses === 0 ? undefined : failing.misses,
      }),
    )
  if (otherNode !== undefined) entries.push(entry('service', 'default-node-changed', otherNode))
  for (const [what, facts] of changes(before, sample, metrics, texts))
    entries.push(entry('record', what, facts))
  if (proofWrong !== before.proofWrong)
    entries.push(entry('record', proofWrong ? 'proof-wrong' : 'proof-right', { reason: more?.proof }))
  const isWhole = metrics.every(({ id }) => texts[id] !== undefined)
  const values = isWhole ? texts : { ...before.values, ...texts }
  return { after: { values, failing: undefined, proofWrong }, sample, entries }
}

const changes = (
  { values }: LastValues,
  sample: Sample,
  metrics: readonly Compared[],
  texts: Texts,
): readonly (readonly [what: string, facts: Facts])[] =>
  metrics.flatMap(({ id, kind, keys }): readonly (readonly [string, Facts])[] => {
    const from = values[id]
    const to = texts[id] ?? from
    if (kind === 'counter')
      return sample[keys.restarted] === true ? [['counter-restarted', { metric: id, from, to }]] : []
    const isCompared = kind === 'state' || kind === 'gauge'
    return isCompared && from !== undefined && to !== from ? [[`${id}-changed`, { from, to }]] : []
  })

/** The engine compares only samples of its own session; history also knows earlier ones. */
function sinceLast(
  { values }: LastValues,
  sample: Sample,
  metrics: readonly Compared[],
  texts: Texts,
): Sample {
  let found: Record<string, number | boolean> | undefined
  for (const { id, kind, keys } of metrics) {
    const before = values[id]
    const now = texts[id]
    if (before === undefined || now === undefined) continue
    if (kind === 'counter') {
      const step = counterStep(before, now, sample.more?.clockSetBack)
      found = { ...found, [keys.increase]: step.increase, [keys.restarted]: step.restarted }
    }
    if (kind === 'fingerprint' && before !== now) found = { ...found, [keys.changed]: true }
  }
  return found === undefined ? sample : { ...sample, ...found }
}

/** By the metric's id, without unusable values. */
type Texts = Readonly<Record<string, string>>

function textsOf(sample: Sample, metrics: readonly Compared[]): Texts {
  const texts: Record<string, string> = {}
  for (const { id, keys } of metrics) {
    const value = sample[keys.value]
    const exact = sample[keys.exact]
    const text =
      typeof value === 'number'
        ? parseExactNumber(typeof exact === 'string' ? exact : String(value))?.text
        : value
    if (typeof text === 'string') texts[id] = text
  }
  return texts
}

type Facts = Readonly<Record<string, EventFacts[string] | undefined>>

const definedIn = (facts: Facts): EventFacts =>
  Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, EventFacts[string]] => entry[1] !== undefined),
  )

export type LastValueMemory = {
  byNode: Map<string, LastValues>
  /** Unknown members of records that the journal already has, by service and name. */
  readonly fields: Set<string>
  readonly metrics: readonly Compared[]
}
