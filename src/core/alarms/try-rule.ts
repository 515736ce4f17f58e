import type { LaneData, LaneQuery, Points } from '#history/history.ts'
import { COLUMNS_MAX } from '#history/lanes.ts'
import type { FleetSnapshot, NodeKey, NodeLive } from '#fleet/live.ts'
import type { AlarmRule } from '#settings/alarm-settings.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { effectiveSettings } from '#settings/effective-settings.ts'
import type { ExactNumber } from '#record/exact-number.ts'
import { newInstance, applyEvaluation, type Instance } from './instance.ts'
import { evaluateValues, type Memory, type AnswerValues } from './operator-rules.ts'
import { isInScope } from './maintenance.ts'

export type TrialRange = { readonly fromMs: number; readonly toMs: number }

/** What a rule would have done. */
export type RuleTrial = TrialRange & {
  /** How many alarms it would have raised, and when the first 50 of them. */
  readonly raised: number
  readonly raisedMs: readonly number[]
  /** Of how many of its nodes the history was read; no more than 50 are. */
  readonly nodes: number
  readonly nodesInScope: number
  /** Answers that were judged; 0: nothing is known of that time. */
  readonly answers: number
  /** Whether every answer was judged, or for some of the time only sums of many. */
  readonly exact: boolean
  /** False: history does not hold what the rule looks at. */
  readonly possible: boolean
}

type ReadLanes = (query: LaneQuery) => Promise<LaneData>

const NODES_MAX = 50
const TIMES_MAX = 50
/** Beyond a day history is read from sums. */
const CHUNK_MAX_MS = 86_400_000

/** Tries a rule on what is known of the past: "in the last seven days this would have raised three alarms". */
export async function tryRule(
  readLanes: ReadLanes,
  snapshot: FleetSnapshot,
  rule: AlarmRule,
  { fromMs, toMs }: TrialRange,
): Promise<RuleTrial> {
  const meant = Array.from(snapshot.nodes.values()).filter(({ key, serviceId }) =>
    isInScope(rule.scope, { kind: 'node', node: key, serviceId }, snapshot),
  )
  // Which proof was right was never kept.
  const possible = rule.check.kind !== 'proof-wrong'
  const tried = possible ? meant.slice(0, NODES_MAX) : []
  const times: number[] = []
  let answers = 0
  let exact = true
  for (const node of tried) {
    const trial = createTrial(rule, snapshot, node)
    for (let startMs = fromMs; startMs < toMs; startMs += trial.chunkMs) {
      const data = await readLanes(trial.queryOf(startMs, Math.min(toMs, startMs + trial.chunkMs)))
      exact &&= data.stepMs === 0
      trial.take(data)
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
    nodesInScope: meant.length,
    answers,
    exact,
    possible,
  }
}

/** One node's past, chunk by chunk: so short that each column holds one answer. */
function createTrial(rule: AlarmRule, snapshot: FleetSnapshot, node: NodeLive) {
  const service = snapshot.services.get(node.serviceId)
  const everyMs = service?.service.pollIntervalMs ?? DEFAULTS.pollIntervalMs
  const decimals = service === undefined ? 0 : effectiveSettings(service.rules, node).stakeDecimals.value
  const freshForMs = DEFAULTS.staleAfterIntervals * everyMs
  const subject = { kind: 'node', node: node.key, serviceId: node.serviceId } as const
  const raisedMs: number[] = []
  let instance: Instance | undefined
  let memory: Memory | undefined
  let answers = 0
  let counted = { proofs: 0, threats: 0 }

  const look = (atMs: number, values: AnswerValues): void => {
    answers++
    const now = { awakeMs: atMs, wallMs: atMs }
    const judged = evaluateValues(rule, values, memory, now)
    memory = judged.memory
    const id = rule.id
    instance ??= newInstance({ id, ruleId: id, kind: rule.check.kind, subject }, now)
    const { next, transitions } = applyEvaluation(instance, rule, { ...judged.evaluation, freshForMs }, now)
    instance = next
    if (transitions.some(({ name }) => name === 'raised')) raisedMs.push(next.badSinceWallMs)
  }

  return {
    raisedMs,
    answers: () => answers,
    chunkMs: Math.min(CHUNK_MAX_MS, (COLUMNS_MAX - 1) * everyMs),
    queryOf: (fromMs: number, toMs: number): LaneQuery => queryOf(node.key, fromMs, toMs, everyMs),
    take: (data: LaneData): void => {
      const [participation, stake] = [byTime(data.participation), byTime(data.stake)]
      const proofs = timesUpTo(data.proofChanges)
      const threats = threatsUpTo(data)
      for (const [place, atMs] of data.latency.atMs.entries()) {
        const latencyMs = data.latency.value[place] ?? Number.NaN
        if (Number.isNaN(latencyMs)) continue
        const amount = stake.get(atMs)
        look(atMs, {
          participation: participation.get(atMs),
          stake:
            amount === undefined
              ? undefined
              : { text: data.stake.exact.get(atMs) ?? plainText(amount), decimals },
          proof: String(counted.proofs + proofs(atMs)),
          verdict: undefined,
          threats: exactly(counted.threats + threats(atMs)),
          latencyMs,
        })
      }
      counted = {
        proofs: counted.proofs + proofs(data.toMs),
        threats: counted.threats + threats(data.toMs),
      }
    },
  }
}

const queryOf = (node: NodeKey, fromMs: number, toMs: number, everyMs: number): LaneQuery => ({
  node,
  fromMs,
  toMs,
  columns: COLUMNS_MAX,
  barMs: everyMs,
  maxGapMs: DEFAULTS.staleAfterIntervals * everyMs,
})

function byTime({ atMs, value }: Points): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  for (const [place, time] of atMs.entries()) {
    const one = value[place] ?? Number.NaN
    if (!Number.isNaN(one)) found.set(time, one)
  }
  return found
}

/** How many of the times are no later than a moment; moments only go on. */
function timesUpTo(times: Float64Array): (atMs: number) => number {
  let count = 0
  return (atMs) => {
    while (count < times.length && (times[count] ?? 0) <= atMs) count++
    return count
  }
}

function threatsUpTo({ threats, fromMs }: LaneData): (atMs: number) => number {
  let count = 0
  let sum = 0
  return (atMs) => {
    for (; count < threats.length && (threats[count]?.fromMs ?? 0) <= atMs; count++)
      // The first bar may hold what the chunk before has counted.
      if ((threats[count]?.fromMs ?? 0) >= fromMs || count > 0) sum += threats[count]?.increase ?? 0
    return sum
  }
}

/** A double as a plain decimal. */
const plainText = (value: number): string =>
  Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(6)

const exactly = (count: number): ExactNumber => ({ text: plainText(Math.round(count)), value: count })
