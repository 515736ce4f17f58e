import { isInScope, localOffsetMs, windowTimes } from '#alarms/maintenance-windows.ts'
import type { NodeKey } from '#fleet/live.ts'
import { toStep, without, type Summary } from '#report/summary.ts'
import type { TimeRange } from '#base/time.ts'
import type { Maintenance } from '#settings/schema.ts'
import type { Dashboard } from './dashboard.ts'
import { readLongTermSummary } from './long-term.ts'

export type MaintenanceTime = TimeRange & { readonly reason: string }

/** One node's part of a report. */
export type NodeReport = {
  readonly node: NodeKey
  /** The requested range, cut at the current time. */
  readonly range: TimeRange
  /** The range without maintenance; the figures cover only this. */
  readonly ranges: readonly TimeRange[]
  readonly maintenance: readonly MaintenanceTime[]
  /** Undefined if history could not be read; `problem` says why. */
  readonly summary: Summary | undefined
  readonly problem?: 'unreadable' | 'no-api' | { readonly detail: string }
  /** The query API's name and the length of its steps. */
  readonly api?: { readonly name: string; readonly stepMs: number }
}

type Planned = { readonly window: Maintenance; readonly times: readonly TimeRange[] }

const AT_ONCE = 4

type ReadOptions = {
  readonly nodes: readonly NodeKey[]
  readonly range: TimeRange
  readonly source: 'browser' | 'query-api'
  /** Called after each node; false stops. */
  readonly onRead: (report: NodeReport) => boolean
}

/** Reads a few nodes at a time, so that page and engine stay responsive. Resolves when all are read. */
export async function readReport(dashboard: Dashboard, options: ReadOptions): Promise<void> {
  const { wallMs } = dashboard.fleet.get()
  // A minute that is not over yet has no end.
  const toMs = Math.min(toStep(options.range.toMs), Math.floor(wallMs / 60_000) * 60_000)
  const range = { fromMs: Math.min(toMs, toStep(options.range.fromMs)), toMs }
  const planned = dashboard.configuration
    .get()
    .effective.alarms.maintenance.map((window) => ({
      window,
      times: windowTimes(window.when, range, localOffsetMs),
    }))
    .filter(({ times }) => times.length > 0)
  const waiting = options.nodes.values()
  const reader = async (): Promise<void> => {
    for (const node of waiting) {
      const report = await readNode(dashboard, node, range, planned, options.source)
      if (!options.onRead(report)) return
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, reader))
}

async function readNode(
  dashboard: Dashboard,
  node: NodeKey,
  range: TimeRange,
  planned: readonly Planned[],
  source: ReadOptions['source'],
): Promise<NodeReport> {
  const snapshot = dashboard.fleet.get()
  const serviceId = snapshot.nodes.get(node)?.serviceId
  const maintenance = planned
    .filter(
      ({ window }) =>
        serviceId !== undefined && isInScope(window.scope, { kind: 'node', serviceId, node }, snapshot),
    )
    .flatMap(({ window, times }) => times.map((time) => ({ ...time, reason: window.reason })))
    .toSorted((a, b) => a.fromMs - b.fromMs)
  const ranges = without(range, maintenance)
  const known = { node, range, ranges, maintenance }
  if (source === 'query-api') {
    const read = await readLongTermSummary(dashboard, node, range, ranges)
    if (read === undefined) return { ...known, summary: undefined, problem: 'no-api' }
    const { api } = read
    return read.summary.ok
      ? { ...known, summary: read.summary.value, api }
      : { ...known, summary: undefined, problem: { detail: read.summary.error }, api }
  }
  const summary = await dashboard.engine.readSummary({ node, ranges }).catch(() => undefined)
  return { ...known, summary, ...(summary === undefined && { problem: 'unreadable' as const }) }
}
