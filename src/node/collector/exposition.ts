import { setImmediate } from 'node:timers/promises'
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type OpenMetricsContentType,
} from 'prom-client'
import type { Sample } from '#history/history.ts'
import type { ExposedFleet, Family } from './node-families.ts'

/** Prometheus' text format, or OpenMetrics 1.0. */
export type Format = 'prometheus' | 'openmetrics'

export type Exposition = {
  /** Everything that is known when its first part is taken; polls go on between any two parts. */
  readonly render: (format: Format) => {
    readonly contentType: string
    readonly parts: AsyncIterable<string>
  }
  /** Counts one poll. */
  readonly observe: (service: string, sample: Pick<Sample, 'outcome' | 'latencyMs'>) => void
}

/** What is looked up at each scrape. */
type Exposed = {
  readonly fleet: () => ExposedFleet
  /** The points of a node are the same whichever other nodes are asked for. */
  readonly ofNodes: readonly Family[]
  /** Their points are of all nodes at once. */
  readonly ofFleet: readonly Family[]
  /** A defect; the scrape breaks off. */
  readonly onError: (error: unknown) => void
}

/** One metric of so many takes a few milliseconds, which is how long a poll waits for a scrape. */
const NODES_AT_ONCE = 1_000

/** From a service next door to one that is about to time out. */
const DURATION_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Gauges of the client library that are named as counters; each is there under another name too. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** The client library names a counter anew for OpenMetrics, so each format has metrics of its own. */
export function createExposition({ fleet, ofNodes, ofFleet, onError }: Exposed): Exposition {
  const formats = { prometheus: createFormat('prometheus'), openmetrics: createFormat('openmetrics') }
  async function* partsOf(format: Format): AsyncGenerator<string> {
    try {
      const now = fleet()
      // Read first, so that all is of one moment; written last, since it ends with the mark of OpenMetrics.
      const counted = await formats[format].registry.metrics()
      for (const family of ofFleet) yield* textOf(family, [now], format)
      const parts = inParts(now)
      for (const family of ofNodes) yield* textOf(family, parts, format)
      yield counted
    } catch (error) {
      onError(error)
      throw error
    }
  }
  return {
    render: (format) => ({ contentType: formats[format].registry.contentType, parts: partsOf(format) }),
    observe: (service, sample) => {
      for (const { observe } of Object.values(formats)) observe(service, sample)
    },
  }
}

const inParts = (fleet: ExposedFleet): readonly ExposedFleet[] =>
  Array.from({ length: Math.max(1, Math.ceil(fleet.nodes.length / NODES_AT_ONCE)) }, (_, index) => ({
    ...fleet,
    nodes: fleet.nodes.slice(index * NODES_AT_ONCE, (index + 1) * NODES_AT_ONCE),
  }))

function createRegistry(format: Format): Registry | Registry<OpenMetricsContentType> {
  if (format === 'prometheus') return new Registry()
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  return registry
}

/** What the process counts itself, in a few lines whatever the number of nodes. */
function createFormat(format: Format) {
  const registry = createRegistry(format)
  const registers = [registry]
  const polls = new Counter({
    name: 'immune_node_polls_total',
    help: 'Polls that ended, with a record or without.',
    labelNames: ['service'],
    registers,
  })
  const failures = new Counter({
    name: 'immune_node_poll_failures_total',
    help: 'Polls that brought no record, by the kind of failure.',
    labelNames: ['service', 'kind'],
    registers,
  })
  const durations = new Histogram({
    name: 'immune_node_poll_duration_seconds',
    help: 'How long polls took, from the request to the end of its answer or to giving up.',
    labelNames: ['service'],
    buckets: DURATION_BUCKETS_S,
    registers,
  })
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  return {
    registry,
    observe: (service: string, { outcome, latencyMs }: Pick<Sample, 'outcome' | 'latencyMs'>): void => {
      polls.inc({ service })
      durations.observe({ service }, latencyMs / 1_000)
      if (outcome !== 'answered') failures.inc({ service, kind: outcome })
    },
  }
}

/** As the client library writes it above the samples of a metric. */
const HEAD = /^# HELP [^\n]*\n# TYPE [^\n]*\n?/

/** One metric, written by the client library, with the points of one part of the fleet after the other. */
async function* textOf(
  { name, help, type, labelNames, points }: Family,
  parts: readonly ExposedFleet[],
  format: Format,
): AsyncGenerator<string> {
  const registry = createRegistry(format)
  // The library adds this ending in OpenMetrics.
  const ownName = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name
  const options = { name: ownName, help, labelNames: [...labelNames], registers: [registry] }
  const metric = type === 'counter' ? new Counter(options) : new Gauge(options)
  const kept = await metric.get()
  for (const [index, part] of parts.entries()) {
    // In the place of what it would keep: what is not there any more is not told any more.
    const values = points(part).map(({ labels, value }) => ({ labels: { ...labels }, value }))
    metric.get = async () => ({ ...kept, values })
    const text = await registry.getSingleMetricAsString(ownName)
    const lines = index === 0 ? text : text.replace(HEAD, '')
    if (lines !== '') yield `${lines}\n`
    await setImmediate()
  }
}
