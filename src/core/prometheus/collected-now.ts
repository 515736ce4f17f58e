import { groupBy } from '#base/group-by.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { NODE_ID_MEMBER } from '#record/member-names.ts'
import { sumText } from '#record/amount.ts'
import { parseExactNumber } from '#record/exact-number.ts'
import { canonicalNodeId } from '#record/node-id.ts'
import type { Units } from '#settings/schema.ts'
import type { AnsweredSeries } from './query-answer.ts'
import { OWN_NODE } from './long-term-series.ts'
import { FAILURE_NAME, part, PART_LABEL, remainderNameOf, series, UP_NAME, type Selector } from './queries.ts'

const LAST_ANSWER_NAME = 'immune_node_last_answer_timestamp_seconds'

export type CollectedNode = {
  /** Whether the collector's last poll brought a record. `isSlow`: it timed out. */
  readonly isUp: boolean
  readonly isSlow: boolean
  /** Start of the last poll that brought a record, in Unix seconds by the collector's clock. */
  readonly answeredS: number
  /** As JSON in `COLLECTED_UNITS`; undefined without a current value. */
  readonly record: string | undefined
}

/** Units of a collected record, independent of the service's own. */
export const COLLECTED_UNITS = {
  participation: 'ratio',
  stakeDecimals: 0,
  heartbeat: 'ms',
} as const satisfies Units

export function nowExpression(registry: MetricRegistry, selector: Selector): string {
  const by = (labels: string, name: string): string => `max by (${labels}) (${series(name, selector)})`
  return [
    part('up', `min by (node) (${series(UP_NAME, selector)})`),
    part('failure', by('node, kind', FAILURE_NAME)),
    part('answered', by('node', LAST_ANSWER_NAME)),
    ...registry.flatMap((metric): readonly string[] => {
      const { id, kind, prometheusName } = metric
      if (metric.field === undefined || kind === 'fingerprint') return []
      if (kind === 'state') return [part(id, `${by(`node, ${id}`, prometheusName)} == 1`)]
      const value = part(id, by('node', prometheusName))
      return kind === 'gauge' && metric.exact === true
        ? [value, part(`${id}:remainder`, by('node', remainderNameOf(metric)))]
        : [value]
    }),
  ].join(' or ')
}

/** By canonical id; the default node as `OWN_NODE`. */
export function collectedNow(
  registry: MetricRegistry,
  answer: readonly AnsweredSeries[],
): ReadonlyMap<string, CollectedNode> {
  const named = answer.filter(({ labels }) => 'node' in labels && PART_LABEL in labels)
  const nodes = new Map<string, CollectedNode>()
  for (const [node = '', parts] of groupBy(named, ({ labels }) => labels['node'])) {
    const known = new Map(parts.map((one) => [one.labels[PART_LABEL] ?? '', one]))
    const answeredS = numberOf(known.get('answered'))
    nodes.set(node === OWN_NODE ? node : canonicalNodeId(node), {
      isUp: numberOf(known.get('up')) === 1,
      isSlow: known.get('failure')?.labels['kind'] === 'timeout',
      answeredS: answeredS ?? 0,
      record: answeredS === undefined ? undefined : recordOf(registry, node, known),
    })
  }
  return nodes
}

/** Written as text, because an exact amount exceeds a double. */
function recordOf(
  registry: MetricRegistry,
  node: string,
  known: ReadonlyMap<string, AnsweredSeries>,
): string | undefined {
  const members = registry.flatMap((metric) => {
    const text = metric.field === undefined ? undefined : writtenValue(metric, known)
    return text === undefined ? [] : [`${JSON.stringify(metric.field)}:${text}`]
  })
  if (members.length === 0) return undefined
  const id = node === OWN_NODE ? [] : [`${JSON.stringify(NODE_ID_MEMBER)}:${JSON.stringify(node)}`]
  return `{${[...id, ...members].join(',')}}`
}

function writtenValue({ id, kind }: Metric, known: ReadonlyMap<string, AnsweredSeries>): string | undefined {
  if (kind === 'state') {
    const word = known.get(id)?.labels[id]
    return word === undefined ? undefined : JSON.stringify(word)
  }
  const value = numberOf(known.get(id))
  if (value === undefined) return undefined
  if (kind === 'timestamp') return String(Math.round(value * 1_000))
  return withRemainder(value, numberOf(known.get(`${id}:remainder`)))
}

/** Adds the two as decimal texts, which gives the exact amount; adding doubles would not. */
function withRemainder(value: number, remainder = 0): string {
  const [amount, rest] = [value, remainder].map((one) => parseExactNumber(String(one))?.text)
  const isRest = amount !== undefined && rest !== undefined && remainder !== 0
  return isRest && value > Math.abs(remainder) ? sumText(amount, rest) : String(value)
}

const numberOf = (one: AnsweredSeries | undefined): number | undefined => one?.values[0]?.[1]
