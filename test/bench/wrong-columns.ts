import { lineIn } from '#charts/charts.ts'
import { METRICS } from '#metrics/metrics.ts'
import { appendSamples, createSeries, maxGapMsOf } from '#history/series.ts'
import { rollSeries } from '#history/roll-series.ts'
import { rollupSource } from '#charts/rollup-source.ts'
import { seriesDataOf } from '#charts/series-data.ts'
import { linePath } from '#ui/chart/row-path.ts'
import { axis, COLUMN_MS, COLUMNS, SAMPLES, samples, STEP_MS, type Series } from './chart-page/month.ts'
import { alone, type Figure } from './figure.ts'

const HEIGHT_PX = 300
const LOW = 0.94
const HIGH = 1

/**
 * Counts pixel columns of a 30-day chart in which the drawn line covers other pixel rows than a line through all
 * 259,200 samples. The chart has 720 columns, one per hour. Both lines are read from the path that the page's own code
 * draws.
 */
export function measureWrongColumns(): Figure {
  const every = samples(0)
  const drawn = extents(pathPoints(rolled(every)))
  const exact = extents(pathPoints(every))
  const wrong = exact.filter((extent, column) => !isSame(extent, drawn[column])).length
  return alone('chart-wrong-columns', 'pixel columns', wrong, 0)
}

/** The points that history returns for 30 days: rollups of an hour. */
function rolled({ atMs, value }: Series): Series {
  const series = createSeries(METRICS)
  for (let place = 0; place < SAMPLES; place++)
    appendSamples(series, [
      {
        node: 'n',
        atMs: atMs[place] ?? 0,
        latencyMs: 100,
        everyMs: STEP_MS,
        outcome: 'answered',
        participation: value[place] ?? 0,
      },
    ])
  const { fromMs, toMs } = axis(0)
  const sums = rollSeries(series, { fromMs, toMs }, COLUMN_MS, true)
  const query = {
    node: 'n',
    fromMs,
    toMs,
    columns: COLUMNS,
    barMs: COLUMN_MS,
    maxGapMs: maxGapMsOf(STEP_MS),
  }
  return lineIn(seriesDataOf(rollupSource(sums, sums, query), query, METRICS), 'participation').points
}

type Point = readonly [x: number, y: number]

const toX = (ms: number): number => (ms - axis(0).fromMs) / COLUMN_MS
const toY = (value: number): number => ((HIGH - value) / (HIGH - LOW)) * HEIGHT_PX

/** Paths have one decimal. Horizontally that is too coarse, because a rounded sample could move to the next column. */
const FINE = 1_000

/** The points of the path that the page draws for a series, in pixels. */
const pathPoints = (series: Series): readonly Point[] =>
  Array.from(
    linePath(series, (ms) => toX(ms) * FINE, toY).matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/gu),
    ([, x, y]) => [Number(x) / FINE, Number(y)] as const,
  )

type Extent = { top: number; bottom: number }

/** The pixel rows that a line covers, per column. */
function extents(points: readonly Point[]): readonly Extent[] {
  const columns = Array.from({ length: COLUMNS }, (): Extent => ({ top: Infinity, bottom: -Infinity }))
  const cover = (column: number, y: number): void => {
    const extent = columns[column]
    if (extent === undefined) return
    extent.top = Math.min(extent.top, Math.floor(y))
    extent.bottom = Math.max(extent.bottom, Math.floor(y))
  }
  for (const [place, [x, y]] of points.entries()) {
    cover(Math.floor(x), y)
    const next = points[place + 1]
    if (next === undefined) continue
    // A line that continues into the next columns also covers each column edge at the height where it crosses it.
    for (let edge = Math.floor(x) + 1; edge <= Math.floor(next[0]); edge++) {
      const atEdge = y + ((next[1] - y) * (edge - x)) / (next[0] - x || 1)
      cover(edge - 1, atEdge)
      cover(edge, atEdge)
    }
  }
  return columns
}

const isSame = (one: Extent, other: Extent | undefined): boolean =>
  other !== undefined && one.top === other.top && one.bottom === other.bottom
