import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { sumText } from '#record/amount.ts'
import { effectiveSettings } from '#settings/effective.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { checkOf, isCurrentAt, stageAt, type ShownValue } from './assessment.ts'
import { readingAgeMs, valueNow, type AssessedNode } from './live.ts'
import { countedNodes, type FleetSnapshot } from './snapshot.ts'

export type Coverage = {
  /** Nodes with a current value. */
  readonly nodes: number
  /** Nodes that count with their last value, because they have no current one. */
  readonly old: number
  /** All watched nodes. */
  readonly of: number
  /** Age of the oldest answer included, in ms. */
  readonly oldestMs: number | undefined
}

/** Upper edges of the age groups in ms; older nodes are in a last group. */
export const AGE_EDGES_MS = [15_000, 30_000, 60_000, 180_000] as const

export type NetworkFigure = {
  readonly metric: Metric
  readonly coverage: Coverage
} & (
  | {
      /** Exact sum of an amount; unknown if nodes report it in different units. */
      readonly kind: 'total'
      readonly value: ShownValue | undefined
      /** The sum of the last answers, if none is current. */
      readonly last: ShownValue | undefined
      readonly symbol: string
    }
  /** Mean of a share, weighted by the nodes' amounts. `isWeighted` false: no amounts are known, so each node counts as one. */
  | { readonly kind: 'mean'; readonly value: number | undefined; readonly isWeighted: boolean }
  /** For states: the share of the amount, or else of nodes, whose state is within limits. */
  | { readonly kind: 'share'; readonly value: number | undefined; readonly isWeighted: boolean }
  /** For counters: increases since `sinceWallMs`, per hour; `last` if no node has a current answer. */
  | {
      readonly kind: 'rate'
      readonly value: number | undefined
      readonly last: number | undefined
      readonly sinceWallMs: number
    }
  /** For timestamps: the number of nodes in each age group, and of older ones. */
  | { readonly kind: 'ages'; readonly counts: readonly number[] }
)

type Aged = { readonly node: AssessedNode; readonly ageMs: number }

type Known = Aged & { readonly shown: ShownValue; readonly value: number }

/** A rate over a shorter time would depend on single events. */
const RATE_AFTER_MS = MINUTE_MS

/**
 * One figure per metric, from current values. A share covers all nodes, because nodes without a current value are not known to
 * be good. A silent node keeps its last amount in the total, which would drop otherwise; the coverage counts it separately.
 * Without any current answer every figure is unknown.
 */
export function networkFigures(
  snapshot: FleetSnapshot,
  nowMs: number,
  metrics: MetricRegistry,
): readonly NetworkFigure[] {
  const nodes = Array.from(countedNodes(snapshot).values())
  const current = nodes.filter((node) => isCurrentAt(node, nowMs))
  const currents = new Set(current)
  const amount = metrics.find(({ unit }) => unit === 'amount')
  const weights = new Map(
    amount === undefined ? [] : knownOf(nodes, amount, nowMs).map(({ node, value }) => [node, value]),
  )
  const answered = nodes.filter(({ reading }) => reading !== undefined)
  const isCommon = new Set(answered.map((node) => unitOf(snapshot, node))).size <= 1
  // Amounts in different units cannot be added.
  const isWeighted = isCommon && weights.size > 0
  const weightOf: WeightOf = (node) => (isWeighted ? weights.get(node) : 1)
  const over = (known: readonly Aged[]): Coverage => coverageOf(known, currents, nodes.length)
  return metrics.flatMap((metric): readonly NetworkFigure[] => {
    const known = (among: readonly AssessedNode[]) => knownOf(among, metric, nowMs)
    // With weights, a node with an unknown amount is left out.
    const weighed = () => known(current).filter(({ node }) => weightOf(node) !== undefined)
    switch (metric.kind) {
      case 'gauge': {
        if (metric.unit === 'amount') {
          const all = known(nodes)
          const coverage = over(all)
          const total = isCommon ? totalOf(all) : undefined
          const symbol = symbolOf(snapshot, all)
          return [{ metric, kind: 'total', coverage, ...currentOrLast(total, coverage), symbol }]
        }
        if (metric.unit !== 'ratio') return []
        const counted = weighed()
        const value = meanOf(counted, weightOf)
        return [{ metric, kind: 'mean', coverage: over(counted), value, isWeighted }]
      }
      case 'state': {
        if (metric.check === undefined) return []
        const counted = weighed()
        const value = shareOf(metric, counted, nodes, nowMs, weightOf)
        return [{ metric, kind: 'share', coverage: over(counted), value, isWeighted }]
      }
      case 'counter': {
        const { rate, counted, sinceWallMs } = rateOf(metric, snapshot, nodes, nowMs)
        const coverage = over(counted)
        return [{ metric, kind: 'rate', coverage, ...currentOrLast(rate, coverage), sinceWallMs }]
      }
      case 'timestamp': {
        const all = known(current)
        return [{ metric, kind: 'ages', coverage: over(all), counts: ageGroups(all) }]
      }
      default:
        return []
    }
  })
}

