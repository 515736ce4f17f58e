import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { createStore, type Store } from '#base/store.ts'
import { isCurrent, stageAt, type NodeSeverity, type Stage } from '#fleet/assessment.ts'
import type { AssessedNode, NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { useDashboard } from './dashboard.ts'
import { useStore } from './use-fleet.ts'

/** What the fleet's state means now, for every part of the page that shows it. */
export type Evaluation = {
  /** Keeps its identity while no node's severity changes. */
  readonly severities: ReadonlyMap<NodeKey, NodeSeverity>
  /** Nodes of which no value holds now, however severe that is; identity as above. */
  readonly withoutData: ReadonlySet<NodeKey>
}

/** Less than anybody sees. */
const SAME_LOOK_MS = 50

const NOTHING: Evaluation = { severities: new Map(), withoutData: new Set() }

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
function statesAt({ nodes }: FleetSnapshot, nowMs: number, before: Evaluation): Evaluation {
  // Read inside: a value that can't even be read is one bad value too.
  const stageOf = (node: AssessedNode) => guarded(() => stageAt(node.assessment, nowMs), undefined)
  let hasSameSeverities = nodes.size === before.severities.size
  let areSame = true
  let without = 0
  for (const [key, node] of nodes) {
    const stage = stageOf(node)
    hasSameSeverities &&= before.severities.get(key) === severityIn(stage)
    areSame &&= before.withoutData.has(key) === lacksData(stage)
    if (lacksData(stage)) without++
  }
  areSame &&= without === before.withoutData.size
  if (hasSameSeverities && areSame) return before
  const stages = Array.from(nodes, ([key, node]) => [key, stageOf(node)] as const)
  return {
    severities: hasSameSeverities
      ? before.severities
      : new Map(stages.map(([key, stage]) => [key, severityIn(stage)])),
    withoutData: areSame
      ? before.withoutData
      : new Set(stages.flatMap(([key, stage]) => (lacksData(stage) ? key : []))),
  }
}

const severityIn = (stage: Stage | undefined): NodeSeverity => stage?.severity ?? 'no-data'
const lacksData = (stage: Stage | undefined): boolean => stage === undefined || !isCurrent(stage.link)
