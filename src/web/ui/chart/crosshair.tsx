import { useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { ChartLane, StripChartProps } from './chart-types.ts'
import { lanesExtent } from './lane-rows.ts'
import { AXIS_SLOT } from './slots.ts'
import type { TimeFormats } from './time-format.ts'
import type { ChartGeometry } from './use-chart-geometry.ts'
import { nearestMoment, neighbour, spanAt, textAt } from './value-at.ts'

type CrosshairProps = StripChartProps & { readonly geometry: ChartGeometry; readonly formats: TimeFormats }

/** A value may lie this many pixels from the line and still be meant. */
const REACH_PX = 12
/** Chips stand left of the line in the last part of the plot, so that they are not cut. */
const FLIP_SHARE = 0.75

/**
 * One moment for all lanes, with the exact values there. A slider to assistive technology:
 * the arrow keys go from point to point, Home and End to the ends, Escape puts it away.
 */
export function Crosshair(props: CrosshairProps) {
  const { geometry, fromMs, toMs, lanes, texts, formats } = props
  const [chosenMs, setChosenMs] = useState<number>()
  const atMs = chosenMs === undefined ? undefined : Math.min(toMs, Math.max(fromMs, chosenMs))
  const msPerPx = (toMs - fromMs) / geometry.plotWidthPx
  const rows = lanesExtent(geometry)
  const values = atMs === undefined ? [] : readValues(props, atMs, msPerPx * REACH_PX)

  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    const pointed = fromMs + (event.clientX - left) * msPerPx
    setChosenMs(momentAt(props, pointed, msPerPx * REACH_PX))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = moveBy(event.key, lanes, atMs, [fromMs, toMs])
    if (next === undefined && event.key !== 'Escape') return
    event.preventDefault()
    setChosenMs(next)
  }
  const now = atMs ?? toMs
  return (
    <div
      className="xhair"
      role="slider"
      tabIndex={0}
      aria-label={texts.crosshair}
      aria-valuemin={fromMs}
      aria-valuemax={toMs}
      aria-valuenow={now}
      aria-valuetext={texts.readout(
        formats.exact(now),
        (atMs === undefined ? readValues(props, now, msPerPx * REACH_PX) : values).map(
          ({ title, text }) => `${title} ${text}`,
        ),
      )}
      style={{
        left: geometry.plotLeftPx,
        width: geometry.plotWidthPx,
        top: rows.topPx,
        height: rows.heightPx,
      }}
      onPointerMove={onPointerMove}
      onPointerLeave={() => setChosenMs(undefined)}
      onKeyDown={onKeyDown}
      onBlur={() => setChosenMs(undefined)}
    >
      {atMs !== undefined && (
        <CrosshairMarks
          xPx={(atMs - fromMs) / msPerPx}
          time={formats.exact(atMs)}
          values={values}
          geometry={geometry}
          topPx={rows.topPx}
        />
      )}
    </div>
  )
}

/**
 * The moment that is meant by pointing: the nearest answer of the same unbroken stretch, since
 * between two answers nothing is known exactly; in a gap the pointed time itself.
 */
function momentAt({ lanes, spans }: StripChartProps, pointedMs: number, reachMs: number): number {
  const moment = nearestMoment(lanes, pointedMs)
  if (moment === undefined) return pointedMs
  const span = spanAt(spans, pointedMs)
  const isSame = span?.kind === 'answered' && spanAt(spans, moment) === span
  return isSame || Math.abs(moment - pointedMs) <= reachMs ? moment : pointedMs
}

type ReadValue = { readonly id: string; readonly title: string; readonly text: string }

/** What each lane shows at a time; where nothing is known, why. */
function readValues(
  { lanes, spans, texts }: StripChartProps,
  atMs: number,
  reachMs: number,
): readonly ReadValue[] {
  const span = spanAt(spans, atMs)
  const isKnown = span === undefined || span.kind === 'answered'
  return lanes.flatMap((lane) => {
    const text = isKnown ? textAt(lane, atMs, reachMs) : span.label
    // A moment without a tick is no lack of knowledge: nothing happened there.
    if (text === undefined && lane.kind === 'ticks') return []
    return { id: lane.id, title: lane.title, text: text ?? texts.noValue }
  })
}

/** Where a key leads; undefined for keys that are not the crosshair's. */
function moveBy(
  key: string,
  lanes: readonly ChartLane[],
  atMs: number | undefined,
  [fromMs, toMs]: readonly [number, number],
): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return neighbour(lanes, atMs ?? toMs + 1, -1) ?? fromMs
    case 'ArrowRight':
    case 'ArrowUp':
      return neighbour(lanes, atMs ?? toMs, 1) ?? toMs
    case 'Home':
      return neighbour(lanes, fromMs - 1, 1) ?? fromMs
    case 'End':
      return neighbour(lanes, toMs + 1, -1) ?? toMs
    default:
      return undefined
  }
}

type CrosshairMarksProps = {
  readonly xPx: number
  readonly time: string
  readonly values: readonly ReadValue[]
  readonly geometry: ChartGeometry
  readonly topPx: number
}

/** The line, the time on the axis, and a chip with the value in each lane. */
function CrosshairMarks({ xPx, time, values, geometry, topPx }: CrosshairMarksProps) {
  const isFlipped = xPx > geometry.plotWidthPx * FLIP_SHARE
  const axis = geometry.slots[AXIS_SLOT]
  return (
    <div aria-hidden>
      <div className="hair" style={{ left: xPx }} />
      {axis !== undefined && (
        <span className="hov time" style={{ left: xPx, top: axis.topPx + axis.heightPx / 2 - topPx }}>
          {time}
        </span>
      )}
      {values.map(({ id, text }) => (
        <span
          key={id}
          className={isFlipped ? 'hov flipped' : 'hov'}
          style={{ left: xPx, top: (geometry.slots[id]?.topPx ?? 0) - topPx }}
        >
          {text}
        </span>
      ))}
    </div>
  )
}
