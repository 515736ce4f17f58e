import { chartable } from './chartable.ts'
import type { ChartBar, ChartPoints } from './chart-types.ts'

export type Scale = (value: number) => number

/** Screens show nothing finer than a tenth of a pixel, and short numbers keep the DOM small. */
const px = (value: number) => Math.round(value * 10) / 10

/**
 * One path for the whole line; NaN interrupts it. A lone point becomes a dot, through the round cap of its zero-length line.
 */
export function linePath({ atMs, value }: ChartPoints, x: Scale, y: Scale): string {
  let path = ''
  let drawing = false
  for (let i = 0; i < atMs.length; i++) {
    const v = chartable(value[i] ?? Number.NaN)
    if (Number.isNaN(v)) {
      drawing = false
      continue
    }
    const point = `${px(x(atMs[i] ?? 0))} ${px(y(v))}`
    path += drawing ? `L${point}` : `M${point}h0`
    drawing = true
  }
  return path
}

export function stepPath({ atMs, value }: ChartPoints, x: Scale, y: Scale): string {
  let path = ''
  let drawing = false
  for (let i = 0; i < atMs.length; i++) {
    const v = chartable(value[i] ?? Number.NaN)
    const at = px(x(atMs[i] ?? 0))
    if (Number.isNaN(v)) {
      if (drawing) path += `H${at}`
      drawing = false
      continue
    }
    path += drawing ? `H${at}V${px(y(v))}` : `M${at} ${px(y(v))}h0`
    drawing = true
  }
  return path
}

/** The area between the line and `baseY`, closed at each gap. */
export function areaPath({ atMs, value }: ChartPoints, x: Scale, y: Scale, baseY: number): string {
  let path = ''
  let firstX = 0
  let lastX: number | undefined
  const close = () => {
    if (lastX !== undefined) path += `L${lastX} ${px(baseY)}L${firstX} ${px(baseY)}Z`
    lastX = undefined
  }
  for (let i = 0; i < atMs.length; i++) {
    const v = chartable(value[i] ?? Number.NaN)
    if (Number.isNaN(v)) {
      close()
      continue
    }
    const at = px(x(atMs[i] ?? 0))
    if (lastX === undefined) firstX = at
    path += `${lastX === undefined ? 'M' : 'L'}${at} ${px(y(v))}`
    lastX = at
  }
  close()
  return path
}

export function bandPath({ atMs, value }: ChartPoints, upper: Float64Array, x: Scale, y: Scale): string {
  let path = ''
  let way = ''
  let back = ''
  const close = () => {
    if (way !== '') path += `M${way.slice(1)}${back}Z`
    way = ''
    back = ''
  }
  for (let i = 0; i < atMs.length; i++) {
    const low = chartable(value[i] ?? Number.NaN)
    const high = chartable(upper[i] ?? Number.NaN)
    if (Number.isNaN(low) || Number.isNaN(high)) {
      close()
      continue
    }
    const at = px(x(atMs[i] ?? 0))
    way += `L${at} ${px(y(high))}`
    back = `L${at} ${px(y(low))}${back}`
  }
  close()
  return path
}

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
