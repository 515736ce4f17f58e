import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { metricOf } from '#alarms/metric-values.ts'
import type { FixedKind, MetricTest } from '#alarms/alarm.ts'

const NAMES: Readonly<Record<FixedKind, string>> = {
  unreachable: 'No usable answer',
  rejected: 'Node rejected',
  'key-rejected': 'Credentials rejected',
  paused: 'Polling stopped',
  network: 'No service reachable over the network',
  'clock-skew': 'Clock skew',
  'round-too-long': 'Poll round longer than the interval',
  blind: 'No data',
  throttled: 'Polling behind schedule',
  gap: 'Monitoring gap',
  'page-blocked': 'Page does not respond',
  'engine-lost': 'Engine restarted',
  'not-saving': 'History not saved',
  'sound-blocked': 'Sound blocked by the browser',
  'memory-high': 'Memory use high',
  'old-version': 'Server version changed',
  'page-errors': 'Errors in this page',
  'rule-failed': 'Alarm rule can’t be evaluated',
}

const TESTS: Readonly<Record<MetricTest, (metric: string) => string>> = {
  below: (metric) => `${metric} below limit`,
  above: (metric) => `${metric} above limit`,
  old: (metric) => `${metric} too old`,
  left: (metric) => `${metric} abnormal`,
  changed: (metric) => `${metric} changed`,
  unchanged: (metric) => `${metric} unchanged`,
  'rate-below': (metric) => `${metric}: rate too low`,
  'rate-above': (metric) => `${metric}: rate too high`,
  stuck: (metric) => `${metric} stuck`,
  'p95-above': (metric) => `${metric}: p95 above limit`,
  wrong: (metric) => `${metric} wrong`,
  differs: (metric) => `${metric}: services disagree`,
}
const FIXED = new Map<string, string>(Object.entries(NAMES))
const OF_METRICS = new Map<string, (metric: string) => string>(Object.entries(TESTS))

export const shortHeading = ({ check, heading }: Metric): string => check?.heading ?? heading

/** An unknown kind, e.g. in an entry of another version, is shown unchanged. */
export function alarmName(kind: string, metrics: MetricRegistry): string {
  const of = metricOf(kind, metrics)
  const name = of && OF_METRICS.get(of.test)?.(shortHeading(of.metric))
  return FIXED.get(kind) ?? name ?? kind.replaceAll('-', ' ')
}
