import { MINUTE_MS } from '#base/time.ts'
import { builtInTests, type BuiltInTest } from '#alarms/built-in-rules.ts'
import { blindAfterMs, conditionOf, CONDITIONS, failureSteps } from '#evaluate/conditions.ts'
import { kindOf } from '#alarms/metric-values.ts'
import type { AlarmKind, AlarmSeverity } from '#alarms/alarm.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { FAILURES, type FailureKind } from '#protocol/failure.ts'
import { alarmHelp } from '#texts/en-alarm-help.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { meaningNameOf } from '#prometheus/queries.ts'
import type { BuiltInChange } from '#settings/schema.ts'
import { pascal, seconds, withChanges, type AlertingRule } from './changed-rules.ts'
import { LIMIT_NAME, UNREADABLE_NAME } from './node-families.ts'

type RecordingRule = { readonly record: string; readonly expr: string }

type RulesFile = ReturnType<typeof prometheusRules>

/**
 * The dashboard's built-in rules as Prometheus rules, with the same kinds, severities, limits and waits, in polls of this
 * interval. Conditions of a browser (sound, pages, storage) have no rule.
 */
export function prometheusRules(
  registry: MetricRegistry,
  intervalMs: number,
  changes: readonly BuiltInChange[] = [],
) {
  const rulesOf = createRules(registry, intervalMs)
  const interval = seconds(Math.min(intervalMs, MINUTE_MS))
  return {
    groups: [
      { name: 'immune-node-recording', interval, rules: recordingRules(registry) },
      {
        name: 'immune-node-failures',
        interval,
        rules: withChanges([...failureRules(rulesOf), ...sharedRules(rulesOf, intervalMs)], changes),
      },
      {
        name: 'immune-node-metrics',
        interval,
        rules: withChanges(
          registry.flatMap((metric) =>
            builtInTests(metric).flatMap((test) => [
              ...metricRules(rulesOf, metric, test, intervalMs),
              ...unreadableRules(rulesOf, metric, test, intervalMs),
            ]),
          ),
          changes,
        ),
      },
    ],
  }
}

/** The name of the job in scrape configurations. */
const JOB = 'immune-nodes'

type MakeRule = (
  kind: AlarmKind,
  severity: AlarmSeverity,
  rule: {
    readonly expr: string
    readonly polls?: number
    readonly forMs?: number
    readonly about: 'node' | 'service' | 'collector'
  },
) => AlertingRule

/** The node's configured name, otherwise its id. */
const NODE_NAME =
  '{{ $name := $labels.node }}{{ range printf "immune_node_info{node=%q,service=%q}" $labels.node $labels.service | query }}{{ if .Labels.name }}{{ $name = .Labels.name }}{{ end }}{{ end }}{{ $name }}'

const ABOUT = {
  node: `${NODE_NAME} at {{ $labels.service }}`,
  service: '{{ $labels.service }}',
  collector: 'collector {{ $labels.instance }}',
} as const

/** Characters of a base URL that a service id escapes; "~" first, because it is the escape character. */
const ESCAPED = ['~', '%', ':', '/', '[', ']', '@', '$', '&', '+', ',', ';', '=']
const SERVICE_ID = [
  '{{ $labels.service',
  ...ESCAPED.map(
    (char) => `reReplaceAll \`[${char}]\` \`~${char.charCodeAt(0).toString(16).toUpperCase()}\``,
  ),
].join(' | ')

/** The dashboard's id of the same alarm, so that one silence applies to the alerts of both. */
const ALARM_OF = {
  node: (kind: AlarmKind) => ({ alarm: `${kind} ${SERVICE_ID} }}!{{ $labels.node }}` }),
  service: (kind: AlarmKind) => ({ alarm: `${kind} service ${SERVICE_ID} }}` }),
  collector: () => ({}),
} as const

function createRules(registry: MetricRegistry, intervalMs: number): MakeRule {
  return (kind, severity, { expr, polls = 2, forMs = 0, about }) => {
    const waitMs = Math.max(forMs, (polls - 1) * intervalMs)
    const { meaning, steps } = alarmHelp(kind, registry)
    return {
      alert: `ImmuneNode${pascal(kind)}`,
      expr,
      ...(waitMs > 0 && { for: seconds(waitMs) }),
      keep_firing_for: seconds((DEFAULTS.alarmClearAfter - 1) * intervalMs),
      labels: { severity, kind, ...ALARM_OF[about](kind) },
      annotations: {
        summary: `${alarmName(kind, registry)}: ${ABOUT[about]}`,
        description: [meaning, ...steps].join(' '),
      },
    }
  }
}

const FAILURE_KINDS = Object.keys(FAILURES).filter((kind): kind is FailureKind => kind in FAILURES)

