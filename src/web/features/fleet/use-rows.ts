import { useCallback, useMemo, useState } from 'react'
import { classOf, isCurrentAt, stageAt } from '#fleet/assessment.ts'
import { matchesFilter, parseFilter, type FilterFacts } from '#fleet/fleet-filter.ts'
import { labelOf, NODE_COLUMN, sortValueOf, type FleetColumn } from './fleet-columns.tsx'
import type { AssessedNode, NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { serviceName } from '#record/service-name.ts'
import { alarmMarkOf } from '#alarms/alarm-marks.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { NEVER_MS, useSteps } from '#react/ticking.tsx'
import { createOrder, createRows, type Asked, type FleetRow } from './order.ts'
import type { FleetView } from './view.ts'

/** Re-sorting and re-filtering interval, because values change all the time. */
const LOOKED_EVERY_MS = 5_000

export type ShownRows = {
  readonly rows: readonly FleetRow[]
  /** Number of nodes that match the view, including hidden ones. */
  readonly count: number
}

/**
 * Recomputed only when a node's condition changes, and every 5 s if values affect the order. Cells subscribe to their own node.
 */
export function useRows(view: FleetView, columns: readonly FleetColumn[], isOpen: boolean): ShownRows {
  const { fleet, nowMs } = useDashboard()
  const states = useEvaluation((evaluation) => evaluation)
  const [order] = useState(createOrder)
  const [rowsOf] = useState(createRows)
  const { condition, q, sort, group } = view
  const accepts = useAccepts(view)
  const column = columns.find(({ id }) => id === sort?.column)
  const isStill = column?.sortBy === undefined && group === undefined && q === ''
  const lookedMs = useSteps(isStill ? NEVER_MS : LOOKED_EVERY_MS)
  return useMemo(() => {
    const now = Math.max(lookedMs, nowMs())
    const snapshot = fleet.get()
    const asked: Asked = {
      filter: condition,
      accepts: accepts(snapshot, now),
      sort: sort && {
        descending: sort.descending,
        valueOf:
          column === undefined || sort.column === NODE_COLUMN
            ? (key) => nameOf(snapshot.nodes.get(key))
            : sortValueOf(column, snapshot, now),
      },
    }
    const ordered = order(snapshot.nodes, states, asked)
    const groupOf = group === undefined ? undefined : groupingOf(group, snapshot)
    return {
      rows: rowsOf(ordered, { isOpen, isSorted: sort !== undefined, groupOf }),
      count: ordered.attention.length + ordered.rest.length,
    }
  }, [fleet, nowMs, states, order, rowsOf, condition, accepts, sort, group, column, lookedMs, isOpen])
}

const nameOf = (node: AssessedNode | undefined): string => node?.name ?? node?.nodeId ?? ''

type Accepts = (snapshot: FleetSnapshot, nowMs: number) => ((node: AssessedNode) => boolean) | undefined

function useAccepts({ tag, q }: FleetView): Accepts {
  const { metrics, alarms } = useDashboard()
  const filter = useMemo(() => (q === '' ? undefined : parseFilter(q, metrics)), [q, metrics])
  return useCallback(
    (snapshot, nowMs) => {
      if (tag === undefined && filter === undefined) return undefined
      const view = alarms.get()
      const facts: FilterFacts = {
        nowMs,
        classOf: ({ key, serviceId, assessment }) =>
          classOf(stageAt(assessment, nowMs), alarmMarkOf(view, key, serviceId) === 'quiet'),
        isCurrent: (node) => isCurrentAt(node, nowMs),
        alarmOf: ({ key, serviceId }) => alarmMarkOf(view, key, serviceId),
        serviceOf: ({ serviceId }) => {
          const service = snapshot.services.get(serviceId)
          return service === undefined ? [] : [labelOf(service), serviceName(service.service.baseUrl)]
        },
      }
      return (node) =>
        (tag === undefined || node.tags.includes(tag)) &&
        (filter === undefined || matchesFilter(filter, node, facts))
    },
    [tag, filter, alarms],
  )
}

/** By first tag (as on the map), by service, or by the value of a state metric. */
function groupingOf(group: string, { nodes, services }: FleetSnapshot): (key: NodeKey) => string | undefined {
  return (key) => {
    const node = nodes.get(key)
    if (node === undefined) return undefined
    if (group === 'tag') return node.tags[0]
    const service = services.get(node.serviceId)
    if (group === 'service') return service && labelOf(service)
    return node.assessment.values[group]?.text
  }
}
