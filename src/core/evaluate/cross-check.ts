import { DEFAULTS } from '#base/defaults.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
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

export type CrossChecked = {
  readonly first: readonly Disagreement[]
  readonly second: readonly Disagreement[]
  readonly memory: CrossMemory
}

/**
 * Contradictions between two services about one node that a delay can't explain. One service may lag slightly, so both must
 * report their value for longer than that at the same time. Undefined while one of them has no current reading; the previous
 * result stays.
 */
export function crossCheck(
  first: Side,
  second: Side,
  before: CrossMemory,
  registry: MetricRegistry,
  nowMs: number,
): CrossChecked | undefined {
  const readings = [readingNow(first, nowMs), readingNow(second, nowMs)] as const
  if (readings[0] === undefined || readings[1] === undefined) return undefined
  const pair: Pair = {
    sides: [first.node, second.node],
    readings: [readings[0], readings[1]],
    explainedMs: Math.max(first.intervalMs, second.intervalMs) + DEFAULTS.crossCheckLagMs,
  }
  const counters: Record<string, readonly [Mark | undefined, Mark | undefined]> = {}
  const found: Found[] = []
  for (const metric of registry.filter(isComparable)) {
    if (metric.kind === 'counter') {
      const [beforeA, beforeB] = before.counters[metric.id] ?? []
      const [a, b] = [markOf(pair, metric.id, beforeA, 0), markOf(pair, metric.id, beforeB, 1)]
      counters[metric.id] = [a.mark, b.mark]
      found.push(...[a, b].flatMap((one) => one.found ?? []))
    } else if (metric.kind !== 'fingerprint') found.push(...differing(pair, metric))
  }
  const proofsSince = proofsApart(pair, before.proofsSince)
  if (proofsSince !== undefined && lastCommonMs(pair) - proofsSince.sinceMs >= pair.explainedMs)
    found.push(...proofFound(pair, proofsSince, registry))
  return {
    first: found.map((one) => disagreementOf(pair, one, 0)),
    second: found.map((one) => disagreementOf(pair, one, 1)),
    memory: { counters, proofsSince },
  }
}

type Pair = {
  readonly sides: readonly [AssessedNode, AssessedNode]
  readonly readings: readonly [Reading, Reading]
  /** Maximum delay between two answers about the same state. */
  readonly explainedMs: number
}

type Found = Pick<Disagreement, 'metric' | 'kind'> & Since & { readonly texts: readonly [string, string] }

const readingNow = ({ node }: Side, nowMs: number): Reading | undefined =>
  node.episode === undefined && isCurrentAt(node, nowMs) ? node.reading : undefined

const lastCommonMs = ({ readings: [a, b] }: Pair): number => Math.min(a.startedMs, b.startedMs)

/** For states and amounts: requires that both have reported their value for long enough. */
function differing(pair: Pair, metric: Metric): readonly Found[] {
  const [a, b] = pair.sides
  const values = [a.assessment.values[metric.id], b.assessment.values[metric.id]] as const
  const since = [a.since[metric.id], b.since[metric.id]] as const
  if (values[0] === undefined || values[1] === undefined || since[0] === undefined || since[1] === undefined)
    return []
  if (isSame(metric, values[0], values[1])) return []
  const later = since[0].sinceMs >= since[1].sinceMs ? since[0] : since[1]
  if (lastCommonMs(pair) - later.sinceMs < pair.explainedMs) return []
  const { sinceMs, sinceWallMs } = later
  return [
    { metric: metric.id, kind: 'differs', texts: [values[0].text, values[1].text], sinceMs, sinceWallMs },
  ]
}

type Shown = { readonly text: string; readonly value?: number }

/** A difference in units or rounding does not count. */
function isSame({ kind, exact }: Metric, a: Shown, b: Shown): boolean {
  if (a.text === b.text) return true
  if (kind === 'state' || exact === true || a.value === undefined || b.value === undefined) return false
  return Math.abs(a.value - b.value) <= SAME * Math.max(Math.abs(a.value), Math.abs(b.value))
}
const SAME = 1e-6

type Marked = { readonly mark: Mark | undefined; readonly found: Found | undefined }

/** Counters only grow, so a service polled long after the other must not report less. */
function markOf(pair: Pair, metric: string, before: Mark | undefined, at: 0 | 1): Marked {
  const other = at === 0 ? 1 : 0
  const [own, theirs] = [
    pair.sides[at].assessment.values[metric],
    pair.sides[other].assessment.values[metric],
  ]
  const reading = pair.readings[at]
  const now: Mark | undefined =
    own?.value === undefined ? undefined : { value: own.value, text: own.text, ...sinceOf(reading) }
  if (before === undefined || theirs?.value === undefined) return { mark: now, found: undefined }
  // After a restart the node counts from 0.
  const hasRestarted = pair.sides.some(
    ({ counters }) => (counters[metric]?.lastRestartWallMs ?? 0) >= before.sinceWallMs,
  )
  if (hasRestarted || pair.readings.some(({ clockSetBack }) => clockSetBack))
    return { mark: now, found: undefined }
  const { sinceMs, sinceWallMs } = before
  if (pair.readings[other].startedMs < sinceMs + pair.explainedMs) return { mark: before, found: undefined }
  if (theirs.value >= before.value) return { mark: now, found: undefined }
  const texts = at === 0 ? ([before.text, theirs.text] as const) : ([theirs.text, before.text] as const)
  return { mark: before, found: { metric, kind: 'behind', texts, sinceMs, sinceWallMs } }
}

function proofsApart({ readings }: Pair, before: CrossMemory['proofsSince']): CrossMemory['proofsSince'] {
  const kinds = readings.map(({ proof }) => proof?.kind)
  if (!kinds.includes('verified') || !kinds.includes('wrong')) return undefined
  return before ?? sinceOf(readings[0].startedMs >= readings[1].startedMs ? readings[0] : readings[1])
}

function proofFound({ readings }: Pair, since: Since, registry: MetricRegistry): readonly Found[] {
  const texts = [readings[0].proof?.kind ?? '', readings[1].proof?.kind ?? ''] as const
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
