import { DEFAULTS } from '#protocol/defaults.ts'
import { isExactAsDouble } from '#protocol/exact-number.ts'
import { readParticipation } from '#protocol/participation.ts'
import type { Service } from '#protocol/settings.ts'
import type { LaneData } from '#history/history.ts'
import type { NodeLive } from '#monitor/live.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import {
  ageParts,
  exactParts,
  formatAge,
  formatCompact,
  formatCount,
  formatLatency,
  formatPercent,
  formatSpan,
  latencyParts,
  percentParts,
} from '#texts/format.ts'
import type { ChartLane, LimitLine } from '#ui/chart/chart-types.ts'
import type { FigurePart } from '#ui/figure.tsx'
import { shortProof } from './short-proof.ts'

const words = nodeHistoryTexts.lanes

export type LaneContext = {
  readonly node: NodeLive
  readonly service: Service
  readonly lanes: LaneData
  /** The values are the last known, not the current. */
  readonly old: boolean
  /** How far back the axis goes, e.g. "in 15 m" or "this session". */
  readonly inRange: string
  /** Width of one threat bar. */
  readonly barMs: number
}

/** In place of a value: it came and can't be used, or nothing came yet. */
const noValue = ({ reading }: NodeLive): readonly FigurePart[] => [
  { text: reading === undefined ? words.noValue : words.notUsable, as: 'word' },
]

const asUnit = (text: string): FigurePart => ({ text, as: 'unit' })

const noteOf = (value: number, say: (text: string) => string, format: (value: number) => string) =>
  Number.isFinite(value) ? { note: say(format(value)) } : {}

export function heartbeatLane({ node, service, lanes, old }: LaneContext): ChartLane {
  const heartbeat = node.reading?.heartbeat
  const limit = (periods: number, level: LimitLine['level'], say: (limit: string) => string): LimitLine => {
    const value = service.heartbeatPeriodMs * periods
    return { value, level, label: say(formatSpan(value)), bad: 'above' }
  }
  return {
    id: 'heartbeat',
    title: words.heartbeat,
    kind: 'area',
    old,
    ...noteOf(lanes.stats.heartbeatAge.max, words.max, formatAge),
    value:
      heartbeat === undefined || heartbeat.kind === 'unknown'
        ? noValue(node)
        : [
            ...ageParts(heartbeat.ageMs).flatMap((part) => [{ text: part.figure }, asUnit(part.unit)]),
            asUnit(` ${words.atAnswer}`),
          ],
    points: lanes.heartbeatAge,
    format: formatAge,
    tickFormat: formatSpan,
    limits: [
      limit(DEFAULTS.heartbeatWarningPeriods, 'warning', words.warn),
      limit(DEFAULTS.heartbeatCriticalPeriods, 'critical', words.crit),
    ],
  }
}

export function participationLane({ node, service, lanes, old }: LaneContext): ChartLane {
  const field = node.reading?.record.participation
  const read = field?.ok === true ? readParticipation(field.value, service.participationUnit) : undefined
  return {
    id: 'participation',
    title: words.participation,
    kind: 'line',
    old,
    ...noteOf(lanes.stats.participation.min, words.min, formatPercent),
    value: read === undefined ? noValue(node) : percentFigure(read.ratio),
    points: lanes.participation,
    domain: participationDomain(lanes),
    format: formatPercent,
  }
}

/** A percentage point at least, so that noise does not fill the lane, and never beyond what can be. */
const SPAN_MIN = 0.01

function participationDomain({ stats: { participation } }: LaneData): readonly [number, number] {
  const { min, max } = participation
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1]
  const half = (Math.max(max - min, SPAN_MIN) * 1.2) / 2
  const middle = (min + max) / 2
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

function percentFigure(ratio: number): readonly FigurePart[] {
  const { whole, fraction } = percentParts(ratio)
  return [{ text: whole }, asUnit(`${fraction}\u00a0%`)]
}

export function threatLane({ node, lanes, old, inRange, barMs }: LaneContext): ChartLane {
  const field = node.reading?.record.threatResponses
  return {
    id: 'threats',
    title: words.threats,
    kind: 'bars',
    old,
    ...(field?.ok === true && { note: words.total(exactParts(field.value.text).whole) }),
    value:
      lanes.samples === 0
        ? noValue(node)
        : [{ text: `+${formatCount(lanes.threatIncrease)}` }, asUnit(` ${inRange}`)],
    // Bars stand on whole minutes or the like, so the outermost reach beyond the axis.
    bars: lanes.threats.map(({ fromMs, toMs, increase }) => ({
      fromMs: Math.max(fromMs, lanes.fromMs),
      toMs: Math.min(toMs, lanes.toMs),
      value: increase,
    })),
    format: (value) => words.inBar(formatCount(value), formatSpan(barMs)),
    tickFormat: formatCompact,
    // Few responses are still whole ones: no half of one on the axis.
    ...(lanes.threats.every(({ increase }) => increase < FEW) && {
      domain: [0, FEW],
      ticks: [0, FEW / 2, FEW],
    }),
  }
}

const FEW = 4

/** Digits that fit beside a chart; the exact amount always stands in the record. */
const STAKE_CHARS_MAX = 14

export function stakeLane({ node, service, lanes, old }: LaneContext): ChartLane {
  const field = node.reading?.record.stake
  const amount = field?.ok === true ? field.value : undefined
  return {
    id: 'stake',
    title: words.stake,
    kind: 'steps',
    old,
    ...(amount !== undefined && !isExactAsDouble(amount) && { note: words.rounded }),
    value: amount === undefined ? noValue(node) : stakeFigure(amount, service.stakeUnit),
    points: lanes.stake,
    format: (value) => formatCount(value),
    tickFormat: formatCompact,
  }
}

function stakeFigure(
  amount: { readonly text: string; readonly value: number },
  stakeUnit: string,
): readonly FigurePart[] {
  const { whole, fraction } = exactParts(amount.text)
  const fits = whole.length + fraction.length <= STAKE_CHARS_MAX
  return [
    { text: fits ? whole : formatCompact(amount.value) },
    ...(fits && fraction !== '' ? [asUnit(fraction)] : []),
    ...(stakeUnit === '' ? [] : [asUnit(` ${stakeUnit}`)]),
  ]
}

export function latencyLane({ node, lanes, old }: LaneContext): ChartLane {
  const { reading } = node
  const took = reading === undefined ? undefined : latencyParts(reading.latencyMs)
  return {
    id: 'latency',
    title: words.latency,
    kind: 'area',
    old,
    ...noteOf(lanes.stats.latency.max, words.max, formatLatency),
    value: took === undefined ? noValue(node) : [{ text: took.figure }, asUnit(took.unit)],
    points: lanes.latency,
    format: formatLatency,
  }
}

export function proofLane({ node, lanes, old }: LaneContext): ChartLane {
  const field = node.reading?.record.proof
  return {
    id: 'proof',
    title: words.proof,
    kind: 'ticks',
    height: 'short',
    old,
    value: field?.ok === true ? [{ text: shortProof(field.value) }] : noValue(node),
    atMs: lanes.proofChanges,
    format: () => words.proofChanged,
  }
}
