import { DAY_MS, type TimeRange } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { type NodeLive, pollIntervalOf } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { lineIn, seriesIn, type SeriesData, type SeriesQuery, type Points } from '#charts/charts.ts'
import { COLUMNS_MAX } from '#charts/series-data.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import type { BuiltInMetric } from '#metrics/metrics.ts'
import type { AlarmRule } from '#settings/schema.ts'
import { effectiveSettings } from '#settings/effective.ts'
import { evaluateCondition, type Memory } from './metric-conditions.ts'
import { applyEvaluation, newInstance, type Instance } from './instance.ts'
import { isInScope } from './maintenance-windows.ts'
import { kindOf, rawOf, showWith, type MetricReading } from './metric-values.ts'

export type RuleTrial = TimeRange & {
  readonly raised: number
  readonly raisedMs: readonly number[]
  /** Nodes whose history was read, at most 50. */
  readonly nodes: number
  readonly nodesInScope: number
  /** 0: there is no history for that time. */
  readonly answers: number
  /** False: for part of the time only rollups were evaluated. */
  readonly exact: boolean
  readonly possible: boolean
}

type ReadSeriesData = (query: SeriesQuery) => Promise<SeriesData>

const NODES_MAX = 50
const TIMES_MAX = 50
/** For longer ranges history returns rollups. */
const CHUNK_MAX_MS = DAY_MS

export async function tryRule(
  readSeriesData: ReadSeriesData,
  snapshot: FleetSnapshot,
  rule: AlarmRule,
  { fromMs, toMs }: TimeRange,
  registry: MetricRegistry,
): Promise<RuleTrial> {
  const inScope = Array.from(snapshot.nodes.values()).filter(({ key, serviceId }) =>
    isInScope(rule.scope, { kind: 'node', node: key, serviceId }, snapshot),
  )
  // History has no verdicts of proofs.
  const metric = registry.find(({ id }) => id === rule.condition.metric && rule.condition.test !== 'wrong')
  const tried = metric === undefined ? [] : inScope.slice(0, NODES_MAX)
  const times: number[] = []
  let answers = 0
  let exact = true
  for (const node of tried) {
    const trial = metric && createTrial(rule, metric, snapshot, node)
    if (trial === undefined) break
    for (let startMs = fromMs; startMs < toMs; startMs += trial.chunkMs) {
      const data = await readSeriesData(trial.queryOf(startMs, Math.min(toMs, startMs + trial.chunkMs)))
      exact &&= data.stepMs === 0
      trial.add(data)
    }
    times.push(...trial.raisedMs)
    answers += trial.answers()
  }
  return {
    fromMs,
    toMs,
    raised: times.length,
    raisedMs: times.toSorted((a, b) => a - b).slice(0, TIMES_MAX),
    nodes: tried.length,
    nodesInScope: inScope.length,
    answers,
    exact,
    possible: metric !== undefined,
  }
}

const ANSWERS = 'answerTime' satisfies BuiltInMetric['id']

