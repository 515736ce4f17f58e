import { chartable } from './chartable.ts'
import type { ChartBar, ChartPoints } from './chart-types.ts'

export type Scale = (value: number) => number

/** Screens show nothing finer than a tenth of a pixel, and short numbers keep the DOM small. */
const px = (value: number) => Math.round(value * 10) / 10

const NONE = Number.NaN

/** Joins the paths of the stretches between values that can't be drawn; `to` is the index after a stretch. */
function stretches(all: readonly Float64Array[], draw: (from: number, to: number) => string): string {
  const length = all[0]?.length ?? 0
  let path = ''
  let from = 0
  for (let at = 0; at <= length; at++) {
    if (at < length && all.every((values) => !Number.isNaN(chartable(values[at] ?? NONE)))) continue
    if (at > from) path += draw(from, at)
    from = at + 1
  }
  return path
}

/** The points of a stretch, each as "x y". */
function pointsIn({ atMs, value }: ChartPoints, x: Scale, y: Scale, [from, to]: readonly [number, number]) {
  const points: string[] = []
  for (let i = from; i < to; i++) points.push(`${px(x(atMs[i] ?? 0))} ${px(y(chartable(value[i] ?? NONE)))}`)
  return points
}

/** One path for the whole line. A lone point becomes a dot, through the round cap of its zero-length line. */
export const linePath = (points: ChartPoints, x: Scale, y: Scale): string =>
  stretches([points.value], (from, to) => {
    const [first = '', ...others] = pointsIn(points, x, y, [from, to])
    return `M${[`${first}h0`, ...others].join('L')}`
  })

/** Each value lasts until the next point, even if that has none. */
export const stepPath = (points: ChartPoints, x: Scale, y: Scale): string =>
  stretches([points.value], (from, to) => {
    const [first = '', ...others] = pointsIn(points, x, y, [from, to])
    const steps = others.map((point) => `H${point.replace(' ', 'V')}`).join('')
    return `M${first}h0${steps}${to < points.atMs.length ? `H${px(x(points.atMs[to] ?? 0))}` : ''}`
  })

/** The area between the line and `baseY`, closed at each gap. */
export const areaPath = (points: ChartPoints, x: Scale, y: Scale, baseY: number): string =>
  stretches([points.value], (from, to) => {
    const [firstX, lastX] = [from, to - 1].map((at) => px(x(points.atMs[at] ?? 0)))
    return `M${pointsIn(points, x, y, [from, to]).join('L')}L${lastX} ${px(baseY)}L${firstX} ${px(baseY)}Z`
  })

export const bandPath = (points: ChartPoints, upper: Float64Array, x: Scale, y: Scale): string =>
  stretches([points.value, upper], (from, to) => {
    const way = pointsIn({ ...points, value: upper }, x, y, [from, to])
    const back = pointsIn(points, x, y, [from, to]).toReversed()
    return `M${[...way, ...back].join('L')}Z`
  })

const BAR_SHARE = 0.7
const BAR_MIN_PX = 1.5
/** Keeps a zero bar visible, because the zero was measured. */
const BAR_MIN_HEIGHT_PX = 0.8

export function barsPath(bars: readonly ChartBar[], x: Scale, y: Scale, baseY: number): string {
  let path = ''
  for (const bar of bars) {
    const v = chartable(bar.value)
    if (Number.isNaN(v)) continue
    const from = x(bar.fromMs)
    const slot = x(bar.toMs) - from
    const width = Math.max(BAR_MIN_PX, slot * BAR_SHARE)
    const top = Math.min(y(v), baseY - BAR_MIN_HEIGHT_PX)
    path += `M${px(from + (slot - width) / 2)} ${px(baseY)}V${px(top)}h${px(width)}V${px(baseY)}Z`
  }
  return path
}

export function ticksPath(atMs: Float64Array, x: Scale, topY: number, bottomY: number): string {
  let path = ''
  for (const at of atMs) path += `M${px(x(at))} ${px(topY)}V${px(bottomY)}`
  return path
}
