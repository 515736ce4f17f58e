import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { createStore, type Store } from '#base/store.ts'
import type { AlarmsView } from '#alarms/alarm.ts'
import { alarmMarkOf } from '#alarms/alarm-marks.ts'
import {
  classOf,
  countClasses,
  isOverdue,
  NO_COUNTS,
  stageAt,
  type ClassCounts,
  type NodeClass,
} from '#fleet/assessment.ts'
import { pollIntervalOf, type AssessedNode, type NodeKey } from '#fleet/live.ts'
import { countedNodes, type FleetSnapshot } from '#fleet/snapshot.ts'
import { useDashboard } from './dashboard.ts'
import { subscribeToAll } from './ticking.tsx'
import { useStore } from './use-fleet.ts'

export type Evaluation = {
  /** Same object while no node's class changes. */
  readonly classes: ReadonlyMap<NodeKey, NodeClass>
  /** Nodes whose first answer since the start is not due yet. Same object while unchanged. */
  readonly awaited: ReadonlySet<NodeKey>
  /** Counts each node once. Same object while unchanged. */
  readonly counts: ClassCounts
}

/** Shorter than a reader can notice. */
const SAME_LOOK_MS = 50

const NOTHING: Evaluation = { classes: new Map(), awaited: new Set(), counts: NO_COUNTS }

const EvaluationContext = createContext<Store<Evaluation> | undefined>(undefined)

/** Re-evaluates on every update and every second, because the stage of an assessment changes with time. */
export function EvaluationProvider({ children }: { readonly children: ReactNode }) {
  const { fleet, alarms, seconds, nowMs } = useDashboard()
  const [store] = useState(() => createStore(NOTHING))
  useEffect(() => {
    let last:
      | { readonly snapshot: FleetSnapshot; readonly view: AlarmsView | undefined; readonly atMs: number }
      | undefined
    const renew = (): void => {
      const [snapshot, view, atMs] = [fleet.get(), alarms.get(), nowMs()]
      // An update and its tick arrive together and need a single evaluation.
      if (
        last?.snapshot === snapshot &&
        last.view === view &&
        atMs >= last.atMs &&
        atMs - last.atMs < SAME_LOOK_MS
      )
        return
      last = { snapshot, view, atMs }
      store.publish(statesAt(snapshot, view, atMs, store.get()))
    }
    renew()
    return subscribeToAll(fleet, alarms, seconds)(renew)
  }, [fleet, alarms, seconds, nowMs, store])
  return <EvaluationContext value={store}>{children}</EvaluationContext>
}

export function useEvaluation<S>(select: (evaluation: Evaluation) => S): S {
  const store = use(EvaluationContext)
  if (store === undefined) throw new Error('no EvaluationProvider around this component')
  return useStore(store, select)
}

/** Contains errors of a single bad value. The error is reported, which raises an alarm of the dashboard. */
function guarded<T>(evaluate: () => T, otherwise: T): T {
  try {
    return evaluate()
  } catch (error) {
    reportError(error)
    return otherwise
  }
}

/** Reuses unchanged results, so that nothing is drawn while nothing changes. */
function statesAt(
  { nodes, services }: FleetSnapshot,
  view: AlarmsView | undefined,
  nowMs: number,
  before: Evaluation,
): Evaluation {
  // Inside the guard, because merely reading a bad value may throw.
  const stageOf = (node: AssessedNode) => guarded(() => stageAt(node.assessment, nowMs), undefined)
  const classNow = (node: AssessedNode): NodeClass =>
    classOf(stageOf(node), alarmMarkOf(view, node.key, node.serviceId) === 'quiet')
  const isAwaited = (node: AssessedNode): boolean =>
    stageOf(node)?.link === 'never' &&
    !isOverdue(node, pollIntervalOf(node, services.get(node.serviceId)), nowMs)
  const all = Array.from(nodes.values())
  const classes = new Map(all.map((node) => [node.key, classNow(node)]))
  const awaited = new Set(all.filter(isAwaited).map(({ key }) => key))
  const hasSameClasses =
    classes.size === before.classes.size &&
    all.every(({ key }) => classes.get(key) === before.classes.get(key))
  const hasSameAwaited =
    awaited.size === before.awaited.size &&
    all.every(({ key }) => awaited.has(key) === before.awaited.has(key))
  const counted = countedNodes({ nodes, services })
  if (hasSameClasses && hasSameAwaited && counted.size === before.counts.all) return before
  return {
    classes: hasSameClasses ? before.classes : classes,
    awaited: hasSameAwaited ? before.awaited : awaited,
    counts: countClasses(Array.from(counted.values(), classNow)),
  }
}
