import { columnOf, decimate, type Columns } from './decimate.ts'
import type { AmountPoints, Band, Gap, LaneData, LaneQuery, LaneStats, Points, ThreatBar } from './history.ts'
import { maxGapMsOf } from './roll-series.ts'
import { NOT_WATCHED, OUTCOMES, placeAt, PROOF_CHANGED, RESTARTED, type Series } from './series.ts'
import { coarsenSpans, spansOf } from './spans.ts'

export const COLUMNS_MAX = 4_000
/** Bars beyond the number of columns could not be told apart. */
const BARS_MAX = 4_000

/** Everything that one node's lanes draw. A range that is empty or turned round holds nothing. */
export function lanesOf(series: Series, gaps: readonly Gap[], query: LaneQuery): LaneData {
  const { fromMs, maxGapMs } = query
  const toMs = Math.max(query.toMs, fromMs + 1)
  const count = Math.min(COLUMNS_MAX, Math.max(1, Math.floor(query.columns)))
  const columns: Columns = { fromMs, toMs, count }
  const start = placeAt(series, fromMs)
  const end = placeAt(series, toMs)
  const { atMs, everyMs, heartbeatAgeMs, participation, stake, latencyMs } = series.columns
  // What was asked for less often in its time was no hole.
  const maxGapAt = (place: number): number => Math.max(maxGapMs, maxGapMsOf(everyMs[place] ?? 0))
  const points = (value: Float64Array): Points => decimate(atMs, value, start, end, columns, maxGapAt)
  const lanes = {
    heartbeatAge: points(heartbeatAgeMs),
    participation: points(participation),
    stake: withExact(series, points(stake)),
    latency: points(latencyMs),
  }
  const spans = spansOf(series, gaps, { fromMs, toMs, maxGapAt })
  const unwatched = spans.filter((span) => span.kind === 'not-watched')
  const threats = threatBars(series, fromMs, toMs, query.barMs)
  return {
    fromMs,
    toMs,
    stepMs: 0,
    points: Math.max(...Object.values(lanes).map((lane) => lane.atMs.length)),
    ...outcomes(series, start, end),
    notWatchedMs: unwatched.reduce((sumMs, span) => sumMs + span.toMs - span.fromMs, 0),
    spans: coarsenSpans(spans, fromMs, toMs, count),
    ...lanes,
    latencyBand: bandOf(series, start, end, columns),
    stats: {
      heartbeatAge: statsOf(heartbeatAgeMs, start, end),
      participation: statsOf(participation, start, end),
      stake: statsOf(stake, start, end),
      latency: statsOf(latencyMs, start, end),
    },
    threats,
    threatIncrease: sumOf(series.columns.threatIncrease, start, end),
    proofChanges: marks(series, start, end, PROOF_CHANGED, columns),
    restarts: marks(series, start, end, RESTARTED, columns),
  }
}

/** The points of the stakes, with the texts of those that no double shows. */
function withExact(series: Series, points: Points): AmountPoints {
  const { columns, texts } = series
  const exact = new Map<number, string>()
  for (const [point, atMs] of points.atMs.entries()) {
    if (Number.isNaN(points.value[point])) continue
    const text = columns.stakeText[placeAt(series, atMs)] ?? 0
    if (text !== 0) exact.set(atMs, texts.list[text] ?? '')
  }
  return { ...points, exact }
}

/** Steps of a band: more would be noise. */
const BAND_STEPS = 100

function bandOf({ columns }: Series, start: number, end: number, { fromMs, toMs }: Columns): Band {
  const stepMs = Math.max(1, Math.ceil((toMs - fromMs) / BAND_STEPS))
  // On whole multiples since 1970, so that the steps keep still while the range moves.
  const baseMs = Math.floor(fromMs / stepMs) * stepMs
  const steps = Math.ceil((toMs - baseMs) / stepMs)
  const [p50, p95] = [new Float64Array(steps).fill(Number.NaN), new Float64Array(steps).fill(Number.NaN)]
  for (let step = 0, place = start; step < steps; step++) {
    const values: number[] = []
    for (; place < end && (columns.atMs[place] ?? 0) < baseMs + (step + 1) * stepMs; place++) {
      const value = columns.latencyMs[place] ?? Number.NaN
      if (!Number.isNaN(value)) values.push(value)
    }
    if (values.length === 0) continue
    values.sort((a, b) => a - b)
    p50[step] = values[Math.ceil(0.5 * values.length) - 1] ?? Number.NaN
    p95[step] = values[Math.ceil(0.95 * values.length) - 1] ?? Number.NaN
  }
  return { atMs: Float64Array.from(p50, (_, step) => baseMs + step * stepMs), stepMs, p50, p95 }
}

/** Polls that this computer could not make, for want of a network, count as neither answered nor failed. */
function outcomes({ columns }: Series, start: number, end: number) {
  let samples = 0
  let answered = 0
  let failed = 0
  for (let place = start; place < end; place++) {
    const code = columns.outcome[place] ?? NOT_WATCHED
    if (code === NOT_WATCHED) continue
    samples++
    const outcome = OUTCOMES[code]
    if (outcome === 'answered') answered++
    else if (outcome !== 'offline') failed++
  }
  return { samples, answered, failed }
}

function statsOf(value: Float64Array, start: number, end: number): LaneStats {
  let min = Number.NaN
  let max = Number.NaN
  let last = Number.NaN
  for (let place = start; place < end; place++) {
    const current = value[place] ?? Number.NaN
    if (Number.isNaN(current)) continue
    min = current >= min ? min : current
    max = current <= max ? max : current
    last = current
  }
  return { min, max, last }
}

const sumOf = (value: Float64Array, start: number, end: number): number =>
  value.subarray(start, end).reduce((sum, current) => sum + current, 0)

/**
 * Bars stand on multiples of their width since 1970, so they keep still while the range
 * moves; the first and the last one count whole, also beyond the range's edge.
 */
function threatBars(series: Series, fromMs: number, toMs: number, wantedMs: number): readonly ThreatBar[] {
  const barMs = Math.max(1, wantedMs, (toMs - fromMs) / BARS_MAX)
  const { atMs, threatIncrease, flags, outcome } = series.columns
  const bars: { fromMs: number; toMs: number; increase: number; restarted: boolean }[] = []
  const end = placeAt(series, Math.ceil(toMs / barMs) * barMs)
  for (let place = placeAt(series, Math.floor(fromMs / barMs) * barMs); place < end; place++) {
    if (outcome[place] === NOT_WATCHED) continue
    const barFromMs = Math.floor((atMs[place] ?? 0) / barMs) * barMs
    let bar = bars.at(-1)
    if (bar?.fromMs !== barFromMs)
      bars.push((bar = { fromMs: barFromMs, toMs: barFromMs + barMs, increase: 0, restarted: false }))
    bar.increase += threatIncrease[place] ?? 0
    bar.restarted ||= ((flags[place] ?? 0) & RESTARTED) !== 0
  }
  return bars
}

/** Times at which something happened, the first of each pixel column. */
function marks(
  { columns: { atMs, flags } }: Series,
  start: number,
  end: number,
  flag: number,
  columns: Columns,
): Float64Array {
  const times: number[] = []
  let lastColumn = -1
  for (let place = start; place < end; place++) {
    if (((flags[place] ?? 0) & flag) === 0) continue
    const time = atMs[place] ?? 0
    const column = columnOf(columns, time)
    if (column === lastColumn) continue
    lastColumn = column
    times.push(time)
  }
  return Float64Array.from(times)
}
