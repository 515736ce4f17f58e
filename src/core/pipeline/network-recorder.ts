import { HOUR_MS, MINUTE_MS } from '#base/time.ts'
import * as v from 'valibot'
import type { Clock } from '#base/clock.ts'
import { orUndefined } from '#base/result.ts'
import { readStored } from '#base/stored.ts'
import type { Store } from '#base/store.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import type { NodeKey, NodeLive } from '#fleet/live.ts'
import {
  breakSums,
  NETWORK_MS,
  type NetworkLine,
  type NetworkSeries,
  networkFigures,
  type NetworkFigure,
} from '#fleet/network-metrics.ts'
import { countedNodes, type FleetSnapshot } from '#fleet/snapshot.ts'
import { decimate } from '#charts/decimate.ts'
import { smallDatabase } from '#storage/small-database.ts'
import type { Storage } from '#storage/storage.ts'
import type { MetricRegistry } from '#metrics/metric.ts'

const DATABASE = 'immune-network'
const TABLE = 'rows'
/** A longer gap is drawn as a gap. */
const GAP_MS = 3 * MINUTE_MS

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Figure = v.object({ id: v.string(), value: v.pipe(v.number(), v.finite()), nodes: Count })
/** A stored row as a point; its key is the time, in Unix ms. */
const Point = v.pipe(
  v.object({
    key: v.tuple([v.number()]),
    value: v.object({ of: Count, figures: v.array(Figure) }),
  }),
  v.transform(({ key: [atMs], value }) => ({ atMs, ...value })),
)
type NetworkPoint = v.InferOutput<typeof Point>

/** A failure shows only after a reload. */
export type NetworkStore = {
  readonly load: (fromMs: number) => Promise<readonly NetworkPoint[]>
  /**
   * Also deletes points before `fromMs`, and points at or after this one, which were recorded before the clock was set back.
   */
  readonly save: (point: NetworkPoint, fromMs: number) => Promise<void>
}

export function createNetworkStore(storage: Pick<Storage, 'open'>): NetworkStore {
  const database = smallDatabase(storage, DATABASE)
  return {
    load: async (fromMs) => {
      const range = { table: TABLE, from: [fromMs], to: [Number.MAX_SAFE_INTEGER] } as const
      const [rows = []] = orUndefined(await database.read([range])) ?? []
      return rows.flatMap((row) => readStored(Point, row) ?? [])
    },
    save: async ({ atMs, ...value }, fromMs) => {
      await database.write([
        { kind: 'delete', range: { table: TABLE, from: [0], to: [Math.max(0, fromMs)] } },
        { kind: 'delete', range: { table: TABLE, from: [atMs], to: [Number.MAX_SAFE_INTEGER] } },
        { kind: 'put', table: TABLE, key: [atMs], value },
      ])
    },
  }
}

type RecorderPorts = {
  readonly clock: Clock
  readonly nowMs: () => number
  readonly fleet: Pick<Store<FleetSnapshot>, 'get'>
  readonly metrics: MetricRegistry
  /** Absent: the trend is lost when the engine ends. */
  readonly store: NetworkStore | undefined
}

/**
 * Records the network figures once a minute. They cannot be derived from the nodes' own history, which has no weights, limits
 * or lists of watched nodes; a day of thousands of nodes would also be millions of rollups.
 */
