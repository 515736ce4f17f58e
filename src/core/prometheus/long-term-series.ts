import type { TimeRange } from '#base/time.ts'
import type { FailureKind } from '#protocol/failure.ts'
import type { QueryApi } from '#settings/schema.ts'

/** One value per step; null without a scrape. */
export type Column = readonly (number | null)[]

/** A gauge in the displayed unit, or a timestamp's age in ms. */
export type LongTermLine = {
  readonly id: string
  readonly kind: 'line'
  readonly min: Column
  readonly max: Column
  readonly last: Column
  readonly p50?: Column
  readonly p95?: Column
}

export type LongTermBars = {
  readonly id: string
  readonly kind: 'bars'
  readonly increase: Column
  /** The increase across a gap. Its time is unknown, so it is not part of `increase`. */
  readonly unwatched: Column
  readonly restarts: Column
}

/** Whole steps; `fromMs`: start of the first one, Unix ms. */
export type LongTermQuery = { readonly fromMs: number; readonly stepMs: number; readonly count: number }

/** One node's history in a query API, in steps. */
export type LongTermSeries = LongTermQuery & {
  /** Share of the scrapes at which the node answered, 0 to 1. */
  readonly up: Column
  /** The minimum: 0 if the node failed at any scrape. */
  readonly upMin: Column
  readonly scrapes: Column
  readonly failures: readonly (FailureKind | null)[]
  /** Metrics that the query API stores. */
  readonly metrics: readonly (LongTermLine | LongTermBars)[]
}

/** Maximum for one query; Prometheus itself returns at most 11,000. */
export const STEPS_MAX = 2_000

/**
 * Round steps, so that step boundaries stay fixed while the range moves. For steps below a minute VictoriaMetrics copies an
 * older value into the newest points (`-search.maxStepForPointsAdjustment`), which would show a failing node as well.
 */
const STEPS_S = [
  60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
] as const

/** With fewer scrapes a step could be empty although nothing is missing. */
const SCRAPES_A_STEP = 2

/** The whole steps that cover a range, in at most `columns` columns. */
export function longTermQuery(
  { fromMs, toMs, columns }: TimeRange & { readonly columns: number },
  scrapeMs: number,
): LongTermQuery {
  const stepsMax = Math.min(STEPS_MAX / 2, Math.max(1, columns))
  const stepMs = stepFrom(Math.max(SCRAPES_A_STEP * scrapeMs, (toMs - fromMs) / stepsMax))
  const start = Math.floor(fromMs / stepMs) * stepMs
  return { fromMs: start, stepMs, count: Math.max(1, Math.ceil((toMs - start) / stepMs)) }
}

function stepFrom(leastMs: number): number {
  const seconds = STEPS_S.find((step) => step * 1_000 >= leastMs)
  const longest = STEPS_S.at(-1) ?? 1
  return (seconds ?? longest * Math.ceil(leastMs / 1_000 / longest)) * 1_000
}

/** The collectors' label value for the default node. */
export const OWN_NODE = 'own'

export const longTermPath = (serviceId: string, nodeId: string | undefined, query: LongTermQuery): string =>
  `/query/${serviceId}/series?${new URLSearchParams({
    node: nodeId ?? OWN_NODE,
    from: String(query.fromMs),
    step: String(query.stepMs),
    steps: String(query.count),
  })}`

/** A query API for this service takes precedence over one for all services. */
export const queryApiFor = <T extends Pick<QueryApi, 'service'>>(
  apis: readonly T[] | undefined,
  service: string,
): T | undefined =>
  apis?.find((api) => api.service === service) ?? apis?.find((api) => api.service === undefined)

/** The query API that answers status requests of this service; undefined: the service does. */
export function liveApiFor<T extends Pick<QueryApi, 'service' | 'live'>>(
  apis: readonly T[] | undefined,
  service: string,
): T | undefined {
  const api = queryApiFor(apis, service)
  return api?.live === true ? api : undefined
}
