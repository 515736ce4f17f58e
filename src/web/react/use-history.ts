import { HOUR_MS, type TimeRange } from '#base/time.ts'
import type { Exchange } from '#engine/bridge.ts'
import type { KeptEntry } from '#history/event-log.ts'
import type { HistoryStatus } from '#history/history-status.ts'
import { maxGapMsOf } from '#history/series.ts'
import type { SeriesData, SeriesQuery, Usual } from '#charts/charts.ts'
import { pollIntervalOf, type AssessedNode, type NodeKey, type ServiceLive } from '#fleet/live.ts'
import type { NetworkSeries } from '#fleet/network-metrics.ts'
import { useDashboard } from './dashboard.ts'
import { NETWORK_COLUMNS, useJoined, useJoinedNetwork, useLongTermFrom, type NodeQuery } from './long-term.ts'
import { previousOf, useRead } from './reads.ts'
import { useFleet, useNode, useServiceOf, useStore } from './use-fleet.ts'

/** History queries never wait for the network, because the engine runs on this computer. */
const READ = { gcTime: 60_000 } as const

/**
 * A node's series for a range, read again when `revision` changes; undefined until loaded. `longTerm` describes the source if a
 * query API covers the node.
 */
export function useSeriesData(asked: Omit<NodeQuery, 'maxGapMs'>, revision: number) {
  const { engine } = useDashboard()
  const node = useNode(asked.node)
  const query = { ...asked, maxGapMs: nodeGapMs(node, useServiceOf(node)) }
  const { data, isError } = useRead({
    ...READ,
    queryKey: ['series', query.node, query, revision],
    queryFn: () => engine.readSeriesData(query),
    placeholderData: previousOf(query.node),
    structuralSharing: false, // Comparing typed arrays costs more than drawing them.
  })
  return { failed: isError, ...useJoined(query, data) }
}

/** A longer time without an answer is a gap, ms. */
export const nodeGapMs = (
  node: AssessedNode | undefined,
  service: Pick<ServiceLive, 'service'> | undefined,
): number => maxGapMsOf(pollIntervalOf(node ?? {}, service))

/**
 * When the node was first watched by this browser or a collector, in Unix ms. Until that is known, the start of any history.
 */
export function useWatchedFrom(node: NodeKey): number {
  const { engine, fleet, history } = useDashboard()
  const sessionMs = useFleet((snapshot) => snapshot.screen.startedWallMs)
  // Stored history is older than this tab.
  const keptMs = useStore(history, oldestOf)
  const oldestMs = Math.min(sessionMs, keptMs)
  const isPolled = useFleet(
    ({ nodes }) => (nodes.get(node)?.answered ?? 0) + (nodes.get(node)?.failed ?? 0) > 0,
  )
  const { data } = useRead({
    ...READ,
    queryKey: ['watched from', node, oldestMs, isPolled],
    queryFn: () => watchedFrom(engine.readSeriesData, node, oldestMs, fleet.get().wallMs),
    enabled: Number.isFinite(oldestMs),
  })
  const { data: longTermMs } = useLongTermFrom(node)
  return Math.min(data ?? oldestMs, longTermMs ?? Number.POSITIVE_INFINITY)
}

const oldestOf = (status: HistoryStatus | undefined): number =>
  Math.min(...Object.values(status?.reach ?? {}).map((atMs) => atMs ?? Number.POSITIVE_INFINITY))

/** Number of columns of each search step; the next step searches one of them. */
const LOOK_COLUMNS = 1_000
const LOOKS_MAX = 4

/** Narrows down the start of a node's history to about a second; null if it has none. */
export async function watchedFrom(
  readSeriesData: (query: SeriesQuery) => Promise<SeriesData>,
  node: NodeKey,
  oldestMs: number,
  nowMs: number,
): Promise<number | null> {
  let [fromMs, toMs] = [oldestMs, nowMs]
  for (let look = 0; look < LOOKS_MAX && toMs > fromMs; look++) {
    const spanMs = toMs - fromMs
    const { spans, stepMs } = await readSeriesData({
      node,
      fromMs,
      toMs,
      columns: LOOK_COLUMNS,
      barMs: spanMs,
      maxGapMs: spanMs,
    })
    const [first] = spans
    if (first?.kind !== 'not-watched') return fromMs
    // The first answer lies within one column, or within one rollup step if that is wider.
    const columnMs = Math.max(stepMs, spanMs / LOOK_COLUMNS)
    const beganMs = first.toMs
    if (beganMs >= toMs) return look === 0 ? null : beganMs
    fromMs = Math.max(fromMs, beganMs - columnMs)
    toMs = Math.min(toMs, beganMs + columnMs)
    if (columnMs <= 1_000) return beganMs
  }
  return fromMs
}