// A loop, because an array for each of thousands of nodes would take most of the time.
function knownOf(nodes: readonly AssessedNode[], metric: Metric, nowMs: number): readonly Known[] {
  const known: Known[] = []
  for (const node of nodes) {
    const shown = valueNow(node, metric, nowMs)
    if (shown === undefined || node.reading === undefined) continue
    if (shown.value === undefined && metric.kind !== 'state') continue
    known.push({ node, shown, value: shown.value ?? 0, ageMs: readingAgeMs(node.reading, nowMs) })
  }
  return known
}

function coverageOf(known: readonly Aged[], current: ReadonlySet<AssessedNode>, of: number): Coverage {
  const nodes = known.reduce((count, { node }) => count + (current.has(node) ? 1 : 0), 0)
  const oldestMs = known.reduce<number | undefined>(
    (oldest, { ageMs }) => Math.max(oldest ?? 0, ageMs),
    undefined,
  )
  return { nodes, old: known.length - nodes, of, oldestMs }
}

const currentOrLast = <T>(value: T, { nodes, old }: Coverage) =>
  nodes === 0 && old > 0 ? { value: undefined, last: value } : { value, last: undefined }

/** Symbol and scale. */
function unitOf({ services }: FleetSnapshot, node: AssessedNode): string {
  const service = services.get(node.serviceId)
  if (service === undefined) return ''
  const { stakeSymbol, stakeDecimals } = effectiveSettings(service.rules, node)
  return `${stakeSymbol.value} ${stakeDecimals.value}`
}

function symbolOf({ services }: FleetSnapshot, [first]: readonly Known[]): string {
  const service = first && services.get(first.node.serviceId)
  return first === undefined || service === undefined
    ? ''
    : effectiveSettings(service.rules, first.node).stakeSymbol.value
}

function totalOf(known: readonly Known[]): ShownValue | undefined {
  if (known.length === 0) return undefined
  const text = known.reduce((sum, { shown }) => sumText(sum, shown.text), '0')
  return { text, value: Number(text) }
}

type WeightOf = (node: AssessedNode) => number | undefined

const weightIn = (nodes: readonly AssessedNode[], weightOf: WeightOf): number =>
  nodes.reduce((sum, node) => sum + (weightOf(node) ?? 0), 0)

function meanOf(counted: readonly Known[], weightOf: WeightOf): number | undefined {
  let [weights, sum] = [0, 0]
  for (const { node, value } of counted) {
    const weight = weightOf(node) ?? 0
    weights += weight
    sum += weight * value
  }
  return weights === 0 ? undefined : sum / weights
}

