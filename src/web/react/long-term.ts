import { ok, type Result } from '#base/result.ts'
import { DAY_MS, type TimeRange } from '#base/time.ts'
import { useMemo } from 'react'
import type { SeriesData, SeriesQuery } from '#charts/charts.ts'
import type { Summary } from '#report/summary.ts'
import type { NodeKey, NodeLive, ServiceLive } from '#fleet/live.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { readLongTerm, readLongTermNetwork } from '#platform/query-api-client.ts'
import { isWatched, joinNetwork } from '#prometheus/long-term-network.ts'
import { NETWORK_MS, type NetworkSeries } from '#fleet/network-metrics.ts'
import { joinSeries, watchedSince, type UnitFactors } from '#prometheus/join-series.ts'
import {
  longTermQuery,
  queryApiFor,
  type LongTermQuery,
  type LongTermSeries,
} from '#prometheus/long-term-series.ts'
import { longTermSummary } from '#prometheus/long-term-summary.ts'
import type { QueryApi, ServerConfig } from '#settings/schema.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective.ts'
import { useDashboard, type Dashboard } from './dashboard.ts'
import { previousOf, useRead } from './reads.ts'
import { useConfiguration, useNode, useServiceOf } from './use-fleet.ts'

/** Source of the displayed history, if a query API covers the node's service. */
export type LongTermState = { readonly name: string } & (
  | { readonly kind: 'own' | 'reading' }
  /** Data before `untilMs` comes from the query API. */
  | { readonly kind: 'joined'; readonly untilMs: number }
  /** Error text of the server or of the engine; '' if it did not answer. */
  | { readonly kind: 'failed'; readonly detail: string }
)

export type NodeQuery = SeriesQuery & { readonly node: NodeKey }

type Source = {
  readonly api: QueryApi
  readonly serviceId: string
  readonly nodeId: string | undefined
  readonly factors: UnitFactors
}

/** The query API that covers a node; undefined if there is none. */
function sourceOf(
  { queryApis }: ServerConfig,
  metrics: MetricRegistry,
  node: NodeLive | undefined,
  service: Pick<ServiceLive, 'service' | 'rules'> | undefined,
): Source | undefined {
  const api = service && queryApiFor(queryApis, service.service.baseUrl)
  if (node === undefined || service === undefined || api === undefined) return undefined
  const { serviceId, nodeId } = node
  return { api, serviceId, nodeId, factors: factorsOf(metrics, effectiveSettings(service.rules, node)) }
}

function sourceNow({ configuration, fleet, metrics }: Dashboard, key: NodeKey): Source | undefined {
  const { nodes, services } = fleet.get()
  const node = nodes.get(key)
  return sourceOf(configuration.get().server, metrics, node, node && services.get(node.serviceId))
}

/** Like `sourceOf`, but stable across answers, because its inputs seldom change. */
export function useLongTermSource(key: NodeKey): Source | undefined {
  const { metrics } = useDashboard()
  const { server } = useConfiguration()
  const node = useNode(key)
  const service = useServiceOf(node)
  return sourceOf(server, metrics, node, service)
}

/** Collectors report gauges in the displayed unit, while history stores some in the service's unit. */
function factorsOf(metrics: MetricRegistry, settings: EffectiveSettings): UnitFactors {
  const factor = (metric: Metric): number | undefined =>
    metric.kind === 'gauge' && metric.keep === undefined
      ? metric.shown?.({ text: '1', value: 1 }, settings)?.value
      : undefined
  return new Map(metrics.flatMap((metric) => [[metric.id, factor(metric) ?? 1] as const]))
}

/** The part of a range that this browser did not watch; undefined if it watched all of it. */
function missingPart(
  local: SeriesData,
  { maxGapMs, columns, barMs }: SeriesQuery,
  wallMs: number,
  api: QueryApi,
) {
  const seamMs = watchedSince(local, maxGapMs, wallMs)
  if (seamMs - local.fromMs <= Math.max(maxGapMs, local.stepMs)) return undefined
  // The first bar also counts the time before the range.
  const fromMs = Math.floor(local.fromMs / barMs) * barMs
  const toMs = Math.min(local.toMs, Math.max(wallMs, local.fromMs + 1))
  return { seamMs, barMs, asked: longTermQuery({ fromMs, toMs, columns }, api.scrapeMs) }
}

/** Wait before a failed query is repeated. */
const AGAIN_MS = 60_000
const KEPT_MS = 300_000

/**
 * The browser's series, extended by the query API's data for the time before. Shows the browser's own data until that is
 * loaded.
 */
export function useJoined(
  query: NodeQuery,
  local: SeriesData | undefined,
): { readonly data: SeriesData | undefined; readonly longTerm: LongTermState | undefined } {
  const { fleet, metrics } = useDashboard()
  const source = useLongTermSource(query.node)
  const api = source?.api
  // Recomputed only when new data is read, because the end of the unwatched part depends on the clock.
  const part = useMemo(
    () => local && api && missingPart(local, query, fleet.get().wallMs, api),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [local, api],
  )
  const { data: kept, error } = useRead({
    queryKey: ['long term', query.node, part?.asked],
    queryFn: () => longTermOf(source, part?.asked),
    enabled: source !== undefined && part !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
    refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : false),
    placeholderData: previousOf(query.node),
    structuralSharing: false,
  })
  const data = useJoinedData(metrics, local, kept, part, source?.factors)
  const from = useLongTermFrom(query.node)
  return { data, longTerm: source && stateOf(source.api, part === undefined, from.error ?? error, data) }
}