const failing = (kinds: readonly FailureKind[]): string =>
  `immune_node_failure{kind=~"${kinds.join('|')}"} == 1`

const kindsOf = (condition: ReturnType<typeof conditionOf>): readonly FailureKind[] =>
  FAILURE_KINDS.filter((kind) => conditionOf(kind) === condition)

/** One rule per severity step, for all failures with the same step. */
function unreachableRules(make: MakeRule): readonly AlertingRule[] {
  const groups = new Map<string, { kinds: FailureKind[]; step: ReturnType<typeof failureSteps>[number] }>()
  for (const kind of kindsOf('unreachable'))
    for (const step of failureSteps(kind)) {
      const group = groups.get(JSON.stringify(step)) ?? { kinds: [], step }
      groups.set(JSON.stringify(step), group)
      group.kinds.push(kind)
    }
  return Array.from(groups.values()).flatMap(({ kinds, step: { severity, polls, afterMs } }) => {
    if (severity === 'none') return []
    const rule = make('unreachable', severity, { expr: failing(kinds), polls, forMs: afterMs, about: 'node' })
    // Prometheus identifies rules by name and labels.
    const isLater = afterMs > 0 || polls > CONDITIONS.unreachable.polls
    return [isLater ? { ...rule, alert: `ImmuneNode${pascal(kinds.join('-'))}Lasting` } : rule]
  })
}

function failureRules(make: MakeRule): readonly AlertingRule[] {
  const rule = (kind: 'rejected' | 'key-rejected' | 'paused', expr: string, about: 'node' | 'service') =>
    make(kind, CONDITIONS[kind].severity, { expr, polls: CONDITIONS[kind].polls, about })
  return [
    ...unreachableRules(make),
    rule('rejected', failing(kindsOf('rejected')), 'node'),
    rule('key-rejected', failing(kindsOf('key-rejected')), 'node'),
    rule('paused', `count by (service) (${failing(kindsOf('paused'))})`, 'service'),
  ]
}

function sharedRules(make: MakeRule, intervalMs: number): readonly AlertingRule[] {
  const rule = (
    kind: 'blind' | 'clock-skew' | 'round-too-long' | 'throttled',
    expr: string,
    about: 'service' | 'collector' = 'service',
  ) => make(kind, CONDITIONS[kind].severity, { expr, polls: CONDITIONS[kind].polls, about })
  const { blind, throttled } = CONDITIONS
  const silent = 'time() - immune_node_last_answer_timestamp_seconds'
  const longest = `${blind.overIntervals} * immune_node_service_poll_interval_seconds`
  const behindS = (throttled.overIntervals * intervalMs) / 1_000
  return [
    rule(
      'blind',
      `count by (service) (${silent} > on (instance, service) group_left () (${longest}) > ${blind.overMs / 1_000})`,
    ),
    rule(
      'clock-skew',
      `abs(immune_node_service_clock_offset_seconds) > ${CONDITIONS['clock-skew'].overMs / 1_000}`,
    ),
    rule('round-too-long', 'immune_node_service_round_seconds > 0'),
    rule(
      'throttled',
      `immune_node_collector_behind_seconds > ${behindS} unless on (instance) immune_node_service_round_seconds`,
      'collector',
    ),
    collectorDown(blindAfterMs(intervalMs)),
  ]
}

/** Without a collector its series become stale, so no other rule fires. */
const collectorDown = (forMs: number): AlertingRule => ({
  alert: 'ImmuneNodeCollectorDown',
  expr: `up{job="${JOB}"} == 0`,
  for: seconds(forMs),
  labels: { severity: 'critical', kind: 'collector-down' },
  annotations: {
    summary: 'Collector down: {{ $labels.instance }}',
    description:
      'Prometheus can’t scrape the collector, so the state of its nodes is unknown and no other alarm about them can fire. Check that the collector is running and that Prometheus can reach its address.',
  },
})

const limitOf = ({ id }: Metric, side: string, severity: string): string =>
  `on (instance, service, node) ${LIMIT_NAME}{metric="${id}",side="${side}",severity="${severity}"}`

function metricRules(
  make: MakeRule,
  metric: Metric,
  test: BuiltInTest,
  intervalMs: number,
): readonly AlertingRule[] {
  const kind = kindOf(metric.id, test)
  if (test === 'differs') return differing(make, metric, intervalMs)
  if (test === 'wrong')
    return [make(kind, 'critical', { expr: `${metric.prometheusName} == 0`, about: 'node' })]
  if (metric.kind === 'state')
    return (['critical', 'warning', 'info'] as const).map((severity) =>
      make(kind, severity, { expr: `${meaningNameOf(metric)}{state="${severity}"} == 1`, about: 'node' }),
    )
  const side = test === 'below' ? 'below' : 'above'
  // Not the recorded value, because rule groups do not wait for each other.
  const value = metric.kind === 'timestamp' ? `time() - ${metric.prometheusName}` : metric.prometheusName
  const sign = side === 'below' ? '<' : '>'
  return (['critical', 'warning'] as const)
    .filter((severity) => severity === 'warning' || metric.kind === 'timestamp')
    .map((severity) =>
      make(kind, severity, { expr: `${value} ${sign} ${limitOf(metric, side, severity)}`, about: 'node' }),
    )
}

