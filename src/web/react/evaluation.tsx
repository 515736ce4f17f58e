import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { createStore, type Store } from '#base/store.ts'
import { isCurrent, stageAt, type NodeSeverity } from '#fleet/assessment.ts'
import type { NodeKey } from '#fleet/live.ts'
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

const NOTHING: Evaluation = { severities: new Map(), withoutData: new Set() }

const EvaluationContext = createContext<Store<Evaluation> | undefined>(undefined)

/** Renewed at every update and every second, since a node's assessment may have another stage by then. */
export function EvaluationProvider({ children }: { readonly children: ReactNode }) {
  const { fleet, seconds, nowMs } = useDashboard()
  const [store] = useState(() => createStore(NOTHING))
  useEffect(() => {
    const renew = (): void => store.publish(statesAt(fleet.get(), nowMs(), store.get()))
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

/** Unchanged results stay the same objects. */
function statesAt({ nodes }: FleetSnapshot, nowMs: number, before: Evaluation): Evaluation {
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
  if (hasSameSeverities && areSame) return before
  return {
    severities: hasSameSeverities ? before.severities : severities,
    withoutData: areSame ? before.withoutData : withoutData,
  }
}
