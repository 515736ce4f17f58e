import { useMemo } from 'react'
import { groupBy } from '#base/group-by.ts'
import { isCurrentAt, type NodeClass } from '#fleet/assessment.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { valueNow, type AssessedNode, type NodeKey, type NodeLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useSteps } from '#react/ticking.tsx'
import { levelOf } from './severity.ts'
import type { MosaicGroup } from '#ui/mosaic.tsx'

export function figuresOf(metrics: MetricRegistry, nodes: Iterable<AssessedNode>, nowMs: number) {
  const current = Array.from(nodes).filter((node) => isCurrentAt(node, nowMs))
  return {
    /**
     * Metrics with a figure over all nodes that have a current value. Not weighted by stake, because each service has its own
     * unit of stake.
     */
    metrics: metrics.flatMap((metric) => {
      const { heading, of } = metric.wall?.fleet ?? {}
      if (heading === undefined) return []
      const known = current.flatMap((node) => valueNow(node, metric, nowMs)?.value ?? [])
      const sum = known.reduce((all, one) => (of === 'max' ? Math.max(all, one) : all + one), 0)
      const value = of === 'max' ? sum : sum / known.length
      return [{ metric, heading, value: known.length === 0 ? undefined : { text: String(value), value } }]
    }),
    answered: current.length,
  }
}

/** Time between counts over thousands of nodes while no class changes. An outdated value may count for that long. */
export const COUNTED_EVERY_MS = 2_000

/** Counts the fleet again after `COUNTED_EVERY_MS`, or when the class of a node changes, so that all counts agree. */
export function useCounted<T>(count: (fleet: FleetSnapshot, nowMs: number, metrics: MetricRegistry) => T): T {
  const { fleet, metrics, nowMs } = useDashboard()
  const stepMs = useSteps(COUNTED_EVERY_MS)
  const classes = useEvaluation((evaluation) => evaluation.classes)
  return useMemo(
    () => count(fleet.get(), Math.max(stepMs, nowMs()), metrics),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- The nodes are counted again when their classes change.
    [count, fleet, metrics, nowMs, stepMs, classes],
  )
}

/** Caches the layout until a node is added, removed, renamed or retagged. */
export function createPlaces(): (nodes: ReadonlyMap<NodeKey, NodeLive>) => readonly (readonly NodeKey[])[] {
  let signature: string | undefined
  let places: readonly (readonly NodeKey[])[] = []
  return (nodes) => {
    const now = Array.from(nodes.values(), ({ key, name, tags }) => [key, name, tags[0]].join(' ')).join('\n')
    if (now !== signature) places = placesOf(nodes)
    signature = now
    return places
  }
}

/** More groups are not recognizable as groups. */
const GROUPS_MAX = 12

const byName = new Intl.Collator('en', { numeric: true })

/** A fixed position for every node: grouped by first tag, then sorted by name. */
export function placesOf(nodes: ReadonlyMap<NodeKey, NodeLive>): readonly (readonly NodeKey[])[] {
  const groups = groupBy(nodes.values(), ({ tags }) => tags[0] ?? '')
  const ordered = Array.from(groups).toSorted(([a], [b]) => byName.compare(a, b))
  const lists = ordered.map(([, group]) => group)
  return (lists.length > GROUPS_MAX ? [lists.flat()] : lists).map((group) =>
    group.toSorted((a, b) => byName.compare(nameOf(a), nameOf(b))).map(({ key }) => key),
  )
}

const nameOf = ({ name, nodeId, key }: NodeLive): string => name ?? nodeId ?? key

export const cellsOf = (
  places: readonly (readonly NodeKey[])[],
  severities: ReadonlyMap<NodeKey, NodeClass>,
): readonly MosaicGroup[] =>
  places.map((group, place) => ({
    id: String(place),
    cells: group.map((key) => levelOf(severities.get(key) ?? 'no-data')),
  }))
