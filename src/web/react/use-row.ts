import { useCallback, useMemo, useSyncExternalStore, type RefCallback } from 'react'
import { stageAt, type Stage } from '#fleet/assessment.ts'
import type { AssessedNode, NodeKey, ServiceLive } from '#fleet/live.ts'
import type { Cause } from '#fleet/cause.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { useDashboard, type Dashboard } from './dashboard.ts'
import { keepText, subscribeToAll } from './ticking.tsx'
import { outOfView } from './use-in-view.ts'

export type Row = {
  readonly node: AssessedNode
  /** The node's assessment now. */
  readonly stage: Stage
  readonly service: ServiceLive
  readonly metrics: MetricRegistry
  readonly causes: readonly Cause[]
}

/** `agesMs`: the time for ages, in monotonic ms; ahead of the present while the row is out of view. */
export type AgingRow = Row & { readonly agesMs: number }

/**
 * How often ages move in a row out of view, because layout and paint of a row cost as much there. They are rounded up: an age
 * may be too high but never too low.
 */
const OUT_OF_VIEW_EVERY_MS = 10_000

/** A cell's content: a text or a few named values. Compared by value, so that an unchanged cell is not re-rendered. */
type Shown = string | boolean | undefined | Readonly<Record<string, string | boolean | undefined>>

/**
 * The content of a node's cell; undefined once the node is removed. A cell re-renders only when its content changes. Define
 * `view` outside the component to keep it stable.
 */
export const useRow = <V extends Shown>(key: NodeKey, view: (row: Row) => V): V | undefined =>
  useRead(useSource(key, view, false))

/** `useRow` for what also changes with age. */
export const useAgingRow = <V extends Shown>(key: NodeKey, view: (row: AgingRow) => V): V | undefined =>
  useRead(useSource(key, view, true))

/** Keeps a text with an age in the element that gets the ref. Many rows tick at once, so no component is rendered. */
export function useRowText(key: NodeKey, view: (row: AgingRow) => string | undefined): RefCallback<Element> {
  const { subscribe, read } = useSource(key, view, true)
  return useCallback(
    (element) => (element === null ? undefined : keepText(element, subscribe, () => read() ?? '')),
    [subscribe, read],
  )
}

type Source<V> = {
  readonly subscribe: (listener: () => void) => () => void
  readonly read: () => V | undefined
}

const useRead = <V>({ subscribe, read }: Source<V>): V | undefined =>
  useSyncExternalStore(subscribe, read, read)

function useSource<V extends Shown>(key: NodeKey, view: (row: AgingRow) => V, isAging: boolean): Source<V> {
  const { fleet, seconds, metrics } = useDashboard()
  return useMemo(
    () => rowSource({ fleet, seconds, metrics }, key, view, isAging),
    [fleet, seconds, metrics, key, view, isAging],
  )
}

function rowSource<V extends Shown>(
  { fleet, seconds, metrics }: Pick<Dashboard, 'fleet' | 'seconds' | 'metrics'>,
  key: NodeKey,
  view: (row: AgingRow) => V,
  isAging: boolean,
): Source<V> {
  let last: { readonly row: AgingRow; readonly shown: V } | undefined
  return {
    subscribe: subscribeToAll(fleet, seconds, outOfView),
    read: () => {
      const { nodes, services, causes } = fleet.get()
      const nowMs = seconds.get()
      const node = nodes.get(key)
      const service = node && services.get(node.serviceId)
      if (node === undefined || service === undefined) return undefined
      const stage = stageAt(node.assessment, nowMs)
      const everyMs = outOfView.get().has(key) ? OUT_OF_VIEW_EVERY_MS : undefined
      const agesMs = everyMs === undefined ? nowMs : Math.ceil(nowMs / everyMs) * everyMs
      if (
        last?.row.node === node &&
        last.row.service === service &&
        last.row.causes === causes &&
        last.row.stage === stage &&
        (!isAging || last.row.agesMs === agesMs)
      )
        return last.shown
      const row = { node, stage, service, metrics, causes, agesMs }
      const shown = view(row)
      last = { row, shown: last !== undefined && isSame(last.shown, shown) ? last.shown : shown }
      return last.shown
    },
  }
}

function isSame(a: Shown, b: Shown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}