/** Refresh interval; the usual range changes slowly. */
const USUAL_EVERY_MS = 300_000

/** Usual ranges of the last seven days; empty until known. */
export function useUsual(node: NodeKey, nowMs: number, barMs: number): Usual {
  const { engine } = useDashboard()
  const toMs = Math.floor(nowMs / USUAL_EVERY_MS) * USUAL_EVERY_MS
  const { data } = useRead({
    ...READ,
    queryKey: ['usual', node, barMs, toMs],
    queryFn: () => engine.readUsual({ node, toMs, barMs }),
    placeholderData: previousOf(node, barMs),
    structuralSharing: false,
  })
  return data ?? NOTHING_USUAL
}

const NOTHING_USUAL: Usual = {}

/** Notes about these nodes, or about no node, in a range and slightly outside it; newest first. */
export const useNotes = (nodes: readonly NodeKey[], range: TimeRange): readonly KeptEntry[] =>
  useEntries(undefined, range, NOTES).filter(
    ({ what, nodeKey }) =>
      what === 'note' && (nodeKey === undefined || nodes.some((node) => node === nodeKey)),
  )

/** A node's alarm entries in a range and before it, newest first. */
export const useAlarmEntries = (nodeKey: NodeKey, { fromMs, toMs }: TimeRange): readonly KeptEntry[] =>
  useEntries(nodeKey, { fromMs: fromMs - RAISED_BEFORE_MS, toMs }, ALARMS)

/** An alarm raised longer before the range is not recognized as active in it. */
const RAISED_BEFORE_MS = 7 * 24 * HOUR_MS
const NOTES = { areas: ['operator'], text: 'note', limit: 500 } as const
const ALARMS = { areas: ['alarm'], limit: 2_000 } as const

function useEntries(
  nodeKey: NodeKey | undefined,
  { fromMs, toMs }: TimeRange,
  what: typeof NOTES | typeof ALARMS,
): readonly KeptEntry[] {
  const { engine, events } = useDashboard()
  const revision = useStore(events, (count) => count)
  // Rounded to whole hours, so that a live axis reads again only once an hour.
  const range = {
    fromMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS,
    toMs: Math.ceil(toMs / HOUR_MS) * HOUR_MS,
  }
  const { data } = useRead({
    ...READ,
    queryKey: ['entries', nodeKey, what, range, revision],
    queryFn: () => engine.readEvents({ ...(nodeKey !== undefined && { nodeKey }), ...range, ...what }),
    placeholderData: previousOf(nodeKey, what),
  })
  return data?.entries ?? NO_ENTRIES
}

const NO_ENTRIES: readonly KeptEntry[] = []

export function useLastExchange(node: NodeKey, revision: number): Exchange | undefined {
  const { engine } = useDashboard()
  const { data } = useRead({
    ...READ,
    queryKey: ['exchange', node, revision],
    queryFn: async () => (await engine.lastExchange(node)) ?? null,
    placeholderData: previousOf(node),
    structuralSharing: false,
  })
  return data ?? undefined
}

/** The engine records one point a minute. */
const NETWORK_EVERY_MS = 60_000
/**
 * Network figures of the last 24 hours; undefined until loaded. `engine` names the query API that provides earlier data, if
 * amounts can be added up.
 */
export function useNetworkSeries(
  nowMs: number,
  isSummable: boolean,
): { readonly series: NetworkSeries | undefined; readonly engine: string } {
  const { engine } = useDashboard()
  const minute = Math.floor(nowMs / NETWORK_EVERY_MS)
  const { data } = useRead({
    ...READ,
    queryKey: ['network', minute],
    queryFn: () => engine.readNetworkSeries(NETWORK_COLUMNS),
    placeholderData: (previous) => previous,
    structuralSharing: false,
  })
  return useJoinedNetwork(data, isSummable)
}
