import { classNames } from '#ui/class-names.ts'
import { chartable } from './chartable.ts'
import type { LimitLine } from './chart-types.ts'
import type { PlacedLane } from './placed-lane.ts'

/** Space between the plot and the words of the axis. */
const WORD_GAP_PX = 11

type LaneTickProps = {
  /** Where the words begin; the axis hands in an `x` of its own, and `payload`. */
  readonly wordX: number
  readonly place: PlacedLane
  readonly payload?: { readonly value: number }
}

/** One value on the axis of a lane. */
export function LaneTick({ wordX, place, payload }: LaneTickProps) {
  if (payload === undefined) return null
  const { lane, y } = place
  return (
    <text className="axt" x={wordX + WORD_GAP_PX} y={y(payload.value)} dy="0.35em">
      {(lane.tickFormat ?? lane.format)(payload.value)}
    </text>
  )
}

/** The words of the limits, and a pointer at the current value. A word is coloured only while its limit is broken now. */
export function LimitWords({ place, x }: { readonly place: PlacedLane; readonly x: number }) {
  const { lane, words, y } = place
  const current = lane.old === true ? undefined : lastValue(place)
  return (
    <>
      {words.map(({ limit, y: wordY, arrow }) => (
        <text
          key={limit.label}
          className={classNames('axt hi', isBroken(current, limit) && limit.level)}
          x={x + WORD_GAP_PX}
          y={wordY}
          dy="0.35em"
        >
          {limit.label}
          {arrow}
        </text>
      ))}
      {current !== undefined && (
        <path className={classNames('now', lane.level)} d={`M${x + 2} ${y(current)}l6-3.6v7.2Z`} />
      )}
    </>
  )
}

const isBroken = (current: number | undefined, limit: LimitLine) =>
  current !== undefined && (limit.bad === 'above' ? current >= limit.value : current <= limit.value)

function lastValue({ lane }: PlacedLane): number | undefined {
  const last = chartable(
    (lane.kind === 'bars' ? lane.bars.at(-1)?.value : lane.points.value.at(-1)) ?? Number.NaN,
  )
  return Number.isNaN(last) ? undefined : last
}
