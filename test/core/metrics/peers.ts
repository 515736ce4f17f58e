import type { MetricRegistry, RecordMetric } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'

/** A gauge that the product does not know. */
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

/** A counter that the product does not know. */
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

/** A second timestamp, with its own age and limits. */
export const BACKUP: RecordMetric<'backup', 'timestamp'> = {
  id: 'backup',
  kind: 'timestamp',
  unit: 'ms',
  heading: 'Backup age',
  help: 'When the node last saved its state.',
  field: 'last_backup',
  exportName: 'backup_age',
  prometheusName: 'immune_node_last_backup_timestamp_seconds',
  settings: [],
  distribution: 'values',
  limits: () => [{ side: 'above', state: 'critical', value: 7_200_000 }],
  check: { order: 10, heading: 'Backup' },
  lead: true,
  chart: { order: 10, kind: 'area', note: 'max' },
  table: { order: 10, align: 'end' },
}

export const ROLE: RecordMetric<'role', 'state'> = {
  id: 'role',
  kind: 'state',
  unit: 'none',
  heading: 'Role',
  help: 'What the node does for the network.',
  field: 'role',
  exportName: 'role',
  prometheusName: 'immune_node_role',
  settings: [],
  evaluate: (word) =>
    word === 'GUARD' ? { state: 'ok', reason: 'within-limits' } : { state: 'info', reason: 'unknown-word' },
  check: { order: 11 },
  lead: true,
  table: { order: 11, align: 'start' },
}

export const WITH_ALL: MetricRegistry = [...WITH_PEERS, RECONNECTS, BACKUP, ROLE]