function shareOf(
  { id }: Metric,
  counted: readonly Known[],
  nodes: readonly AssessedNode[],
  nowMs: number,
  weightOf: WeightOf,
): number | undefined {
  const isGood = ({ assessment }: AssessedNode): boolean =>
    checkOf(stageAt(assessment, nowMs).checks, id)?.state === 'ok'
  const good = counted.map(({ node }) => node).filter(isGood)
  const all = weightIn(nodes, weightOf)
  return counted.length === 0 || all === 0 ? undefined : weightIn(good, weightOf) / all
}

/**
 * Includes failing nodes up to when they began to fail. Undefined if less than half of the time is known, because its rate
 * would pass for that of the whole.
 */
function rateOf(
  { id }: Metric,
  { screen, wallMs, nowMs: madeMs }: FleetSnapshot,
  nodes: readonly AssessedNode[],
  nowMs: number,
) {
  const sinceWallMs = screen.startedWallMs
  const gapsMs = screen.gaps.reduce((sum, gap) => sum + Math.max(0, gap.toWallMs - gap.fromWallMs), 0)
  const spanMs = wallMs + (nowMs - madeMs) - sinceWallMs - gapsMs
  const counting = nodes.flatMap((node) => {
    const { counters, episode, reading } = node
    const failingMs = episode === undefined ? 0 : Math.max(0, nowMs - episode.sinceMs)
    const increase = counters[id]?.increase
    const ageMs = reading === undefined ? failingMs : readingAgeMs(reading, nowMs)
    return increase === undefined ? [] : [{ node, increase, knownMs: Math.max(0, spanMs - failingMs), ageMs }]
  })
  const knownMs = counting.reduce((sum, one) => sum + one.knownMs, 0)
  const isKnown = spanMs >= RATE_AFTER_MS && counting.length > 0 && knownMs >= (spanMs * counting.length) / 2
  const perMs = counting.reduce((sum, one) => sum + (one.knownMs === 0 ? 0 : one.increase / one.knownMs), 0)
  return { rate: isKnown ? perMs * HOUR_MS : undefined, counted: isKnown ? counting : [], sinceWallMs }
}

function ageGroups(known: readonly Known[]): readonly number[] {
  const counts = [...AGE_EDGES_MS.map(() => 0), 0]
  for (const { value } of known) {
    const edge = AGE_EDGES_MS.findIndex((limitMs) => value < limitMs)
    const index = edge === -1 ? AGE_EDGES_MS.length : edge
    counts[index] = (counts[index] ?? 0) + 1
  }
  return counts
}

/** A metric of the network over time; a NaN breaks the line. */
export type NetworkLine = {
  readonly id: string
  readonly atMs: Float64Array
  readonly value: Float64Array
  /** The smallest and the largest number of nodes behind any point. */
  readonly nodes: readonly [least: number, most: number]
  /** Largest number of nodes that were watched. */
  readonly of: number
  /** Up to this time (Unix ms) the values come from a query API instead of this browser. */
  readonly longTermUntilMs?: number
}

export const NETWORK_MS = DAY_MS

/** The last 24 hours, as this browser's engine recorded them. */
export type NetworkSeries = {
  readonly fromMs: number
  readonly toMs: number
  readonly lines: readonly NetworkLine[]
}

/** Largest relative difference in the number of nodes; above it the sums are not comparable and the line breaks. */
const SAME_NODES = 0.01

/** Whether the points may cover the same nodes. */
export const isSameCount = (one: NetworkLine['nodes'], other: NetworkLine['nodes']): boolean =>
  one[0] <= other[1] * (1 + SAME_NODES) && other[0] <= one[1] * (1 + SAME_NODES)

export type LinePoint = Pick<NetworkLine, 'nodes'> & { readonly atMs: number; readonly value: number }

/** Sums over different nodes are not comparable, so the line breaks. */
export const breakSums = (points: readonly LinePoint[]): readonly LinePoint[] =>
  points.flatMap((point, index) => {
    const before = points[index - 1]
    return before === undefined || isSameCount(before.nodes, point.nodes)
      ? [point]
      : [{ ...point, atMs: (before.atMs + point.atMs) / 2, value: Number.NaN }, point]
  })
