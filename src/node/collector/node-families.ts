import { DEFAULTS } from '#base/defaults.ts'
import { toVisibleText } from '#base/visible-text.ts'
import {
  ageAtReading,
  readingAgeMs,
  type NodeLive,
  type Reading,
  type ServiceLive,
  pollIntervalOf,
} from '#fleet/live.ts'
import { assess } from '#evaluate/assess.ts'
import { classOf, countClasses, stageAt } from '#fleet/assessment.ts'
import { fieldOf } from '#metrics/answer.ts'
import { evaluateMetric, shownValue } from '#metrics/evaluate-metric.ts'
import type { Metric, MetricOf, MetricRegistry } from '#metrics/metric.ts'
import { FAILURE_NAME, meaningNameOf, remainderNameOf, UP_NAME } from '#prometheus/queries.ts'
import type { Labels, MetricHead, Point } from '#node/metrics-text.ts'
import { isLess, spreadText } from '#record/amount.ts'
import { isExactAsDouble, parseExactNumber } from '#record/exact-number.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective.ts'

/** One exported metric and its current points; a node without a point becomes stale. */
export type Family = MetricHead & { readonly points: (fleet: ExposedFleet) => readonly Point[] }

export type ExposedFleet = {
  readonly nodes: readonly NodeLive[]
  readonly services: ReadonlyMap<string, ServiceLive>
  readonly nowMs: number
}

const gauge = (family: Omit<Family, 'type'>): Family => ({ ...family, type: 'gauge' })

/** The node id as requested; the default node has none. */
export const labelsOf = (
  { serviceId, nodeId }: NodeLive,
  { services }: Pick<ExposedFleet, 'services'>,
): Labels => ({
  service: services.get(serviceId)?.service.baseUrl ?? serviceId,
  node: nodeId ?? 'own',
})

/** The reading while it counts as current, by the same rule as on the dashboard. */
function currentReading(node: NodeLive, { services, nowMs }: ExposedFleet): Reading | undefined {
  const { reading } = node
  const intervalMs = pollIntervalOf(node, services.get(node.serviceId))
  if (reading === undefined) return undefined
  return readingAgeMs(reading, nowMs) > DEFAULTS.staleAfterIntervals * intervalMs ? undefined : reading
}

type CurrentNode = {
  readonly node: NodeLive
  readonly labels: Labels
  readonly reading: Reading
  readonly settings: EffectiveSettings
}

/** Families of all metrics in the registry; a new metric needs no line here. */
export function nodeFamilies(registry: MetricRegistry): readonly Family[] {
  const words = createKnownWords()
  return [
    UP,
    FAILURE,
    INFO,
    LAST_ANSWER,
    ...registry.flatMap((metric) => familiesOf(metric, words)),
    limitFamily(registry),
    unreadableFamily(registry),
  ]
}

/**
 * Counts each node in exactly one class, as on the screens. The collector's alarms cannot be shelved, so that class is absent.
 */
export const classFamily = (registry: MetricRegistry): Family =>
  gauge({
    name: 'immune_node_nodes',
    help: 'Number of nodes by class; each node is in exactly one class.',
    points: ({ nodes, services, nowMs }) => {
      const counts = countClasses(
        nodes.map((node) => {
          const service = services.get(node.serviceId)
          const stage = service && stageAt(assess(node, service, registry), nowMs)
          return classOf(stage, false)
        }),
      )
      return COUNTED.map((each) => ({ labels: { class: each }, value: counts[each] }))
    },
  })

const COUNTED = ['no-data', 'critical', 'warning', 'info', 'ok'] as const

const UP: Family = gauge({
  name: UP_NAME,
  help: 'Whether the node’s last poll returned a record (1) or failed (0).',
  points: (fleet) =>
    fleet.nodes.flatMap((node) => {
      const { reading, episode } = node
      if (reading === undefined && episode === undefined) return []
      return [{ labels: labelsOf(node, fleet), value: episode === undefined ? 1 : 0 }]
    }),
})

/** Only for failing nodes; past failures have no series. */
const FAILURE: Family = gauge({
  name: FAILURE_NAME,
  help: 'Why the node’s last poll failed; 1 while polls fail, otherwise absent.',
  points: (fleet) =>
    fleet.nodes.flatMap((node) =>
      node.episode === undefined
        ? []
        : [{ labels: { ...labelsOf(node, fleet), kind: node.episode.failure.kind }, value: 1 }],
    ),
})