function useJoinedData(
  metrics: MetricRegistry,
  local: SeriesData | undefined,
  kept: LongTermSeries | undefined,
  part: { readonly seamMs: number; readonly barMs: number } | undefined,
  factors: UnitFactors | undefined,
): SeriesData | undefined {
  return useMemo(
    () =>
      local === undefined || kept === undefined || part === undefined || factors === undefined
        ? local
        : joinSeries(metrics, local, kept, part.seamMs, factors, part.barMs),
    // Units come with the answers that are joined.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [kept, local, metrics, part],
  )
}

function stateOf(
  { name }: QueryApi,
  isWhole: boolean,
  error: Error | null,
  data: SeriesData | undefined,
): LongTermState {
  if (error !== null) return { name, kind: 'failed', detail: error.message }
  if (isWhole) return { name, kind: 'own' }
  if (data?.longTerm === undefined) return { name, kind: 'reading' }
  return { name, kind: 'joined', untilMs: data.longTerm.untilMs }
}

async function longTermOf(
  source: Source | undefined,
  asked: LongTermQuery | undefined,
): Promise<LongTermSeries> {
  if (source === undefined || asked === undefined) throw new Error('')
  const read = await readLongTerm(source.serviceId, source.nodeId, asked)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

/** Like `useJoined`, as a promise. Returns the browser's own data if the query API does not answer. */
export async function readJoined(dashboard: Dashboard, query: NodeQuery): Promise<SeriesData> {
  const local = await dashboard.engine.readSeriesData(query)
  const source = sourceNow(dashboard, query.node)
  const part = source && missingPart(local, query, dashboard.fleet.get().wallMs, source.api)
  if (source === undefined || part === undefined) return local
  const read = await readLongTerm(source.serviceId, source.nodeId, part.asked)
  const { seamMs, barMs } = part
  return read.ok ? joinSeries(dashboard.metrics, local, read.value, seamMs, source.factors, barMs) : local
}

/** The steps of a report: for a month, one per hour. */
const REPORT_COLUMNS = 1_000

/** A report on a node from its query API; undefined without one. An error has the server's text. */
export async function readLongTermSummary(
  dashboard: Dashboard,
  node: NodeKey,
  range: TimeRange,
  ranges: readonly TimeRange[],
) {
  const source = sourceNow(dashboard, node)
  if (source === undefined) return undefined
  const { name, scrapeMs } = source.api
  const asked = longTermQuery({ ...range, columns: REPORT_COLUMNS }, scrapeMs)
  const read = await readLongTerm(source.serviceId, source.nodeId, asked)
  const summary: Result<Summary, string> = read.ok
    ? ok(longTermSummary(read.value, ranges, scrapeMs, dashboard.metrics, source.factors))
    : read
  return { summary, api: { name, stepMs: asked.stepMs } }
}

const LOOK_COLUMNS = 1_000
const LOOKS = 2

/** When the query API first had data for the node, to about a minute, in Unix ms; null if never. */
async function longTermFrom(dashboard: Dashboard, node: NodeKey): Promise<number | null> {
  const source = sourceNow(dashboard, node)
  if (source === undefined) return null
  const { wallMs } = dashboard.fleet.get()
  let [fromMs, toMs] = [wallMs - source.api.days * DAY_MS, wallMs]
  for (let look = 0; look < LOOKS; look++) {
    const asked = longTermQuery({ fromMs, toMs, columns: LOOK_COLUMNS }, source.api.scrapeMs)
    const { upMin } = await longTermOf(source, asked)
    const first = upMin.findIndex((each) => each !== null)
    if (first === -1) return look === 0 ? null : fromMs
    fromMs = asked.fromMs + first * asked.stepMs
    toMs = fromMs + asked.stepMs
  }
  return fromMs
}

/** Like `longTermFrom`, as a query with its error. */
export function useLongTermFrom(node: NodeKey) {
  const dashboard = useDashboard()
  const isNamed = useLongTermSource(node) !== undefined
  return useRead({
    queryKey: ['long term from', node],
    queryFn: () => longTermFrom(dashboard, node),
    enabled: isNamed,
    gcTime: KEPT_MS,
    staleTime: KEPT_MS,
    refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : false),
  })
}

export const NETWORK_COLUMNS = 120

/** The network figures, extended by the query API's data for the time before. */
export function useJoinedNetwork(own: NetworkSeries | undefined, isSummable: boolean) {
  const { metrics } = useDashboard()
  const { server } = useConfiguration()
  const api = server.services
    .map(({ baseUrl }) => queryApiFor(server.queryApis, baseUrl))
    .find((one) => one !== undefined)
  const asked = isSummable && own && api ? networkPart(own, api) : undefined
  const { data: kept } = useRead({
    queryKey: ['long term network', asked],
    queryFn: async () => (asked && (await readLongTermNetwork(asked))) ?? null,
    enabled: asked !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
    refetchInterval: ({ state }) => (state.data === null ? AGAIN_MS : false),
    placeholderData: (before) => before,
    structuralSharing: false,
  })
  const isAsked = asked !== undefined
  const series = useMemo(
    () => (own && kept && isAsked ? joinNetwork(metrics, own, kept) : own),
    [metrics, own, kept, isAsked],
  )
  return { series, engine: api?.name ?? '' }
}

/** The steps of the last 24 hours to query; undefined if this browser watched all of them. */
function networkPart(own: NetworkSeries, { scrapeMs }: QueryApi): LongTermQuery | undefined {
  const range = { fromMs: own.toMs - NETWORK_MS, toMs: own.toMs, columns: NETWORK_COLUMNS }
  const steps = longTermQuery(range, scrapeMs)
  return isWatched(own, steps) ? undefined : steps
}