/** Waits as long as for a silent node, because a metric that can't be read is just as unknown. */
function unreadableRules(
  make: MakeRule,
  { id, lead }: Metric,
  test: BuiltInTest,
  intervalMs: number,
): readonly AlertingRule[] {
  if (lead !== true || (test !== 'left' && test !== 'old')) return []
  const expr = `${UNREADABLE_NAME}{metric="${id}"} == 1`
  const { severity } = CONDITIONS['data/field']
  const rule = make(kindOf(id, test), severity, { expr, forMs: blindAfterMs(intervalMs), about: 'node' })
  return [{ ...rule, alert: `${rule.alert}Unreadable` }]
}

/** Waits as long as one service may lag behind another. */
function differing(make: MakeRule, metric: Metric, intervalMs: number): readonly AlertingRule[] {
  const name = metric.prometheusName
  const expr =
    metric.kind === 'state'
      ? `count by (node) (count by (node, ${metric.id}) (${name} == 1)) > 1`
      : `max by (node) (${name}) != min by (node) (${name})`
  // A counter advances in the meantime, and only the verdict of a proof is exported.
  if (metric.kind !== 'state' && metric.kind !== 'gauge') return []
  const forMs = DEFAULTS.crossCheckLagMs + intervalMs
  return [make(kindOf(metric.id, 'differs'), 'warning', { expr, forMs, about: 'node' })]
}

const recordedName = ({ id }: Metric): string =>
  `immune_node:${id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
/** Recorded values for overviews: ages, hourly rates, and figures per network. */
const recordingRules = (registry: MetricRegistry): readonly RecordingRule[] => [
  ...registry.flatMap((metric): readonly RecordingRule[] => {
    const { kind, unit, prometheusName: name } = metric
    if (kind === 'timestamp')
      return [{ record: `${recordedName(metric)}:age_seconds`, expr: `time() - ${name}` }]
    if (kind === 'counter')
      return [{ record: `${recordedName(metric)}:per_hour`, expr: `rate(${name}[1h]) * 3600` }]
    if (kind === 'gauge' && unit === 'amount')
      return [{ record: `immune_network:${metric.id}:sum`, expr: `sum by (service) (${name})` }]
    return []
  }),
  { record: 'immune_network:nodes:count', expr: 'count by (service) (immune_node_info)' },
  { record: 'immune_network:nodes_up:ratio', expr: 'avg by (service) (immune_node_up)' },
  ...weighted(registry),
]

/** Shares weighted by the nodes' stake. */
function weighted(registry: MetricRegistry): readonly RecordingRule[] {
  const amount = registry.find(({ unit }) => unit === 'amount')?.prometheusName
  if (amount === undefined) return []
  return registry.flatMap(({ id, unit, prometheusName: name }) =>
    unit === 'ratio'
      ? [
          {
            record: `immune_network:${id}:weighted`,
            expr: `sum by (service) (${name} * ${amount}) / sum by (service) (${amount} and ${name})`,
          },
        ]
      : [],
  )
}

/** Writes YAML, of which JSON strings are a subset. */
export function rulesYaml({ groups }: RulesFile): string {
  const text = (value: string): string => (/^[\w:.()-]+$/.test(value) ? value : JSON.stringify(value))
  const map = (values: Readonly<Record<string, string>>, indent: string): string =>
    Object.entries(values)
      .map(([name, value]) => `${indent}${name}: ${text(value)}\n`)
      .join('')
  const rule = (given: AlertingRule | RecordingRule): string => {
    const { labels, annotations, ...plain }: Partial<AlertingRule> & Partial<RecordingRule> = given
    const [first = '', ...others] = Object.entries(plain).map(([name, value]) => `${name}: ${text(value)}\n`)
    return [
      `      - ${first}`,
      ...others.map((line) => `        ${line}`),
      labels === undefined ? '' : `        labels:\n${map(labels, '          ')}`,
      annotations === undefined ? '' : `        annotations:\n${map(annotations, '          ')}`,
    ].join('')
  }
  const group = (given: RulesFile['groups'][number]): string =>
    `  - name: ${given.name}\n    interval: ${given.interval}\n    rules:\n${given.rules.map(rule).join('')}`
  return `groups:\n${groups.map(group).join('')}`
}