const INFO: Family = gauge({
  name: 'immune_node_info',
  help: 'The node’s name and tags in the configuration; always 1.',
  points: (fleet) =>
    fleet.nodes.map((node) => ({
      labels: { ...labelsOf(node, fleet), name: node.name ?? '', tags: node.tags.toSorted().join(',') },
      value: 1,
    })),
})

const LAST_ANSWER: Family = gauge({
  name: 'immune_node_last_answer_timestamp_seconds',
  help: 'When the collector sent the last poll that returned a record, by its own clock.',
  points: (fleet) =>
    fleet.nodes.flatMap((node) =>
      node.reading === undefined
        ? []
        : [{ labels: labelsOf(node, fleet), value: unixSeconds(node.reading.startedWallMs) }],
    ),
})

function familiesOf(metric: Metric, words: KnownWords): readonly Family[] {
  switch (metric.kind) {
    case 'state':
      return [stateFamily(metric, words), ...(metric.evaluate === undefined ? [] : [meaningFamily(metric)])]
    case 'gauge':
      return [gaugeFamily(metric), ...(metric.exact === true ? [remainderFamily(metric)] : [])]
    case 'counter':
      return [counterFamily(metric)]
    case 'timestamp':
      return [timestampFamily(metric)]
    case 'fingerprint':
      return [proofFamily(metric)]
  }
}

const pointsOf =
  (read: (current: CurrentNode) => readonly Point[]): Family['points'] =>
  (fleet) =>
    fleet.nodes.flatMap((node) => {
      const reading = currentReading(node, fleet)
      const service = fleet.services.get(node.serviceId)
      if (reading === undefined || service === undefined) return []
      return read({
        node,
        labels: labelsOf(node, fleet),
        reading,
        settings: effectiveSettings(service.rules, node),
      })
    })

const onePoint = (value: (current: CurrentNode) => number | undefined): Family['points'] =>
  pointsOf((current) => {
    const found = value(current)
    return found === undefined ? [] : [{ labels: current.labels, value: found }]
  })

const stateFamily = (metric: MetricOf<'state'>, words: KnownWords): Family =>
  gauge({
    name: metric.prometheusName,
    help: `${metric.help} 1 for the current value, 0 for the other known values.`,
    points: pointsOf((current) => statePoints(metric, current, words)),
  })

/** The configured meaning of the status, so that a rule needs no list of words. */
const meaningFamily = (metric: MetricOf<'state'>): Family =>
  gauge({
    name: meaningNameOf(metric),
    help: `Meaning of the value of ${metric.prometheusName}: ok, warning or critical; info if none is configured. Always 1.`,
    points: pointsOf(({ labels, reading, settings }) => {
      const context = {
        settings,
        timeoutMs: Number.POSITIVE_INFINITY,
        age: undefined,
        ageMs: undefined,
        proof: undefined,
      }
      const { state } = evaluateMetric(metric, reading, context)
      return [{ labels: { ...labels, state }, value: 1 }]
    }),
  })

export const LIMIT_NAME = 'immune_node_limit'

/** The limits in force for each node, so that rules need none of their own. */
const limitFamily = (registry: MetricRegistry): Family =>
  gauge({
    name: LIMIT_NAME,
    help: 'Limits in force for the node by metric, in the exported metric’s unit.',
    points: (fleet) =>
      fleet.nodes.flatMap((node) => {
        const service = fleet.services.get(node.serviceId)
        if (service === undefined) return []
        const settings = effectiveSettings(service.rules, node)
        return registry.flatMap((metric) =>
          (metric.limits?.(settings) ?? []).map(({ side, state, value }) => ({
            labels: { ...labelsOf(node, fleet), metric: metric.id, side, severity: state },
            value: metric.unit === 'ms' ? value / 1_000 : value,
          })),
        )
      }),
  })

export const UNREADABLE_NAME = 'immune_node_unreadable'

/** Only for the metrics without which a node's state is unknown. */
const unreadableFamily = (registry: MetricRegistry): Family =>
  gauge({
    name: UNREADABLE_NAME,
    help: '1 if a metric that decides the node’s state can’t be read from the last record, otherwise absent.',
    points: pointsOf(({ labels, reading }) =>
      registry
        .filter((metric) => metric.lead === true && !fieldOf(metric, reading).ok)
        .map(({ id }) => ({ labels: { ...labels, metric: id }, value: 1 })),
    ),
  })

