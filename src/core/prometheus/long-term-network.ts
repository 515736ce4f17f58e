import { MINUTE_MS } from '#base/time.ts'
import {
  AGE_EDGES_MS,
  breakSums,
  type NetworkLine,
  type LinePoint,
  type NetworkSeries,
} from '#fleet/network-metrics.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { columnOf, partOf, type AnsweredSeries } from './query-answer.ts'
import type { Column, LongTermQuery } from './long-term-series.ts'
import { meaningNameOf, part, series } from './queries.ts'

/** Network figures at the end of each step. */
export type LongTermNetwork = LongTermQuery & {
  readonly lines: readonly { readonly id: string; readonly value: Column; readonly nodes: Column }[]
}

/** A rate over a shorter time would depend on single events. */
const RATE_MIN_MS = 10 * MINUTE_MS

/** How many scrapes back the newest value may be. */
const SCRAPES_BACK = 3

/** All figures as one query, each with its number of nodes; computed as on the page. */
export function networkExpression(
  registry: MetricRegistry,
  selector: Readonly<Record<string, string>>,
  services: readonly string[],
  stepMs: number,
  scrapeMs: number,
): string {
  const of = (name: string, more: Readonly<Record<string, string>> = {}): string =>
    series(name, { ...selector, ...more }, anyOf(services))
  const amount = registry.find(({ unit }) => unit === 'amount')
  // Explicit, because engines differ in how long an ended series still counts.
  const now = (selected: string): string =>
    ofEachNode(`last_over_time(${selected}[${(SCRAPES_BACK * scrapeMs) / 1_000}s])`)
  const weight = amount && now(of(amount.prometheusName))
  return registry
    .flatMap((metric): readonly string[] => {
      const figure = figureOf(metric, of, now, weight, Math.max(RATE_MIN_MS, stepMs))
      if (figure === undefined) return []
      return [part(metric.id, figure.value), part(`${metric.id}:nodes`, `count(${figure.nodes})`)]
    })
    .join(' or ')
}

const anyOf = (services: readonly string[]): string =>
  `service=~${JSON.stringify(services.map(escaped).join('|'))}`

/** Escapes for RE2. */
const escaped = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')

/** One series per node, even if several collectors report it. */
const ofEachNode = (expression: string): string => `max by (service, node) (${expression})`

type Figure = { readonly value: string; readonly nodes: string }

function figureOf(
  metric: Metric,
  of: (name: string, more?: Readonly<Record<string, string>>) => string,
  now: (selected: string) => string,
  weight: string | undefined,
  rateMs: number,
): Figure | undefined {
  const selected = of(metric.prometheusName)
  const all = now(selected)
  switch (metric.kind) {
    case 'gauge':
      if (metric.unit === 'amount') return { value: `sum(${all})`, nodes: all }
      if (metric.unit !== 'ratio') return undefined
      return weight === undefined
        ? { value: `avg(${all})`, nodes: all }
        : { value: `sum(${all} * ${weight}) / sum(${weight} and ${all})`, nodes: `${weight} and ${all}` }
    case 'state': {
      if (metric.check === undefined) return undefined
      const good = now(of(meaningNameOf(metric), { state: 'ok' }))
      return weight === undefined
        ? { value: shareOf(`count(${good})`, `count(${all})`), nodes: all }
        : {
            value: shareOf(`sum(${weight} and ${good})`, `sum(${weight} and ${all})`),
            nodes: `${weight} and ${all}`,
          }
    }
    case 'counter': {
      const rate = ofEachNode(`rate(${selected}[${rateMs / 1_000}s])`)
      return { value: `sum(${rate}) * 3600`, nodes: rate }
    }
    case 'timestamp': {
      // The age at the time of the scrape.
      const age = ofEachNode(`timestamp(${selected}) - ${selected}`)
      return { value: `sum(${age} < bool ${AGE_EDGES_MS[0] / 1_000}) / count(${age})`, nodes: age }
    }
    case 'fingerprint':
      return undefined
  }
}

/** A share without matching nodes is 0, not unknown. */
const shareOf = (some: string, all: string): string => `(${some} or 0 * ${all}) / ${all}`

