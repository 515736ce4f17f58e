import { CartesianGrid, ReferenceArea, ReferenceLine, YAxis } from 'recharts'
import type { ScaledRow } from './chart-types.ts'
import { RowTick } from './row-words.tsx'
import type { PlacedRow } from './placed-row.ts'

/** Recharts z-index of each layer; series, marks and gaps are at 0 in their own order. */
const Z = { usual: -300, beyond: -250, grid: -200, limit: -150 }

/** A row's axis spans the whole drawing. Its domain is extended so that the row's own part falls into its slot. */
export function rowFrame(place: PlacedRow, plotRightPx: number) {
  const { row, domain, axisDomain, ticks } = place
  const id = row.id
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
      tick={<RowTick wordX={plotRightPx} place={place} />}
    />,
    <CartesianGrid key={`${id} grid`} yAxisId={id} vertical={false} syncWithTicks zIndex={Z.grid} />,
    row.usual !== undefined && (
      <ReferenceArea
        key={`${id} usual`}
        yAxisId={id}
        y1={within(row.usual[0], domain)}
        y2={within(row.usual[1], domain)}
        className="plot-band"
        zIndex={Z.usual}
      />
    ),
    ...limitLines(row, place),
  ]
}

function limitLines(row: ScaledRow, place: PlacedRow) {
  const [low, high] = place.domain
  return (row.limits ?? [])
    .filter((limit) => limit.value >= low && limit.value <= high)
    .flatMap((limit) => [
      <ReferenceArea
        key={`${row.id} beyond ${limit.label}`}
        yAxisId={row.id}
        y1={limit.value}
        y2={limit.bad === 'above' ? place.edges[1] : place.edges[0]}
        className="plot-over"
        zIndex={Z.beyond}
      />,
      <ReferenceLine
        key={`${row.id} limit ${limit.label}`}
        yAxisId={row.id}
        y={limit.value}
        className="plot-limit"
        zIndex={Z.limit}
      />,
    ])
}

const within = (value: number, [low, high]: readonly [number, number]) => Math.min(high, Math.max(low, value))

export function isSameFrame(one: readonly PlacedRow[], other: readonly PlacedRow[]): boolean {
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

const tickFormatOf = ({ row }: PlacedRow) => row.tickFormat ?? row.format

/** Everything that `rowFrame` reads, as text for comparison. */
const numbersOf = ({ row, slot, domain, edges, axisDomain, ticks }: PlacedRow): string =>
  JSON.stringify([row.id, slot, domain, edges, axisDomain, ticks, row.usual, row.limits])
