import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type OpenMetricsContentType,
} from 'prom-client'
import type { Sample } from '#history/history.ts'
import type { Family, Point } from './node-families.ts'

/** Prometheus' text format, or OpenMetrics 1.0. */
export type Format = 'prometheus' | 'openmetrics'

export type Exposition = {
  /** Everything that is known now, with its content type. */
  readonly render: (format: Format) => Promise<{ readonly contentType: string; readonly text: string }>
  /** Counts one poll. */
  readonly observe: (service: string, sample: Pick<Sample, 'outcome' | 'latencyMs'>) => void
}

/** A metric whose points are looked up at each scrape. */
export type LiveMetric = Pick<Family, 'name' | 'help' | 'type' | 'labelNames'> & {
  readonly points: () => readonly Point[]
}

/** From a service next door to one that is about to time out. */
const DURATION_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Gauges of the client library that are named as counters; each is there under another name too. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** The client library names a counter anew for OpenMetrics, so each format has metrics of its own. */
export function createExposition(live: readonly LiveMetric[]): Exposition {
  const formats = {
    prometheus: createFormat(new Registry(), live),
    openmetrics: createFormat(openMetricsRegistry(), live),
  }
  return {
    render: (format) => formats[format].render(),
    observe: (service, sample) => {
      for (const { observe } of Object.values(formats)) observe(service, sample)
    },
  }
}

function openMetricsRegistry(): Registry<OpenMetricsContentType> {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  return registry
}

function createFormat(registry: Registry | Registry<OpenMetricsContentType>, live: readonly LiveMetric[]) {
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
  for (const metric of live) registerLive(metric, registers)
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  return {
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    observe: (service: string, { outcome, latencyMs }: Pick<Sample, 'outcome' | 'latencyMs'>): void => {
      polls.inc({ service })
      durations.observe({ service }, latencyMs / 1_000)
      if (outcome !== 'answered') failures.inc({ service, kind: outcome })
    },
  }
}

/** Its points take the place of those that it would keep: what is not there any more is not told any more. */
function registerLive(
  { name, help, type, labelNames, points }: LiveMetric,
  registers: readonly (Registry | Registry<OpenMetricsContentType>)[],
): void {
  const options = { name, help, labelNames: [...labelNames], registers: [...registers] }
  const metric = type === 'counter' ? new Counter(options) : new Gauge(options)
  const kept = metric.get.bind(metric)
  metric.get = async () => ({
    ...(await kept()),
    values: points().map(({ labels, value }) => ({ labels: { ...labels }, value })),
  })
}
