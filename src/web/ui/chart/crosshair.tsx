import { useId, useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { StripChartProps, ChartZoom } from './chart-types.ts'
import { CrosshairMarks } from './crosshair-marks.tsx'
import { rowsExtent } from './slots.ts'
import type { TimeFormats } from './time-format.ts'
import type { ChartGeometry } from './use-chart-geometry.ts'
import { momentAt, moveBy, readValues, stopsOf } from './moment.ts'

type CrosshairProps = StripChartProps & { readonly geometry: ChartGeometry; readonly formats: TimeFormats }

/** Maximum distance in pixels between the crosshair and a value that it shows. */
const REACH_PX = 12
/** Shorter pointer movements count as a click, not as a drag. */
const DRAG_PX = 6

/**
 * One moment for all rows, with the exact values. A slider for assistive technology: arrow keys move from point to point, Home
 * and End go to the ends, Escape hides it. Dragging, or Shift with the arrow keys and then Enter, zooms in; a double click or a
 * second Escape zooms out.
 */
export function Crosshair(props: CrosshairProps) {
  const { geometry, fromMs, toMs, texts, formats, zoom } = props
  const hintId = useId()
  const [chosenMs, setChosenMs] = useState<number>()
  const atMs = chosenMs === undefined ? undefined : Math.min(toMs, Math.max(fromMs, chosenMs))
  const msPerPx = (toMs - fromMs) / geometry.plotWidthPx
  const reachMs = msPerPx * REACH_PX
  const selection = useSelection(zoom, msPerPx * DRAG_PX)
  const { range: picked } = selection
  const extent = rowsExtent(geometry)
  const values = atMs === undefined ? [] : readValues(props, atMs, reachMs)

  const on = handlers(props, { atMs, choose: setChosenMs, selection, msPerPx, reachMs })
  const now = atMs ?? toMs
  return (
    <div
      className="crosshair"
      role="slider"
      tabIndex={0}
      aria-label={texts.crosshair}
      aria-describedby={zoom && hintId}
      aria-valuemin={fromMs}
      aria-valuemax={toMs}
      aria-valuenow={now}
      aria-valuetext={texts.readout(
        formats.exact(now),
        (atMs === undefined ? readValues(props, now, reachMs) : values).map(({ title, text }) =>
          title === '' ? text : `${title} ${text}`,
        ),
      )}
      style={{
        left: geometry.plotLeftPx,
        width: geometry.plotWidthPx,
        top: extent.topPx,
        height: extent.heightPx,
      }}
      {...on}
    >
      {zoom !== undefined && (
        <span id={hintId} className="visually-hidden">
          {texts.zoom}
        </span>
      )}
      {picked !== undefined && (
        <div
          className="crosshair-range"
          style={{ left: (picked[0] - fromMs) / msPerPx, width: (picked[1] - picked[0]) / msPerPx }}
        />
      )}
      {atMs !== undefined && (
        <CrosshairMarks
          xPx={(atMs - fromMs) / msPerPx}
          time={formats.exact(atMs)}
          values={values}
          geometry={geometry}
          topPx={extent.topPx}
        />
      )}
    </div>
  )
}

type Hand = {
  readonly atMs: number | undefined
  readonly choose: (atMs: number | undefined) => void
  readonly selection: ReturnType<typeof useSelection>
  readonly msPerPx: number
  readonly reachMs: number
}

function handlers(props: CrosshairProps, { atMs, choose, selection, msPerPx, reachMs }: Hand) {
  const { fromMs, toMs, zoom } = props
  const pointedMs = (event: PointerEvent<HTMLElement>): number => {
    const { left } = event.currentTarget.getBoundingClientRect()
    return Math.min(toMs, Math.max(fromMs, fromMs + (event.clientX - left) * msPerPx))
  }
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    // On touch screens a drag scrolls the page; the buttons above the chart zoom.
    if (zoom === undefined || event.button !== 0 || event.pointerType === 'touch') return
    event.currentTarget.setPointerCapture(event.pointerId)
    selection.begin(pointedMs(event))
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const pointed = pointedMs(event)
    if (event.buttons === 1) selection.drag(pointed)
    choose(momentAt(props, pointed, reachMs))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Escape') {
      if (atMs === undefined && selection.range === undefined) zoom?.back?.()
      selection.drop()
      choose(undefined)
    } else if (event.key === 'Enter' && selection.range !== undefined) selection.finish()
    else {
      const next = moveBy(event.key, stopsOf(props), atMs, [fromMs, toMs])
      if (next === undefined) return
      if (event.shiftKey && zoom !== undefined) selection.extend(atMs ?? next, next)
      else selection.drop()
      choose(next)
    }
    event.preventDefault()
  }
  return {
    onPointerDown,
    onPointerMove,
    onPointerUp: selection.finish,
    onPointerCancel: selection.drop,
    onPointerLeave: () => choose(undefined),
    onDoubleClick: zoom?.back,
    onKeyDown,
    onBlur: () => {
      choose(undefined)
      selection.drop()
    },
  }
}

/** Start and current position of the drag, in Unix ms. */
type Drag = { readonly anchorMs: number; readonly atMs: number }

/** A range that is being selected on the chart, by pointer or by keys. Shorter than `leastMs`, it is ignored. */
function useSelection(zoom: ChartZoom | undefined, leastMs: number) {
  const [drag, setDrag] = useState<Drag>()
  const range =
    drag === undefined || Math.abs(drag.atMs - drag.anchorMs) < leastMs
      ? undefined
      : ([Math.min(drag.anchorMs, drag.atMs), Math.max(drag.anchorMs, drag.atMs)] as const)
  return {
    /** Undefined while nothing is selected and while a click has not moved. */
    range,
    begin: (atMs: number) => setDrag({ anchorMs: atMs, atMs }),
    drag: (atMs: number) => setDrag((last) => last && { ...last, atMs }),
    extend: (anchorMs: number, atMs: number) =>
      setDrag((last) => ({ anchorMs: last?.anchorMs ?? anchorMs, atMs })),
    drop: () => setDrag(undefined),
    finish: () => {
      setDrag(undefined)
      if (range !== undefined) zoom?.into(...range)
    },
  }
}
