import { DEFAULTS } from '#base/defaults.ts'
import { isCurrentAt, type ShownValue } from '#fleet/assessment.ts'
import type { AssessedNode, Disagreement, Reading } from '#fleet/live.ts'
import { isComparable, type Metric, type MetricRegistry } from '#metrics/metric.ts'

export type Side = { readonly node: AssessedNode; readonly intervalMs: number }

/** Earlier observations of a pair. Times are on the engine's steady clock. */
export type CrossMemory = {
  /** For each counter, a value of each side that the other must reach after the allowed delay. */
  readonly counters: Readonly<Record<string, readonly [Mark | undefined, Mark | undefined]>>
  /** Since when one side's proof is right and the other's wrong. */
  readonly proofsSince: Since | undefined
}

type Since = Pick<Disagreement, 'sinceMs' | 'sinceWallMs'>
type Mark = Since & { readonly value: number; readonly text: string }

const sinceOf = ({ startedMs, startedWallMs }: Reading): Since => ({
  sinceMs: startedMs,
  sinceWallMs: startedWallMs,
})

export const NOTHING_SEEN: CrossMemory = { counters: {}, proofsSince: undefined }

export type CrossChecked = NonNullable<ReturnType<typeof crossCheck>>

/**
 * Contradictions between two services about one node that a delay can't explain. One service may lag slightly, so both must
 * report their value for longer than that at the same time. Undefined while one of them failed or has no current reading; the
 * previous result stays.
 */
export function crossCheck(
  first: Side,
  second: Side,
  before: CrossMemory,
  registry: MetricRegistry,
  nowMs: number,
) {
  const [a, b] = [first.node, second.node]
  if (!isSeen(a, nowMs) || !isSeen(b, nowMs)) return undefined
  const explainedMs = Math.max(first.intervalMs, second.intervalMs) + DEFAULTS.crossCheckLagMs
  const pair: Pair = { sides: [a, b], explainedMs }
  const counters: Record<string, readonly [Mark | undefined, Mark | undefined]> = {}
  const found: Found[] = []
  for (const metric of registry.filter(isComparable)) {
    if (metric.kind === 'counter') {
      const [beforeA, beforeB] = before.counters[metric.id] ?? []
      const marked = [markOf(pair, metric.id, beforeA, 0), markOf(pair, metric.id, beforeB, 1)] as const
      counters[metric.id] = [marked[0].mark, marked[1].mark]
      found.push(...marked.flatMap((one) => one.found ?? []))
    } else if (metric.kind !== 'fingerprint') found.push(...differing(pair, metric))
  }
  const proofsSince = proofsApart(pair, before.proofsSince)
  if (proofsSince !== undefined && lastCommonMs(pair) - proofsSince.sinceMs >= pair.explainedMs)
    found.push(...proofFound(pair, proofsSince, registry))
  return {
    first: found.map((one) => disagreementOf(pair, one, 0)),
    second: found.map((one) => disagreementOf(pair, one, 1)),
    memory: { counters, proofsSince } satisfies CrossMemory,
  }
}

type Seen = AssessedNode & { readonly reading: Reading }

/** `explainedMs`: the maximum delay between two answers about the same state. */
type Pair = { readonly sides: readonly [Seen, Seen]; readonly explainedMs: number }

type Found = Pick<Disagreement, 'metric' | 'kind'> & Since & { readonly texts: readonly [string, string] }

const isSeen = (node: AssessedNode, nowMs: number): node is Seen =>
  node.episode === undefined && node.reading !== undefined && isCurrentAt(node, nowMs)

const lastCommonMs = ({ sides: [a, b] }: Pair): number => Math.min(a.reading.startedMs, b.reading.startedMs)

/** For states and amounts: requires that both have reported their value for long enough. */
function differing(pair: Pair, metric: Metric): readonly Found[] {
  const { id } = metric
  const [a, b] = pair.sides
  const [valueA, valueB] = [a.assessment.values[id], b.assessment.values[id]]
  const [sinceA, sinceB] = [a.since[id], b.since[id]]
  if (valueA === undefined || valueB === undefined || sinceA === undefined || sinceB === undefined) return []
  if (isSame(metric, valueA, valueB)) return []
  const { sinceMs, sinceWallMs } = sinceA.sinceMs >= sinceB.sinceMs ? sinceA : sinceB
  if (lastCommonMs(pair) - sinceMs < pair.explainedMs) return []
  return [{ metric: id, kind: 'differs', texts: [valueA.text, valueB.text], sinceMs, sinceWallMs }]
}

/** A difference in units or rounding does not count. */
function isSame({ kind, exact }: Metric, a: ShownValue, b: ShownValue): boolean {
  if (a.text === b.text) return true
  if (kind === 'state' || exact === true || a.value === undefined || b.value === undefined) return false
  return Math.abs(a.value - b.value) <= SAME * Math.max(Math.abs(a.value), Math.abs(b.value))
}
const SAME = 1e-6

type Marked = { readonly mark: Mark | undefined; readonly found: Found | undefined }

/** Counters only grow, so a service polled long after the other must not report less. */
function markOf({ sides, explainedMs }: Pair, metric: string, before: Mark | undefined, at: 0 | 1): Marked {
  const [own, other] = [sides[at], sides[at === 0 ? 1 : 0]]
  const { text = '', value } = own.assessment.values[metric] ?? {}
  const now = value === undefined ? undefined : { value, text, ...sinceOf(own.reading) }
  const theirs = other.assessment.values[metric]
  if (before === undefined || theirs?.value === undefined) return { mark: now, found: undefined }
  // After a restart the node counts from 0.
  const hasRestarted = sides.some(
    ({ counters }) => (counters[metric]?.lastRestartWallMs ?? 0) >= before.sinceWallMs,
  )
  if (hasRestarted || sides.some(({ reading }) => reading.clockSetBack))
    return { mark: now, found: undefined }
  const { sinceMs, sinceWallMs } = before
  if (other.reading.startedMs < sinceMs + explainedMs) return { mark: before, found: undefined }
  if (theirs.value >= before.value) return { mark: now, found: undefined }
  const texts = at === 0 ? ([before.text, theirs.text] as const) : ([theirs.text, before.text] as const)
  return { mark: before, found: { metric, kind: 'behind', texts, sinceMs, sinceWallMs } }
}

function proofsApart(
  { sides: [{ reading: a }, { reading: b }] }: Pair,
  before: Since | undefined,
): Since | undefined {
  const kinds = [a.proof?.kind, b.proof?.kind]
  if (!kinds.includes('verified') || !kinds.includes('wrong')) return undefined
  return before ?? sinceOf(a.startedMs >= b.startedMs ? a : b)
}

function proofFound({ sides: [a, b] }: Pair, since: Since, registry: MetricRegistry): readonly Found[] {
  const texts = [a.reading.proof?.kind ?? '', b.reading.proof?.kind ?? ''] as const
  const proofs = registry.filter(({ kind }) => kind === 'fingerprint')
  return proofs.map(({ id }) => ({ metric: id, kind: 'proof', texts, ...since }))
}

const disagreementOf = ({ sides }: Pair, { texts, ...found }: Found, at: 0 | 1): Disagreement => {
  const other = at === 0 ? 1 : 0
  return {
    ...found,
    own: texts[at],
    other: texts[other],
    with: sides[other].key,
    // One alarm for the pair.
    isFirst: at === 0,
  }
}
