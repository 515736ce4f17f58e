import { shifted } from '#record/amount.ts'
import type { EffectiveSettings } from '#settings/effective-settings.ts'
import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import { isExactAsDouble } from '#record/exact-number.ts'
import { readParticipation } from '#record/participation.ts'
import {
  lineIn,
  seriesIn,
  type LaneData,
  type LaneStats,
  type Usual,
  type UsualRange,
} from '#history/history.ts'
import type { NodeLive } from '#fleet/live.ts'
import { doubtOf } from '#texts/age-doubt.ts'
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
import { latencyBandLine } from './latency-band.ts'
import { shortProof } from '#texts/format-metric.ts'
import { stakeLine } from '#parts/stake-line.ts'

const words = nodeHistoryTexts.lanes

export type LaneContext = {
  readonly node: NodeLive
  readonly settings: EffectiveSettings
  readonly lanes: LaneData
  /** The values are the last known, not the current. */
  readonly old: boolean
  /** How far back the axis goes, e.g. "in 15 m" or "this session". */
  readonly inRange: string
  /** Of the last seven days; what is not known is not drawn. */
  readonly usual: Usual
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

export function heartbeatLane({ node, settings, lanes, old, usual }: LaneContext): ChartLane {
  const line = lineIn(lanes, 'heartbeat')
  const heartbeat = node.reading?.heartbeat
  return {
    id: 'heartbeat',
    title: words.heartbeat,
    kind: 'area',
    old,
    ...noteOf(line.stats.max, words.max, formatAge),
    value: heartbeat === undefined ? noValue(node) : ageFigure(heartbeat),
    points: line.points,
    ...usualOf(usual[line.id]),
    format: formatAge,
    tickFormat: formatSpan,
    limits: [
      ...limitLine(settings.heartbeatWarningMs.value, 'warning', 'above', formatSpan),
      ...limitLine(settings.heartbeatCriticalMs.value, 'critical', 'above', formatSpan),
    ],
  }
}

/** An age is never said more exactly than the clocks were compared. */
function ageFigure(heartbeat: HeartbeatAge): readonly FigurePart[] {
  if (!('ageMs' in heartbeat)) return [{ text: words.noValue, as: 'word' }]
  const doubt = doubtOf(heartbeat)
  return [
    ...ageParts(heartbeat.ageMs).flatMap((part) => [{ text: part.figure }, asUnit(part.unit)]),
    ...(doubt === undefined
      ? []
      : [asUnit(` ${doubt === 'unchecked' ? words.unchecked : words.within(doubt)}`)]),
    asUnit(` ${words.atAnswer}`),
  ]
}

const usualOf = (usual: readonly [number, number] | undefined) => (usual === undefined ? {} : { usual })

/** One line where there is a limit. */
function limitLine(
  value: number | undefined,
  level: LimitLine['level'],
  bad: LimitLine['bad'],
  format: (value: number) => string,
): readonly LimitLine[] {
  if (value === undefined) return []
  const say = level === 'critical' ? words.crit : words.warn
  return [{ value, level, label: say(format(value)), bad }]
}

export function participationLane({ node, settings, lanes, old, usual }: LaneContext): ChartLane {
  const line = lineIn(lanes, 'participation')
  const field = node.reading?.record.participation
  const read = field?.ok === true ? readParticipation(field.value, settings.participation.value) : undefined
  return {
    id: 'participation',
    title: words.participation,
    kind: 'line',
    old,
    ...noteOf(line.stats.min, words.min, formatPercent),
    value: read === undefined ? noValue(node) : percentFigure(read.ratio),
    points: line.points,
    ...usualOf(usual[line.id]),
    domain: participationDomain(line.stats, usual[line.id], [
      settings.participationBelow.value,
      settings.participationAbove.value,
    ]),
    format: formatPercent,
    limits: [
      ...limitLine(settings.participationBelow.value, 'warning', 'below', shortPercent),
      ...limitLine(settings.participationAbove.value, 'warning', 'above', shortPercent),
    ],
  }
}

/** A percentage point at least, so that noise does not fill the lane, and never beyond what can be. */
const SPAN_MIN = 0.01

/** Beside the plot there is room for nine characters: 99.90 % is 99.9 % there. */
const shortPercent = (ratio: number): string => formatPercent(ratio).replace(/\.?0+(?=\D*$)/, '')

/** A limit that is further away than this from every value need not be in view. */
const LIMIT_NEAR = 0.05

/** What was seen, and every limit that is near or broken. */
function participationDomain(
  { min: seenMin, max: seenMax }: LaneStats,
  usual: UsualRange | undefined,
  [below, above]: readonly [below: number | undefined, above: number | undefined],
): readonly [number, number] {
  if (!Number.isFinite(seenMin) || !Number.isFinite(seenMax)) return [0, 1]
  const inView = [
    ...(usual ?? []),
    ...(below !== undefined && below > seenMin - LIMIT_NEAR ? [below] : []),
    ...(above !== undefined && above < seenMax + LIMIT_NEAR ? [above] : []),
  ]
  const min = Math.min(seenMin, ...inView)
  const max = Math.max(seenMax, ...inView)
  const half = (Math.max(max - min, SPAN_MIN) * 1.2) / 2
  const middle = (min + max) / 2
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

function percentFigure(ratio: number): readonly FigurePart[] {
  const { whole, fraction } = percentParts(ratio)
  return [{ text: whole }, asUnit(`${fraction}\u00a0%`)]
}

export function threatLane({ node, lanes, old, inRange, barMs, usual }: LaneContext): ChartLane {
  const counter = seriesIn(lanes, 'bars', 'threatResponses')
  const bars = counter?.bars ?? []
  const field = node.reading?.record.threatResponses
  return {
    id: 'threats',
    title: words.threats,
    kind: 'bars',
    old,
    ...(field?.ok === true && { note: words.total(exactParts(field.value.text).whole) }),
    value:
      lanes.answered === 0 // polls that failed say nothing of it
        ? noValue(node)
        : [{ text: `+${formatCount(counter?.increase ?? 0)}` }, asUnit(` ${inRange}`)],
    // Bars stand on whole minutes or the like, so the outermost reach beyond the axis.
    bars: bars.map(({ fromMs, toMs, increase }) => ({
      fromMs: Math.max(fromMs, lanes.fromMs),
      toMs: Math.min(toMs, lanes.toMs),
      value: increase,
    })),
    format: (value) => words.inBar(formatCount(value), formatSpan(barMs)),
    tickFormat: formatCompact,
    // Few responses are still whole ones: no half of one on the axis.
    ...usualOf(usual['threatResponses']),
    ...([...bars.map(({ increase }) => increase), ...(usual['threatResponses'] ?? [])].every(
      (count) => count < FEW,
    ) && {
      domain: [0, FEW],
      ticks: [0, FEW / 2, FEW],
    }),
  }
}

const FEW = 4

/** Digits that fit beside a chart; the exact amount always stands in the record. */
const STAKE_CHARS_MAX = 14

export function stakeLane({ node, settings, lanes, old }: LaneContext): ChartLane {
  const field = node.reading?.record.stake
  const decimals = settings.stakeDecimals.value
  const amount = field?.ok === true ? shifted(field.value, decimals) : undefined
  return {
    id: 'stake',
    title: words.stake,
    ...stakeLine(lineIn(lanes, 'stake'), decimals),
    old,
    ...(amount !== undefined && !isExactAsDouble(amount) && { note: words.rounded }),
    value: amount === undefined ? noValue(node) : stakeFigure(amount, settings.stakeSymbol.value),
    limits: limitLine(
      settings.stakeBelow.value === undefined ? undefined : Number(settings.stakeBelow.value),
      'warning',
      'below',
      formatCompact,
    ),
  }
}

function stakeFigure(
  amount: { readonly text: string; readonly value: number },
  symbol: string,
): readonly FigurePart[] {
  const { whole, fraction } = exactParts(amount.text)
  const fits = whole.length + fraction.length <= STAKE_CHARS_MAX
  return [
    { text: fits ? whole : formatCompact(amount.value) },
    ...(fits && fraction !== '' ? [asUnit(fraction)] : []),
    ...(symbol === '' ? [] : [asUnit(` ${symbol}`)]),
  ]
}

export function latencyLane({ node, settings, lanes, old, usual }: LaneContext): ChartLane {
  const line = lineIn(lanes, 'answerTime')
  const { reading } = node
  const took = reading === undefined ? undefined : latencyParts(reading.latencyMs)
  return {
    id: 'latency',
    title: words.latency,
    // Each answer while there are few enough; then how they were spread over each step.
    ...(lanes.stepMs === 0 || line.band === undefined
      ? { kind: 'area', points: line.points }
      : latencyBandLine(line.band)),
    old,
    ...usualOf(usual[line.id]),
    ...noteOf(line.stats.max, words.max, formatLatency),
    value: took === undefined ? noValue(node) : [{ text: took.figure }, asUnit(took.unit)],
    format: formatLatency,
    limits: limitLine(settings.answerTimeAboveMs.value, 'warning', 'above', formatLatency),
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
    atMs: seriesIn(lanes, 'ticks', 'proof')?.atMs ?? new Float64Array(),
    format: () => words.proofChanged,
  }
}
