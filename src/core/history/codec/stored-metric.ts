import type { MetricKind } from '#metrics/metric.ts'
import type { StoredMetric } from '#history/series.ts'
import { refuse } from './columns.ts'

const KINDS: readonly MetricKind[] = ['state', 'gauge', 'counter', 'timestamp', 'fingerprint']
const DISTRIBUTIONS: readonly StoredMetric['distribution'][] = [undefined, 'values', 'complement']

/** What a record says of a metric, so that also a build that does not know it keeps its columns. */
export const metricHead = ({ id, kind, exact, distribution, measured }: StoredMetric): readonly unknown[] => [
  id,
  KINDS.indexOf(kind),
  exact === true ? 1 : 0,
  DISTRIBUTIONS.indexOf(distribution),
  measured === undefined ? 0 : 1,
]

export function metricsIn(heads: unknown): readonly StoredMetric[] {
  if (!Array.isArray(heads)) return refuse()
  const metrics = heads.map(metricOf)
  return new Set(metrics.map(({ id }) => id)).size === metrics.length ? metrics : refuse()
}

function metricOf(head: unknown): StoredMetric {
  const [id, kind, exact, distribution, measured]: readonly unknown[] = Array.isArray(head) ? head : refuse()
  const known = KINDS[Number(kind)] ?? refuse()
  const spread = DISTRIBUTIONS[Number(distribution)]
  return {
    id: typeof id === 'string' ? id : refuse(),
    kind: known,
    ...(spread !== undefined && { distribution: spread }),
    ...(exact === 1 && { exact: true }),
    ...(measured === 1 && { measured: 'latencyMs' }),
  }
}