export const longTermNetwork = (
  registry: MetricRegistry,
  query: LongTermQuery,
  answer: readonly AnsweredSeries[],
): LongTermNetwork => ({
  ...query,
  lines: registry.flatMap(({ id }) => {
    const value = columnOf(partOf(answer, id), query)
    const nodes = columnOf(partOf(answer, `${id}:nodes`), query)
    return nodes.every((counted) => counted === null) ? [] : [{ id, value, nodes }]
  }),
})

export const isWatched = (own: NetworkSeries, steps: LongTermQuery): boolean =>
  endsOf(steps, own.toMs).every((endMs) =>
    own.lines.some((line) => isSeen(line, endMs - steps.stepMs, endMs)),
  )

/** Fills the steps that this browser did not watch with the query API's values. */
export function joinNetwork(
  registry: MetricRegistry,
  own: NetworkSeries,
  longTerm: LongTermNetwork,
): NetworkSeries {
  const lines = registry.flatMap(({ id, unit }) => {
    const line = own.lines.find((one) => one.id === id)
    const kept = longTerm.lines.find((one) => one.id === id)
    if (kept === undefined) return line ?? []
    return joinLine(line ?? { id, ...NO_POINTS }, kept, longTerm, own.toMs, unit === 'amount')
  })
  return { ...own, fromMs: Math.min(own.fromMs, ...lines.flatMap(({ atMs }) => atMs[0] ?? [])), lines }
}

const NO_POINTS: Omit<NetworkLine, 'id'> = {
  atMs: new Float64Array(),
  value: new Float64Array(),
  nodes: [0, 0],
  of: 0,
}

function joinLine(
  own: NetworkLine,
  longTerm: LongTermNetwork['lines'][number],
  steps: LongTermQuery,
  toMs: number,
  isSum: boolean,
): NetworkLine {
  const missed = endsOf(steps, toMs).flatMap((atMs, step): readonly LinePoint[] => {
    if (isSeen(own, atMs - steps.stepMs, atMs)) return []
    const counted = longTerm.nodes[step] ?? 0
    // A step unknown to both breaks the line.
    return [{ atMs, value: longTerm.value[step] ?? Number.NaN, nodes: [counted, counted] }]
  })
  const kept = missed.filter(({ value }) => !Number.isNaN(value))
  const last = kept.at(-1)
  if (last === undefined) return own
  const isKept = (at: number) => kept.some(({ atMs }) => isIn(at, atMs - steps.stepMs, atMs))
  const seen = Array.from(own.atMs, (atMs, index): LinePoint => {
    return { atMs, value: own.value[index] ?? Number.NaN, nodes: own.nodes }
  })
  const points = [
    // The query API has data for steps in which this browser's line breaks.
    ...seen.filter(({ atMs, value }) => !Number.isNaN(value) || !isKept(atMs)),
    ...missed,
  ].toSorted((one, other) => one.atMs - other.atMs)
  const broken = isSum ? breakSums(points) : points
  const counts = [...(seen.length > 0 ? own.nodes : []), ...kept.flatMap(({ nodes }) => nodes)]
  return {
    id: own.id,
    atMs: Float64Array.from(broken, ({ atMs }) => atMs),
    value: Float64Array.from(broken, ({ value }) => value),
    nodes: [Math.min(...counts), Math.max(...counts)],
    of: Math.max(own.of, ...counts),
    longTermUntilMs: last.atMs,
  }
}

/** Leaves out a last step that has not ended. */
const endsOf = ({ fromMs, stepMs, count }: LongTermQuery, toMs: number): readonly number[] =>
  Array.from({ length: count }, (_, step) => fromMs + (step + 1) * stepMs).filter((endMs) => endMs <= toMs)

const isIn = (atMs: number, afterMs: number, untilMs: number): boolean => atMs > afterMs && atMs <= untilMs

const isSeen = ({ atMs, value }: NetworkLine, afterMs: number, untilMs: number): boolean =>
  atMs.some((at, index) => isIn(at, afterMs, untilMs) && !Number.isNaN(value[index] ?? Number.NaN))
