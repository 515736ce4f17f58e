import { CartesianGrid, ReferenceArea, ReferenceLine, YAxis } from 'recharts'
import type { ValueLane } from './chart-types.ts'
import { LaneTick } from './lane-words.tsx'
import type { PlacedLane } from './placed-lane.ts'

/** Layers from below; 0 is where series, marks and gaps are drawn in their order. */
const Z = { usual: -300, beyond: -250, grid: -200, limit: -150 }

/** The axis of a lane spans the whole drawing; its domain is stretched so that the lane's own part falls into its row. */
export function laneFrame(place: PlacedLane, plotRightPx: number) {
  const { lane, domain, axisDomain, ticks } = place
  const id = lane.id
  return [
    <YAxis
      key={`${id} axis`}
      yAxisId={id}
      type="number"
      orientation="right"
      mirror
      allowDataOverflow
      interval={0}
      domain={[...axisDomain]}
      ticks={[...ticks]}
      axisLine={false}
      tickLine={false}
      tick={<LaneTick wordX={plotRightPx} place={place} />}
    />,
    <CartesianGrid key={`${id} grid`} yAxisId={id} vertical={false} syncWithTicks zIndex={Z.grid} />,
    lane.usual !== undefined && (
      <ReferenceArea
        key={`${id} usual`}
        yAxisId={id}
        y1={within(lane.usual[0], domain)}
        y2={within(lane.usual[1], domain)}
        className="band"
        zIndex={Z.usual}
      />
    ),
    ...limitLines(lane, place),
  ]
}

function limitLines(lane: ValueLane, place: PlacedLane) {
  const [low, high] = place.domain
  return (lane.limits ?? [])
    .filter((limit) => limit.value >= low && limit.value <= high)
    .flatMap((limit) => [
      <ReferenceArea
        key={`${lane.id} beyond ${limit.label}`}
        yAxisId={lane.id}
        y1={limit.value}
        y2={limit.bad === 'above' ? place.edges[1] : place.edges[0]}
        className="over"
        zIndex={Z.beyond}
      />,
      <ReferenceLine
        key={`${lane.id} limit ${limit.label}`}
        yAxisId={lane.id}
        y={limit.value}
        className="lim"
        zIndex={Z.limit}
      />,
    ])
}

const within = (value: number, [low, high]: readonly [number, number]) => Math.min(high, Math.max(low, value))

/** Whether the frame of both looks the same, whatever their series hold. */
export function isSameFrame(one: readonly PlacedLane[], other: readonly PlacedLane[]): boolean {
  return (
    one.length === other.length &&
    one.every((place, at) => {
      const beside = other[at]
      return (
        beside !== undefined &&
        tickFormatOf(place) === tickFormatOf(beside) &&
        numbersOf(place) === numbersOf(beside)
      )
    })
  )
}

const tickFormatOf = ({ lane }: PlacedLane) => lane.tickFormat ?? lane.format

/** All that `laneFrame` reads, as text: a few numbers and words. */
const numbersOf = ({ lane, slot, domain, edges, axisDomain, ticks }: PlacedLane): string =>
  JSON.stringify([lane.id, slot, domain, edges, axisDomain, ticks, lane.usual, lane.limits])
