import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { createStore, type Store } from '#base/store.ts'
import type { Cause } from '#evaluate/causes.ts'
import { conditionOf, type Condition } from '#evaluate/condition.ts'
import type { FleetSnapshot, NodeKey, NodeLive } from '#fleet/live.ts'
import { useDashboard } from './dashboard.ts'
import { useStore } from './use-store.ts'

export type Loudness = Condition['severity']

/** What the fleet's state means, judged once for every part of the page that shows it. */
export type Judgement = {
  /** Keeps its identity while no node's condition changes. */
  readonly loudness: ReadonlyMap<NodeKey, Loudness>
  /** Keeps its identity while no cause changes; what ticks in it is told from its times. */
  readonly causes: readonly Cause[]
}

type CausesOf = typeof import('#evaluate/causes.ts').causesOf

let causesOf: CausesOf = () => []

/** Finding causes takes more code than a first status, so it comes after that. Resolves when it is here. */
export async function fetchCauses(): Promise<void> {
  causesOf = (await import('#evaluate/causes.ts')).causesOf
}

const NOTHING: Judgement = { loudness: new Map(), causes: [] }

const JudgementContext = createContext<Store<Judgement> | undefined>(undefined)

/** Judges at every update and every second, since a node may become old without any update. */
export function JudgementProvider({ children }: { readonly children: ReactNode }) {
  const { fleet, seconds, nowMs } = useDashboard()
  const [store] = useState(() => createStore(NOTHING))
  useEffect(() => {
    const judge = createJudge()
    const renew = (isTick: boolean): void => store.publish(judge(fleet.get(), nowMs(), isTick))
    renew(true)
    // Where it can't be had, the start-up says so for all parts that come late.
    fetchCauses().then(
      () => renew(true),
      () => undefined,
    )
    const ends = [fleet.subscribe(() => renew(false)), seconds.subscribe(() => renew(true))]
    return () => ends.forEach((end) => end())
  }, [fleet, seconds, nowMs, store])
  return <JudgementContext value={store}>{children}</JudgementContext>
}

export function useJudgement<S>(select: (judgement: Judgement) => S): S {
  const store = use(JudgementContext)
  if (store === undefined) throw new Error('no JudgementProvider around this component')
  return useStore(store, select)
}

type Judged = { readonly node: NodeLive; readonly atMs: number; readonly loudness: Loudness }

/** A node that did not change is judged anew this often: its readings only grow older. */
const againAfterMs = (nodes: number): number => Math.max(1_000, nodes)

/**
 * Remembers what it judged, so that 20,000 nodes cost little and unchanged results stay the
 * same objects. Causes are looked for at each tick, and between two only when an update may bring one.
 */
function createJudge(): (fleet: FleetSnapshot, nowMs: number, isTick: boolean) => Judgement {
  let judged = new Map<NodeKey, Judged>()
  let services: FleetSnapshot['services'] | undefined
  let last = NOTHING
  return (fleet, nowMs, isTick) => {
    const next = new Map<NodeKey, Judged>()
    const againMs = againAfterMs(fleet.nodes.size)
    let changed = judged.size !== fleet.nodes.size
    let stirred = isTick || fleet.services !== services
    for (const [key, node] of fleet.nodes) {
      const before = judged.get(key)
      const isFresh = before !== undefined && before.node === node && nowMs - before.atMs < againMs
      const now = isFresh ? before : { node, atMs: nowMs, loudness: loudnessOf(fleet, node, nowMs) }
      if (before?.loudness !== now.loudness) changed = true
      if (before !== now && (before?.node.episode ?? node.episode) !== undefined) stirred = true
      next.set(key, now)
    }
    judged = next
    services = fleet.services
    const causes = changed || stirred ? causesOf(fleet, nowMs) : last.causes
    const sameCauses = causes === last.causes || signatureOf(causes) === signatureOf(last.causes)
    if (!changed && sameCauses) return last
    last = {
      loudness: changed ? new Map(Array.from(next, ([key, { loudness }]) => [key, loudness])) : last.loudness,
      causes: sameCauses ? last.causes : causes,
    }
    return last
  }
}

/** Everything that is shown of the causes, but for the names of thousands of nodes. */
const signatureOf = (causes: readonly Cause[]): string =>
  JSON.stringify(causes.map(({ nodes, ...rest }) => [rest, nodes.length, nodes[0], nodes.at(-1)]))

function loudnessOf(fleet: FleetSnapshot, node: NodeLive, nowMs: number): Loudness {
  const service = fleet.services.get(node.serviceId)
  return service === undefined ? 'no-data' : conditionOf(node, nowMs, service).severity
}
