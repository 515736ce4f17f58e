import type { MetricRegistry, RecordMetric } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'

/** A metric that no line of the product names. */
export const PEERS: RecordMetric<'peersConnected', 'gauge'> = {
  id: 'peersConnected',
  kind: 'gauge',
  unit: 'count',
  heading: 'Peers connected',
  help: 'Peers that the node is connected to.',
  field: 'peers_connected',
  exportName: 'peers_connected',
  prometheusName: 'immune_node_peers_connected',
  settings: [],
  settled: true,
  distribution: 'values',
  limits: () => [{ side: 'below', state: 'critical', value: 2 }],
  check: { order: 9 },
  chart: { order: 9, kind: 'line', note: 'min', band: true },
  table: { order: 9, align: 'end' },
  wall: { order: 9 },
}

export const WITH_PEERS: MetricRegistry = [...METRICS, PEERS]

/** A counter, of which the same holds. */
export const RECONNECTS: RecordMetric<'reconnects', 'counter'> = {
  id: 'reconnects',
  kind: 'counter',
  unit: 'count',
  heading: 'Reconnects',
  help: 'Times that the node connected to a peer anew.',
  field: 'reconnects',
  exportName: 'reconnects',
  prometheusName: 'immune_node_reconnects_total',
  settings: [],
}
