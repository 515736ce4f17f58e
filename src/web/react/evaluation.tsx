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
import { useStore } from './use-fleet.ts'

/** What the fleet's state means now, for every part of the page that shows it. */
export type Evaluation = {
  /** Keeps its identity while no node's class changes. */
  readonly classes: ReadonlyMap<NodeKey, NodeClass>
  /** Nodes whose first answer since the start is not due yet: nothing is known to be wrong with them. Identity as above. */
  readonly awaited: ReadonlySet<NodeKey>
  /** Each node once; identity as above. */
  readonly counts: ClassCounts
}

/** Less than anybody sees. */
const SAME_LOOK_MS = 50

const NOTHING: Evaluation = { classes: new Map(), awaited: new Set(), counts: NO_COUNTS }

const EvaluationContext = createContext<Store<Evaluation> | undefined>(undefined)

/** Renewed at every update and every second, since a node's assessment may have another stage by then. */
export function EvaluationProvider({ children }: { readonly children: ReactNode }) {
  const { fleet, alarms, seconds, nowMs } = useDashboard()
  const [store] = useState(() => createStore(NOTHING))
  useEffect(() => {
    let last:
      | { readonly snapshot: FleetSnapshot; readonly view: AlarmsView | undefined; readonly atMs: number }
      | undefined
    const renew = (): void => {
      const [snapshot, view, atMs] = [fleet.get(), alarms.get(), nowMs()]
      // With an update comes its second: one look is for both.
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
    const ends = [fleet.subscribe(renew), alarms.subscribe(renew), seconds.subscribe(renew)]
    return () => ends.forEach((end) => end())
  }, [fleet, alarms, seconds, nowMs, store])
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
function statesAt(
  { nodes, services }: FleetSnapshot,
  view: AlarmsView | undefined,
  nowMs: number,
  before: Evaluation,
): Evaluation {
  // Read inside: a value that can't even be read is one bad value too.
  const stageOf = (node: AssessedNode) => guarded(() => stageAt(node.assessment, nowMs), undefined)
  const classNow = (node: AssessedNode): NodeClass =>
    classOf(stageOf(node), alarmMarkOf(view, node.key, node.serviceId) === 'quiet')
  const isAwaited = (node: AssessedNode): boolean =>
    stageOf(node)?.link === 'never' &&
    !isOverdue(node, pollIntervalOf(node, services.get(node.serviceId)), nowMs)
  let hasSameClasses = nodes.size === before.classes.size
  let awaitedCount = 0
  let hasSameAwaited = true
  for (const [key, node] of nodes) {
    hasSameClasses &&= before.classes.get(key) === classNow(node)
    const isWaiting = isAwaited(node)
    hasSameAwaited &&= isWaiting === before.awaited.has(key)
    if (isWaiting) awaitedCount++
  }
  hasSameAwaited &&= awaitedCount === before.awaited.size
  const counted = countedNodes({ nodes, services })
  if (hasSameClasses && hasSameAwaited && counted.size === before.counts.all) return before
  const all = Array.from(nodes.values())
  return {
    classes: hasSameClasses ? before.classes : new Map(all.map((node) => [node.key, classNow(node)])),
    awaited: hasSameAwaited ? before.awaited : new Set(all.filter(isAwaited).map(({ key }) => key)),
    counts: countClasses(Array.from(counted.values(), classNow)),
  }
}
