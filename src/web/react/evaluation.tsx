import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { createStore, type Store } from '#base/store.ts'
import type { Cause } from '#fleet/cause.ts'
import { isCurrent, stageAt, type NodeSeverity } from '#fleet/assessment.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { useDashboard } from './dashboard.ts'
import { useStore } from './use-fleet.ts'

/** What the fleet's state means now, for every part of the page that shows it. */
export type Evaluation = {
  /** Keeps its identity while no node's severity changes. */
  readonly severities: ReadonlyMap<NodeKey, NodeSeverity>
  /** Nodes of which no value holds now, however severe that is; identity as above. */
  readonly withoutData: ReadonlySet<NodeKey>
  /** Keeps its identity while no cause changes; what ticks in it is told from its times. */
  readonly causes: readonly Cause[]
}

type CausesOf = typeof import('#evaluate/causes.ts').causesOf

let causesOf: CausesOf = () => []

/** Finding causes takes more code than a first status, so it comes after that. Resolves when it is here. */
export async function fetchCauses(): Promise<void> {
  causesOf = (await import('#evaluate/causes.ts')).causesOf
}

const NOTHING: Evaluation = { severities: new Map(), withoutData: new Set(), causes: [] }

const EvaluationContext = createContext<Store<Evaluation> | undefined>(undefined)

/** Renewed at every update and every second, since a node's assessment may have another stage by then. */
export function EvaluationProvider({ children }: { readonly children: ReactNode }) {
  const { fleet, seconds, nowMs, metrics } = useDashboard()
  const [store] = useState(() => createStore(NOTHING))
  useEffect(() => {
    const evaluate = createEvaluator(metrics)
    const renew = (isTick: boolean): void => store.publish(evaluate(fleet.get(), nowMs(), isTick))
    renew(true)
    // Where it can't be had, the start-up says so for all parts that come late.
    fetchCauses().then(
      () => renew(true),
      () => undefined,
    )
    const ends = [fleet.subscribe(() => renew(false)), seconds.subscribe(() => renew(true))]
    return () => ends.forEach((end) => end())
  }, [fleet, seconds, nowMs, metrics, store])
  return <EvaluationContext value={store}>{children}</EvaluationContext>
}

export function useEvaluation<S>(select: (evaluation: Evaluation) => S): S {
  const store = use(EvaluationContext)
  if (store === undefined) throw new Error('no EvaluationProvider around this component')
  return useStore(store, select)
}

/** Unchanged results stay the same objects. Causes are looked for at each tick, and between two only when an update may bring one. */
function createEvaluator(
  metrics: MetricRegistry,
): (fleet: FleetSnapshot, nowMs: number, isTick: boolean) => Evaluation {
  let before: FleetSnapshot | undefined
  let last = NOTHING
  return (fleet, nowMs, isTick) => {
    const { severities, withoutData } = statesAt(fleet, nowMs, last)
    const isSame = severities === last.severities && withoutData === last.withoutData
    const mayHaveCauses = isTick || !isSame || guarded(() => mayBringCauses(before, fleet), true)
    before = fleet
    const causes = mayHaveCauses ? guarded(() => causesOf(fleet, nowMs, metrics), last.causes) : last.causes
    const hasSameCauses = causes === last.causes || signatureOf(causes) === signatureOf(last.causes)
    if (!isSame || !hasSameCauses)
      last = { severities, withoutData, causes: hasSameCauses ? last.causes : causes }
    return last
  }
}

/** One bad value must not take the page away: the error is told as such, which is an alarm of this screen. */
function guarded<T>(evaluate: () => T, otherwise: T): T {
  try {
    return evaluate()
  } catch (error) {
    reportError(error)
    return otherwise
  }
}

function statesAt(
  { nodes }: FleetSnapshot,
  nowMs: number,
  before: Evaluation,
): Pick<Evaluation, 'severities' | 'withoutData'> {
  const severities = new Map<NodeKey, NodeSeverity>()
  const withoutData = new Set<NodeKey>()
  for (const [key, node] of nodes) {
    const stage = guarded(() => stageAt(node.assessment, nowMs), undefined)
    severities.set(key, stage?.severity ?? 'no-data')
    if (stage === undefined || !isCurrent(stage.link)) withoutData.add(key)
  }
  const hasSameSeverities =
    severities.size === before.severities.size &&
    Array.from(severities).every(([key, severity]) => before.severities.get(key) === severity)
  const areSame =
    withoutData.size === before.withoutData.size &&
    Array.from(withoutData).every((key) => before.withoutData.has(key))
  return {
    severities: hasSameSeverities ? before.severities : severities,
    withoutData: areSame ? before.withoutData : withoutData,
  }
}

/** Another service, or another failure of a node. */
function mayBringCauses(before: FleetSnapshot | undefined, { nodes, services }: FleetSnapshot): boolean {
  if (before?.services !== services) return true
  for (const [key, node] of nodes) {
    const known = before.nodes.get(key)
    if (known !== node && (known?.episode ?? node.episode) !== undefined) return true
  }
  return false
}

/** Everything that is shown of the causes, but for the names of thousands of nodes. */
const signatureOf = (causes: readonly Cause[]): string =>
  JSON.stringify(causes.map(({ nodes, ...rest }) => [rest, nodes.length, nodes[0], nodes.at(-1)]))
