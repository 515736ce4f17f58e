import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { createStore, type Store } from '#base/store.ts'
import { isCurrent, isOverdue, stageAt, type NodeSeverity, type Stage } from '#fleet/assessment.ts'
import { pollIntervalOf, type AssessedNode, type NodeKey } from '#fleet/live.ts'
import { countedNodes, type FleetSnapshot } from '#fleet/snapshot.ts'
import { useDashboard } from './dashboard.ts'
import { useStore } from './use-fleet.ts'

/** What the fleet's state means now, for every part of the page that shows it. */
export type Evaluation = {
  /** Keeps its identity while no node's severity changes. */
  readonly severities: ReadonlyMap<NodeKey, NodeSeverity>
  /** Nodes of which no value holds now, however severe that is; identity as above. */
  readonly withoutData: ReadonlySet<NodeKey>
  /** Of those the ones whose first answer since the start is not due yet: nothing is known to be wrong with them. */
  readonly awaited: ReadonlySet<NodeKey>
  /** How many nodes are how severe, and how many have no value that holds: each node once; identity as above. */
  readonly counts: Readonly<Record<NodeSeverity | 'withoutData' | 'all', number>>
}

/** Less than anybody sees. */
const SAME_LOOK_MS = 50

const NO_COUNTS = { critical: 0, warning: 0, info: 0, 'no-data': 0, ok: 0, withoutData: 0, all: 0 }
const NOTHING: Evaluation = {
  severities: new Map(),
  withoutData: new Set(),
  awaited: new Set(),
  counts: NO_COUNTS,
}

const EvaluationContext = createContext<Store<Evaluation> | undefined>(undefined)

/** Renewed at every update and every second, since a node's assessment may have another stage by then. */
export function EvaluationProvider({ children }: { readonly children: ReactNode }) {
  const { fleet, seconds, nowMs } = useDashboard()
  const [store] = useState(() => createStore(NOTHING))
  useEffect(() => {
    let last: { readonly snapshot: FleetSnapshot; readonly atMs: number } | undefined
    const renew = (): void => {
      const [snapshot, atMs] = [fleet.get(), nowMs()]
      // With an update comes its second: one look is for both.
      if (last?.snapshot === snapshot && atMs >= last.atMs && atMs - last.atMs < SAME_LOOK_MS) return
      last = { snapshot, atMs }
      store.publish(statesAt(snapshot, atMs, store.get()))
    }
    renew()
    const ends = [fleet.subscribe(renew), seconds.subscribe(renew)]
    return () => ends.forEach((end) => end())
  }, [fleet, seconds, nowMs, store])
  return <EvaluationContext value={store}>{children}</EvaluationContext>
}

export function useEvaluation<S>(select: (evaluation: Evaluation) => S): S {
  const store = use(EvaluationContext)
  if (store === undefined) throw new Error('no EvaluationProvider around this component')
  return useStore(store, select)
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

/** Unchanged results stay the same objects; nothing is made while nothing changes. */
function statesAt({ nodes, services }: FleetSnapshot, nowMs: number, before: Evaluation): Evaluation {
  // Read inside: a value that can't even be read is one bad value too.
  const stageOf = (node: AssessedNode) => guarded(() => stageAt(node.assessment, nowMs), undefined)
  const isAwaited = (node: AssessedNode, stage: Stage | undefined): boolean =>
    stage?.link === 'never' && !isOverdue(node, pollIntervalOf(node, services.get(node.serviceId)), nowMs)
  let hasSameSeverities = nodes.size === before.severities.size
  const without = { isSame: true, count: 0 }
  const awaited = { isSame: true, count: 0 }
  const counted = countedNodes({ nodes, services })
  const counts = { ...NO_COUNTS, all: counted.size }
  for (const [key, node] of nodes) {
    const stage = stageOf(node)
    hasSameSeverities &&= before.severities.get(key) === severityIn(stage)
    compare(without, lacksData(stage), before.withoutData.has(key))
    compare(awaited, isAwaited(node, stage), before.awaited.has(key))
    if (!counted.has(key)) continue
    counts[severityIn(stage)]++
    if (lacksData(stage)) counts.withoutData++
  }
  const areSame = without.isSame && without.count === before.withoutData.size
  const hasSameAwaited = awaited.isSame && awaited.count === before.awaited.size
  const hasSameCounts = JSON.stringify(counts) === JSON.stringify(before.counts)
  if (hasSameSeverities && areSame && hasSameAwaited && hasSameCounts) return before
  const stages = Array.from(nodes.values(), (node) => ({ node, stage: stageOf(node) }))
  const those = (are: (node: AssessedNode, stage: Stage | undefined) => boolean): ReadonlySet<NodeKey> =>
    new Set(stages.flatMap(({ node, stage }) => (are(node, stage) ? node.key : [])))
  return {
    severities: hasSameSeverities
      ? before.severities
      : new Map(stages.map(({ node, stage }) => [node.key, severityIn(stage)])),
    withoutData: areSame ? before.withoutData : those((_, stage) => lacksData(stage)),
    awaited: hasSameAwaited ? before.awaited : those(isAwaited),
    counts: hasSameCounts ? before.counts : counts,
  }
}

type Compared = { isSame: boolean; count: number }

function compare(compared: Compared, is: boolean, was: boolean): void {
  compared.isSame &&= is === was
  if (is) compared.count++
}

const severityIn = (stage: Stage | undefined): NodeSeverity => stage?.severity ?? 'no-data'
const lacksData = (stage: Stage | undefined): boolean => stage === undefined || !isCurrent(stage.link)
