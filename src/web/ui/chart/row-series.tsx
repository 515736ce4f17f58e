import { useId, useMemo } from 'react'
import { useXAxisScale, useYAxisScale, type ScaleFunction } from 'recharts'
import { areaPath, bandPath, barsPath, linePath, stepPath, type Scale } from './row-path.ts'
import { chartable } from './chartable.ts'
import { isReached, onlyBeyond } from './beyond-limit.ts'
import type { LimitLine, LinesRow, StripChartProps, ValueRow } from './chart-types.ts'
import { lookOf, placeOf, PointMark } from './compared.tsx'
import type { PlacedRow } from './placed-row.ts'

type RowSeriesProps = {
  readonly place: PlacedRow
  readonly row: ValueRow
  readonly fromMs: number
  readonly toMs: number
}

/** The series of one row. Parts beyond a limit are drawn again in the status colour. */
export function RowSeries({ place, row, fromMs, toMs }: RowSeriesProps) {
  const scales = useScales(place, fromMs, toMs)
  const clipId = useId()
  const drawn = useMemo(() => {
    if (scales === undefined) return undefined
    const { x, y } = scales
    return {
      ...pathsOf(place, row, x, y),
      zones: limitZones(place, row).map((zone) => ({
        ...zone,
        paths: pathsOf(place, onlyBeyond(row, zone.limit), x, y),
      })),
    }
  }, [place, row, scales])
  if (drawn === undefined) return null
  return (
    <>
      {drawn.area !== undefined && <path className="plot-area" d={drawn.area} />}
      {drawn.bars !== undefined && <path className="plot-bar" d={drawn.bars} />}
      {drawn.line !== undefined && <path className="plot-line" d={drawn.line} />}
      {drawn.zones.map(({ paths, ...zone }) => (
        <g key={zone.key}>
          <clipPath id={`${clipId}-${zone.key}`}>
            <rect x={0} width="100%" y={zone.topPx} height={zone.heightPx} />
          </clipPath>
          <g clipPath={`url(#${clipId}-${zone.key})`}>
            {paths.area !== undefined && <path className={`plot-area ${zone.level}`} d={paths.area} />}
            {paths.bars !== undefined && <path className={`plot-bar ${zone.level}`} d={paths.bars} />}
            {paths.line !== undefined && <path className={`plot-line ${zone.level}`} d={paths.line} />}
          </g>
        </g>
      ))}
    </>
  )
}

type LinesSeriesProps = Omit<RowSeriesProps, 'row'> & {
  readonly row: LinesRow
  readonly compared: StripChartProps['compared']
}

/**
 * One line for each compared item, with its mark at the last value. Limits do not colour these lines, because the colour
 * identifies the item.
 */
export function LinesSeries({ place, row, fromMs, toMs, compared }: LinesSeriesProps) {
  const scales = useScales(place, fromMs, toMs)
  const drawn = useMemo(() => {
    if (scales === undefined) return []
    const { x, y } = scales
    return row.lines.map(({ of, kind, points }) => {
      const last = points.value.findLastIndex((value) => Number.isFinite(chartable(value)))
      return {
        of,
        d: kind === 'steps' ? stepPath(points, x, y) : linePath(points, x, y),
        end: last === -1 ? undefined : { x: x(points.atMs[last] ?? 0), y: y(points.value[last] ?? 0) },
      }
    })
  }, [row, scales])
  return drawn.map(({ of, d, end }) => {
    const at = placeOf(compared, of)
    return (
      <g key={of} className={lookOf(at)}>
        <path className="plot-line" d={d} />
        {end !== undefined && <PointMark place={at} {...end} />}
      </g>
    )
  })
}

/** Undefined until the frame has its axes. Vertically, values stay within the row. */
function useScales({ row, slot, domain }: PlacedRow, fromMs: number, toMs: number) {
  const toX = useXAxisScale()
  const toY = useYAxisScale(row.id)
  return useMemo(() => {
    if (toX === undefined || toY === undefined) return undefined
    const bottomPx = slot.topPx + slot.heightPx
    const onAxis = linear(toY, domain)
    const y: Scale = (value) => Math.min(bottomPx, Math.max(slot.topPx, onAxis(value)))
    return { x: linear(toX, [fromMs, toMs]), y }
  }, [slot, domain, fromMs, toMs, toX, toY])
}

/** The frame's linear scale as a single multiplication, because every point is converted. */
function linear(scale: ScaleFunction, [from, to]: readonly [number, number]): Scale {
  const start = scale(from) ?? 0
  const perUnit = ((scale(to) ?? 0) - start) / (to - from || 1)
  return (value) => start + (value - from) * perUnit
}

type Paths = { readonly line?: string; readonly area?: string; readonly bars?: string }

function pathsOf({ y: toPx }: PlacedRow, row: ValueRow, x: Scale, y: Scale): Paths {
  const baseY = toPx(0)
  switch (row.kind) {
    case 'bars':
      return { bars: barsPath(row.bars, x, y, baseY) }
    case 'steps':
      return { line: stepPath(row.points, x, y) }
    case 'area':
      return { line: linePath(row.points, x, y), area: areaPath(row.points, x, y, baseY) }
    case 'band':
      return { line: linePath(row.points, x, y), area: bandPath(row.points, row.upper, x, y) }
    case 'line':
      return { line: linePath(row.points, x, y) }
  }
}

/** The areas of the row beyond each limit; a more distant limit on the same side ends the area of the nearer one. */
function limitZones({ domain, slot, y }: PlacedRow, row: ValueRow) {
  const limits = row.limits ?? []
  const zonesOf = (bad: LimitLine['bad']) => {
    const outward = limits
      .filter((limit) => limit.bad === bad && limit.value >= domain[0] && limit.value <= domain[1])
      .filter((limit) => isReached(row, limit))
      .toSorted((a, b) => (bad === 'above' ? a.value - b.value : b.value - a.value))
    return outward.map((limit, place) => {
      const end = outward[place + 1]
      const limitY = y(limit.value)
      const edgeY = bad === 'above' ? slot.topPx : slot.topPx + slot.heightPx
      const endY = end === undefined ? edgeY : y(end.value)
      return {
        key: `${bad}${place}`,
        limit,
        level: limit.level,
        topPx: Math.min(limitY, endY),
        heightPx: Math.abs(limitY - endY),
      }
    })
  }
  return [...zonesOf('above'), ...zonesOf('below')]
}
