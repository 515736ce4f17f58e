import { setImmediate } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Histogram, Registry, type RegistryContentType } from 'prom-client'
import type { Sample } from '#history/history.ts'
import { headText, labelText, linesOf, type Point } from '#node/metrics-text.ts'
import type { ExposedFleet, Family } from './node-families.ts'

export type Format = 'prometheus' | 'openmetrics'

export type Exposition = ReturnType<typeof createExposition>

type Exposed = {
  readonly fleet: () => ExposedFleet
  /** Families whose points for a node do not depend on other nodes. */
  readonly ofNodes: readonly Family[]
  /** Families whose points are summed over all parts of the fleet. */
  readonly summed: readonly Family[]
  /** Families whose points need all nodes at once. */
  readonly ofFleet: readonly Family[]
  /** A defect; the scrape is aborted. */
  readonly onError: (error: unknown) => void
}

/** One metric of this many nodes takes a few milliseconds, which is how long a poll waits for a scrape. */
const NODES_AT_ONCE = 1_000

/** Gauges of the client library with names of counters; each also exists under another name. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** Writes the fleet's metrics. The client library writes the process's own, including poll counts. */
export function createExposition({ fleet, ofNodes, summed, ofFleet, onError }: Exposed) {
  // The client library renames counters for OpenMetrics, so each format has its own registry.
  const formats = { prometheus: createFormat('prometheus'), openmetrics: createFormat('openmetrics') }
  async function* partsOf(format: Format): AsyncGenerator<string> {
    try {
      const now = fleet()
      // Read first, so that all values have the same time; written last, because it ends with OpenMetrics' end mark.
      const ofProcess = await formats[format].registry.metrics()
      for (const family of ofFleet) yield headOf(family, format) + textOf(family, now)
      const parts = inParts(now)
      for (const family of ofNodes) {
        yield headOf(family, format)
        for (const part of parts) {
          yield textOf(family, part)
          await setImmediate()
        }
      }
      for (const family of summed) {
        const sums = new Map<string, Point>()
        for (const part of parts) {
          for (const { labels, value } of family.points(part)) {
            const key = labelText(labels)
            sums.set(key, { labels, value: value + (sums.get(key)?.value ?? 0) })
          }
          await setImmediate()
        }
        yield headOf(family, format) + linesOf(family.name, Array.from(sums.values()))
      }
      yield ofProcess
    } catch (error) {
      onError(error)
      throw error
    }
  }
  return {
    /** The state is that of the first part; polls continue between parts. */
    render: (format: Format): { readonly contentType: string; readonly parts: AsyncIterable<string> } => ({
      contentType: formats[format].registry.contentType,
      parts: partsOf(format),
    }),
    observe: (service: string, sample: Pick<Sample, 'outcome' | 'latencyMs'>): void => {
      for (const { observe } of Object.values(formats)) observe(service, sample)
    },
  }
}

const inParts = (fleet: ExposedFleet): readonly ExposedFleet[] =>
  Array.from({ length: Math.max(1, Math.ceil(fleet.nodes.length / NODES_AT_ONCE)) }, (_, index) => ({
    ...fleet,
    nodes: fleet.nodes.slice(index * NODES_AT_ONCE, (index + 1) * NODES_AT_ONCE),
  }))

/** OpenMetrics declares a counter without the suffix of its samples. */
function headOf({ name, help, type }: Family, format: Format): string {
  const isStripped = format === 'openmetrics' && type === 'counter'
  return headText({ name: isStripped ? name.replace(/_total$/, '') : name, help, type })
}

const textOf = ({ name, points }: Family, fleet: ExposedFleet): string => linesOf(name, points(fleet))

/** From a nearby service to one that is about to time out. */
const DURATION_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

function createFormat(format: Format) {
  const registry = new Registry<RegistryContentType>()
  if (format === 'openmetrics') registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  const registers = [registry]
  const polls = new Counter({
    name: 'immune_node_polls_total',
    help: 'Completed polls, successful or not.',
    labelNames: ['service'],
    registers,
  })
  const failures = new Counter({
    name: 'immune_node_poll_failures_total',
    help: 'Polls that returned no record, by kind of failure.',
    labelNames: ['service', 'kind'],
    registers,
  })
  const durations = new Histogram({
    name: 'immune_node_poll_duration_seconds',
    help: 'Duration of polls, from the request to the end of the answer or the failure.',
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
