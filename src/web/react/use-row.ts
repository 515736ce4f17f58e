import { useMemo, useSyncExternalStore } from 'react'
import type { AssessedNode, NodeKey, ServiceLive } from '#fleet/live.ts'
import type { Cause } from '#fleet/cause.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { useDashboard, type Dashboard } from './dashboard.ts'
import { subscribeToAll } from './ticking.tsx'
import { outOfView } from './use-in-view.ts'

export type Row = {
  readonly node: AssessedNode
  readonly service: ServiceLive
  readonly metrics: MetricRegistry
  readonly causes: readonly Cause[]
  /** The time for ages, in monotonic ms; ahead of the present while the row is out of view. */
  readonly agesMs: number
}

/**
 * How often ages move in a row out of view, because layout and paint of a row cost as much there. They are rounded up: an age
 * may be too high but never too low.
 */
const OUT_OF_VIEW_EVERY_MS = 10_000

/** A cell's content: a text or a few named values. Compared by value, so that an unchanged cell is not re-rendered. */
type Shown = string | undefined | Readonly<Record<string, string | boolean | undefined>>

/**
 * The content of a node's cell; undefined once the node is removed. Many rows tick at once, so a cell re-renders only when its
 * content changes. Define `view` outside the component to keep it stable.
 */
export function useRow<V extends Shown>(key: NodeKey, view: (row: Row, nowMs: number) => V): V | undefined {
  const { fleet, seconds, metrics } = useDashboard()
  const { subscribe, read } = useMemo(
    () => rowSource({ fleet, seconds, metrics }, key, view),
    [fleet, seconds, metrics, key, view],
  )
  return useSyncExternalStore(subscribe, read, read)
}

function rowSource<V extends Shown>(
  { fleet, seconds, metrics }: Pick<Dashboard, 'fleet' | 'seconds' | 'metrics'>,
  key: NodeKey,
  view: (row: Row, nowMs: number) => V,
) {
  let last: { readonly row: Row; readonly nowMs: number; readonly shown: V } | undefined
  return {
    subscribe: subscribeToAll(fleet, seconds, outOfView),
    read: (): V | undefined => {
      const snapshot = fleet.get()
      const nowMs = seconds.get()
      const node = snapshot.nodes.get(key)
      const service = node === undefined ? undefined : snapshot.services.get(node.serviceId)
      if (node === undefined || service === undefined) return undefined
      const { causes } = snapshot
      const everyMs = outOfView.get().has(key) ? OUT_OF_VIEW_EVERY_MS : undefined
      const agesMs = everyMs === undefined ? nowMs : Math.ceil(nowMs / everyMs) * everyMs
      if (
        last?.row.node === node &&
        last.row.service === service &&
        last.row.causes === causes &&
        last.row.agesMs === agesMs &&
        last.nowMs === nowMs
      )
        return last.shown
      const row = { node, service, metrics, causes, agesMs }
      const shown = view(row, nowMs)
      last = { row, nowMs, shown: last !== undefined && isSame(last.shown, shown) ? last.shown : shown }
      return last.shown
    },
  }
}

function isSame(a: Shown, b: Shown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}