function createTrial(rule: AlarmRule, metric: Metric, snapshot: FleetSnapshot, node: NodeLive) {
  const service = snapshot.services.get(node.serviceId)
  const everyMs = pollIntervalOf(node, service)
  const show = service === undefined ? undefined : showWith(metric, effectiveSettings(service.rules, node))
  const freshForMs = DEFAULTS.staleAfterIntervals * everyMs
  const subject = { kind: 'node', node: node.key, serviceId: node.serviceId } as const
  const kind = kindOf(metric.id, rule.condition.test)
  // History stores neither "unchanged" nor "not reported": the last answer shows which it was.
  const reportsIt = node.reading === undefined || rawOf(metric, node.reading) !== undefined
  const raisedMs: number[] = []
  let instance: Instance | undefined
  let memory: Memory | undefined
  let answers = 0
  let counted = 0

  const evaluate = (atMs: number, raw: string | undefined): void => {
    answers++
    const now = { awakeMs: atMs, wallMs: atMs, freshForMs }
    const reading = raw === undefined ? undefined : readingOf(metric, raw, show ?? String)
    const result = evaluateCondition(rule, reading, memory, now)
    memory = result.memory
    instance ??= newInstance({ id: rule.id, ruleId: rule.id, kind, subject }, now)
    const { next, transitions } = applyEvaluation(instance, rule, { ...result.evaluation, freshForMs }, now)
    instance = next
    if (transitions.some(({ name }) => name === 'raised')) raisedMs.push(next.badSinceWallMs)
  }

  return {
    raisedMs,
    answers: () => answers,
    chunkMs: Math.min(CHUNK_MAX_MS, (COLUMNS_MAX - 1) * everyMs),
    queryOf: (fromMs: number, toMs: number): SeriesQuery => ({
      node: node.key,
      fromMs,
      toMs,
      columns: COLUMNS_MAX,
      barMs: everyMs,
      maxGapMs: freshForMs,
    }),
    add: (data: SeriesData): void => {
      const raws = rawsIn(metric, data, counted, reportsIt, rule.condition.test === 'stuck')
      // Each answer has a response time.
      const { points } = lineIn(data, ANSWERS)
      for (const [index, atMs] of points.atMs.entries())
        if (!Number.isNaN(points.value[index])) evaluate(atMs, raws.at(atMs))
      counted = raws.countedUpTo(data.toMs)
    },
  }
}

/** History stores ages and gauges in their unit, and changes as counts. */
const readingOf = (metric: Metric, raw: string, show: (raw: string) => string): MetricReading => {
  const text = metric.kind === 'gauge' && metric.keep === undefined ? show(raw) : raw
  const shown = metric.kind === 'fingerprint' ? undefined : { text, value: Number(text) }
  return { metric, raw, shown, show, check: undefined }
}

/** Counters and proofs continue from the count of the previous chunk. */
function rawsIn(metric: Metric, data: SeriesData, counted: number, reportsIt: boolean, isStuck: boolean) {
  if (metric.kind === 'counter' || metric.kind === 'fingerprint') {
    const count =
      metric.kind === 'counter' ? increasesUpTo(data, metric.id, isStuck) : timesUpTo(data, metric.id)
    return {
      at: (atMs: number): string | undefined => {
        const changes = counted + count(atMs)
        return changes > 0 || reportsIt ? String(Math.round(changes)) : undefined
      },
      countedUpTo: (atMs: number): number => counted + count(atMs),
    }
  }
  const { points, exact } = lineIn(data, metric.id)
  const values = byTime(points)
  const at = (atMs: number): string | undefined => {
    const value = values.get(atMs)
    return value === undefined ? undefined : (exact.get(atMs) ?? plainText(value))
  }
  return { at, countedUpTo: () => 0 }
}

function byTime({ atMs, value }: Points): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  for (const [index, time] of atMs.entries()) {
    const one = value[index] ?? Number.NaN
    if (!Number.isNaN(one)) found.set(time, one)
  }
  return found
}

/** Call with increasing times. */
function timesUpTo(data: SeriesData, id: string): (atMs: number) => number {
  const times = seriesIn(data, 'ticks', id)?.atMs ?? new Float64Array()
  let count = 0
  return (atMs) => {
    while (count < times.length && (times[count] ?? 0) <= atMs) count++
    return count
  }
}

/** `isStuck`: includes increases while not watching. */
function increasesUpTo(data: SeriesData, id: string, isStuck: boolean): (atMs: number) => number {
  const { fromMs } = data
  const { bars = [], unwatched = [] } = seriesIn(data, 'bars', id) ?? {}
  let count = 0
  let sum = 0
  return (atMs) => {
    for (; count < bars.length && (bars[count]?.fromMs ?? 0) <= atMs; count++)
      // The first bar may overlap the previous chunk.
      if ((bars[count]?.fromMs ?? 0) >= fromMs || count > 0) sum += bars[count]?.increase ?? 0
    const unseen = isStuck ? unwatched.filter((each) => each.atMs <= atMs) : []
    return unseen.reduce((total, { increase }) => total + increase, sum)
  }
}

const plainText = (value: number): string =>
  Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(6)
