import type { Metric, MetricRegistry } from '#metrics/metric.ts'

const SOURCE = { type: 'prometheus', uid: '${datasource}' } as const
const OF_NODE = '{service=~"$service",node=~"$node"}'
const OF_SERVICE = '{service=~"$service"}'
const NAMED = ` * on (instance, service, node) group_left (name) immune_node_info${OF_NODE}`
const LEGEND = '{{name}} {{node}}'

const WIDTH = 24
const STAT = { w: 6, h: 4 }
const CHART = { w: 12, h: 8 }

const unitOf = ({ unit, kind }: Metric): string => {
  if (kind === 'timestamp' || unit === 'ms') return 's'
  return unit === 'ratio' ? 'percentunit' : 'none'
}

/** Proofs and statuses are exported as states. */
function exprOf(metric: Metric): string {
  const name = metric.prometheusName
  switch (metric.kind) {
    case 'timestamp':
      return `(time() - ${name}${OF_NODE})${NAMED}`
    case 'counter':
      return `rate(${name}${OF_NODE}[$__rate_interval]) * 3600${NAMED}`
    case 'state':
      return `(${name}${OF_NODE} == 1)${NAMED}`
    default:
      return `${name}${OF_NODE}${NAMED}`
  }
}

/** The used part of Grafana's dashboard model (schema version 39, Grafana 10 and later). */
export function grafanaDashboard(registry: MetricRegistry) {
  const stats = [
    ['Nodes', `sum(immune_network:nodes:count${OF_SERVICE})`, 'none'],
    ['Nodes that answer', `avg(immune_node_up${OF_SERVICE})`, 'percentunit'],
    ['Alarms', 'count(ALERTS{alertstate="firing",alertname=~"ImmuneNode.*"}) or vector(0)', 'none'],
    ['Polls per second', `sum(rate(immune_node_polls_total${OF_SERVICE}[$__rate_interval]))`, 'none'],
  ] as const
  const charts = registry.filter(({ kind }) => kind !== 'state')
  const states = registry.filter(({ kind }) => kind === 'state')
  const statPanels = stats.map(([title, expr, unit], index) =>
    panelOf('stat', title, { expr, unit }, at(index, STAT, 0)),
  )
  const chartPanels = [...states, ...charts].map((metric, index) => ({
    ...panelOf(
      metric.kind === 'state' ? 'state-timeline' : 'timeseries',
      metric.kind === 'counter' ? `${metric.heading} per hour` : metric.heading,
      {
        expr: exprOf(metric),
        unit: unitOf(metric),
        legend: metric.kind === 'state' ? `${LEGEND}: {{${metric.id}}}` : LEGEND,
      },
      at(index, CHART, STAT.h),
    ),
    description: metric.help,
  }))
  const failures = panelOf(
    'timeseries',
    'Failed polls per second',
    {
      expr: `sum by (service, kind) (rate(immune_node_poll_failures_total${OF_SERVICE}[$__rate_interval]))`,
      unit: 'none',
      legend: '{{service}} {{kind}}',
    },
    at(chartPanels.length, CHART, STAT.h),
  )
  return {
    title: 'Immune nodes',
    uid: 'immune-nodes',
    tags: ['immune-nodes'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-24h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        variable('service', 'Service', 'label_values(immune_node_info, service)'),
        variable('node', 'Node', 'label_values(immune_node_info{service=~"$service"}, node)'),
      ],
    },
    panels: [...statPanels, ...chartPanels, failures].map((panel, index) => ({ id: index + 1, ...panel })),
  }
}

const at = (index: number, { w, h }: { readonly w: number; readonly h: number }, topRows: number) => ({
  x: (index * w) % WIDTH,
  y: topRows + Math.floor((index * w) / WIDTH) * h,
  w,
  h,
})

const panelOf = (
  type: 'stat' | 'timeseries' | 'state-timeline',
  title: string,
  { expr, unit, legend = '' }: { readonly expr: string; readonly unit: string; readonly legend?: string },
  gridPos: ReturnType<typeof at>,
) => ({
  type,
  title,
  gridPos,
  datasource: SOURCE,
  targets: [{ refId: 'A', expr, legendFormat: legend, ...(type === 'stat' && { instant: true }) }],
  fieldConfig: { defaults: { unit, ...(unit === 'percentunit' && { min: 0, max: 1 }) }, overrides: [] },
})

const variable = (name: string, label: string, query: string) => ({
  name,
  label,
  type: 'query',
  datasource: SOURCE,
  query: { query, refId: name },
  refresh: 2,
  multi: true,
  includeAll: true,
  current: { text: 'All', value: '$__all' },
})
