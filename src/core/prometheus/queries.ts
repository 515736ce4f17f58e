import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import type { LongTermQuery } from './long-term-series.ts'

/** Labels of one node or service, and the configured ones. */
export type Selector = Readonly<Record<string, string>>

/** Names of the collector's series that belong to no metric. */
export const UP_NAME = 'immune_node_up'
export const FAILURE_NAME = 'immune_node_failure'

export const meaningNameOf = ({ prometheusName }: Pick<Metric, 'prometheusName'>): string =>
  `${prometheusName}_meaning`

/** The collector's series with the difference between an exact amount and its double. */
export const remainderNameOf = ({ prometheusName }: Pick<Metric, 'prometheusName'>): string =>
  `${prometheusName}_remainder`

export const PART_LABEL = 'part'

/** More subquery points per step cost more than they show. */
const POINTS_A_STEP_MAX = 240
/** VictoriaMetrics refuses more than 30,000 in total by default. */
const POINTS_MAX = 25_000

/** All metrics of one node as one query; a label names each part. */
export function stepExpression(
  registry: MetricRegistry,
  selector: Selector,
  { stepMs, count }: Pick<LongTermQuery, 'stepMs' | 'count'>,
  scrapeMs: number,
): string {
  const window = `[${seconds(stepMs)}]`
  const everyMs = Math.max(scrapeMs, stepMs / POINTS_A_STEP_MAX, ((count + 1) * stepMs) / POINTS_MAX)
  const up = series(UP_NAME, selector) + window
  const parts = [
    part('up', `avg(avg_over_time(${up}))`),
    part('upMin', `min(min_over_time(${up}))`),
    part('scrapes', `sum(count_over_time(${up}))`),
    part('failure', `sum by (kind) (count_over_time(${series(FAILURE_NAME, selector)}${window}))`),
    ...registry.flatMap((metric) => metricParts(metric, selector, stepMs, everyMs)),
  ]
  return parts.join(' or ')
}

function metricParts(metric: Metric, selector: Selector, stepMs: number, everyMs: number): readonly string[] {
  const { id, kind, prometheusName } = metric
  const plain = series(prometheusName, selector)
  if (kind === 'counter')
    return [
      part(`${id}:increase`, `max(increase(${plain}[${seconds(stepMs)}]))`),
      part(`${id}:restarts`, `max(resets(${plain}[${seconds(stepMs)}]))`),
      part(`${id}:total`, `max(last_over_time(${plain}[${seconds(stepMs)}]))`),
    ]
  if (kind !== 'gauge' && kind !== 'timestamp') return []
  const window =
    kind === 'gauge'
      ? `${plain}[${seconds(stepMs)}]`
      : // Not timestamp() - x, on which Prometheus takes a thousand times as long.
        `(time() - ${plain})[${seconds(stepMs)}:${seconds(everyMs)}]`
  return [
    part(`${id}:min`, `min(min_over_time(${window}))`),
    part(`${id}:max`, `max(max_over_time(${window}))`),
    part(`${id}:last`, `max(last_over_time(${window}))`),
    ...(metric.chart?.band === true
      ? [
          part(`${id}:p50`, `max(quantile_over_time(0.5, ${window}))`),
          part(`${id}:p95`, `max(quantile_over_time(0.95, ${window}))`),
        ]
      : []),
  ]
}

/** A series selector with these labels and further PromQL matchers. */
export const series = (name: string, selector: Selector, ...matchers: readonly string[]): string => {
  const own = Object.entries(selector).map(([label, value]) => `${label}=${quoted(value)}`)
  return `${name}{${[...own, ...matchers].join(',')}}`
}

export const part = (name: string, expression: string): string =>
  `label_replace(${expression}, "${PART_LABEL}", ${quoted(name)}, "", "")`

/** PromQL strings use Go's escapes, of which JSON's are a subset; characters beyond ASCII stay unescaped. */
const quoted = (text: string): string => JSON.stringify(text)

const seconds = (ms: number): string => `${Math.max(1, Math.round(ms / 1_000))}s`