export function createNetworkRecorder({ clock, nowMs, fleet, metrics, store }: RecorderPorts) {
  let points: readonly NetworkPoint[] = []
  let cancel = (): void => undefined
  const ratesNow = createRates()

  const record = (): void => {
    const atMs = clock.wallMs()
    const snapshot = fleet.get()
    const fromMs = atMs - NETWORK_MS
    const rateOf = ratesNow(snapshot, nowMs())
    const figures = networkFigures(snapshot, nowMs(), metrics).flatMap((figure) => {
      const { id } = figure.metric
      const known = figure.kind === 'rate' ? rateOf(id) : numberOf(figure)
      return known === undefined ? [] : [{ id, ...known }]
    })
    const point = { atMs, of: countedNodes(snapshot).size, figures }
    // Points at or after this one were recorded before the clock was set back.
    points = [...points.filter((one) => one.atMs >= fromMs && one.atMs < atMs), point]
    void store?.save(point, fromMs).catch(() => undefined)
  }
  const wait = (): void => {
    cancel = clock.after(MINUTE_MS, () => {
      record()
      wait()
    })
  }
  const load = async (): Promise<void> => {
    const kept = (await store?.load(clock.wallMs() - NETWORK_MS).catch(() => undefined)) ?? []
    const ownMs = points[0]?.atMs ?? clock.wallMs() + 1
    points = [...kept.filter(({ atMs }) => atMs < ownMs), ...points]
  }

  return {
    /** Loads the stored points, then records one a minute. */
    start: (): void => {
      void load()
      wait()
    },
    /** The last 24 hours, each line reduced to this many pixel columns. */
    read: (columns: number): NetworkSeries => {
      const toMs = clock.wallMs()
      const shown = points.filter(({ atMs }) => atMs >= toMs - NETWORK_MS && atMs <= toMs)
      const fromMs = shown[0]?.atMs ?? toMs
      const lines = metrics.flatMap((metric) => {
        const isSum = metric.unit === 'amount'
        return lineOf(metric.id, isSum, shown, { fromMs, toMs, count: columns }) ?? []
      })
      return { fromMs, toMs, lines }
    },
    stop: () => {
      cancel()
    },
  }
}

function numberOf(figure: NetworkFigure): { readonly value: number; readonly nodes: number } | undefined {
  const { nodes, old, of } = figure.coverage
  const value =
    figure.kind === 'ages'
      ? (figure.counts[0] ?? 0) / (nodes === 0 ? 0 : of)
      : figure.kind === 'total'
        ? figure.value?.value
        : figure.value
  // A figure without nodes has no value.
  return value === undefined || !Number.isFinite(value) ? undefined : { value, nodes: nodes + old }
}

/**
 * Hourly rates of counters between two points. Counts only nodes that answered at both points and were watched in between, so
 * that an outage's increase does not appear in one minute.
 */
function createRates() {
  let before: { readonly atMs: number; readonly of: ReadonlyMap<NodeKey, NodeLive['counters']> } | undefined
  return (snapshot: FleetSnapshot, nowMs: number) => {
    const answered = Array.from(snapshot.nodes.values()).filter((node) => isCurrentAt(node, nowMs))
    const of = new Map(answered.map(({ key, counters }) => [key, counters]))
    const last = before
    before = { atMs: nowMs, of }
    return (id: string) => {
      if (last === undefined || nowMs - last.atMs > GAP_MS) return undefined
      const steps = Array.from(of).flatMap(([key, counters]) => {
        const [now, then] = [counters[id], last.of.get(key)?.[id]]
        if (now === undefined || now.unwatched !== then?.unwatched) return []
        return now.increase >= then.increase ? [now.increase - then.increase] : []
      })
      const sum = steps.reduce((all, step) => all + step, 0)
      const value = (sum / (nowMs - last.atMs)) * HOUR_MS
      return steps.length === 0 ? undefined : { value, nodes: steps.length }
    }
  }
}

type Columns = Parameters<typeof decimate>[1]

function lineOf(
  id: string,
  isSum: boolean,
  points: readonly NetworkPoint[],
  columns: Columns,
): NetworkLine | undefined {
  const known = points.flatMap(({ atMs, of, figures }) => {
    const figure = figures.find((one) => one.id === id)
    if (figure === undefined) return []
    const { value, nodes } = figure
    return [{ atMs, of, value, nodes: [nodes, nodes] as const }]
  })
  if (known.length === 0) return undefined
  const drawn = isSum ? breakSums(known) : known
  const atMs = Float64Array.from(drawn, (point) => point.atMs)
  const value = Float64Array.from(drawn, (point) => point.value)
  const counts = known.map(({ nodes: [count] }) => count)
  return {
    id,
    ...decimate({ atMs, value }, columns, () => GAP_MS),
    nodes: [counts.reduce((a, b) => Math.min(a, b)), counts.reduce((a, b) => Math.max(a, b))],
    of: known.reduce((most, { of }) => Math.max(most, of), 0),
  }
}