const gaugeFamily = (metric: MetricOf<'gauge'>): Family =>
  gauge({
    name: metric.prometheusName,
    help:
      metric.exact === true
        ? `${metric.help} Rounded beyond 2^53; ${remainderNameOf(metric)} has the remainder.`
        : metric.help,
    points: onePoint((current) => gaugeOf(metric, current)?.value),
  })

const counterFamily = (metric: MetricOf<'counter'>): Family => ({
  name: metric.prometheusName,
  help: metric.help,
  type: 'counter',
  points: onePoint(({ reading }) => {
    const field = fieldOf(metric, reading)
    return field.ok ? field.value.value : undefined
  }),
})

const timestampFamily = (metric: MetricOf<'timestamp'>): Family =>
  gauge({
    name: metric.prometheusName,
    help: `${metric.help} By the collector’s clock; absent if the clocks disagree.`,
    points: onePoint(({ reading }) => {
      const ageMs = ageAtReading(reading, metric.id)
      return ageMs === undefined ? undefined : unixSeconds(reading.startedWallMs - ageMs)
    }),
  })

const proofFamily = (metric: MetricOf<'fingerprint'>): Family =>
  gauge({
    name: metric.prometheusName,
    help: `${metric.help} 1: valid; 0: invalid; absent: not checked.`,
    points: onePoint(({ reading }) => VERDICTS.get(reading.proof?.kind)),
  })

/** Clocks are not accurate beyond the millisecond. */
const unixSeconds = (wallMs: number): number => Math.round(wallMs) / 1_000

const VERDICTS: ReadonlyMap<string | undefined, number> = new Map([
  ['verified', 1],
  ['wrong', 0],
])

/** In the displayed unit; durations in seconds. */
function gaugeOf(metric: MetricOf<'gauge'>, { reading, settings }: CurrentNode) {
  const field = fieldOf(metric, reading)
  const shown = field.ok ? shownValue(metric, field.value, settings) : undefined
  if (shown === undefined || metric.unit !== 'ms') return shown
  return { value: shown.value / 1_000, text: String(shown.value / 1_000) }
}

/**
 * Only for amounts that a double cannot represent, up to about 30 digits. A label with the exact text would start another
 * series at each change.
 */
const remainderFamily = (metric: MetricOf<'gauge'>): Family =>
  gauge({
    name: remainderNameOf(metric),
    help: `Exact amount minus ${metric.prometheusName}; absent if that is exact.`,
    points: onePoint((current) => {
      const shown = gaugeOf(metric, current)
      const rounded = shown && parseExactNumber(String(shown.value))?.text
      if (shown === undefined || rounded === undefined || isExactAsDouble(shown)) return undefined
      const text = spreadText([shown.text, rounded])
      const missing = Number(text)
      if (missing === 0 || parseExactNumber(String(missing))?.text !== text) return undefined
      return isLess(shown.text, rounded) ? -missing : missing
    }),
  })

function statePoints(
  metric: MetricOf<'state'>,
  { node, labels, reading, settings }: CurrentNode,
  words: KnownWords,
): readonly Point[] {
  const field = fieldOf(metric, reading)
  if (!field.ok) return []
  const reported = words.labelOf(node.serviceId, field.value)
  const all = new Set([...settings.statusWords.keys(), reported])
  return Array.from(all, (word) => ({
    labels: { ...labels, [metric.id]: word },
    value: word === reported ? 1 : 0,
  }))
}

/** Maximum number of words per service. Each word is a series, so a service that invents words must not fill Prometheus. */
const WORDS_MAX = 32
const OTHER_WORD = 'other'

type KnownWords = ReturnType<typeof createKnownWords>

function createKnownWords() {
  const byService = new Map<string, Set<string>>()
  return {
    labelOf: (service: string, word: string): string => {
      const known = byService.get(service) ?? new Set<string>()
      byService.set(service, known)
      const visible = toVisibleText(word)
      if (known.has(visible)) return visible
      if (known.size >= WORDS_MAX) return OTHER_WORD
      known.add(visible)
      return visible
    },
  }
}
