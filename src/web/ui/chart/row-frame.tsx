import { memo } from 'react'
import { CartesianGrid, ReferenceArea, ReferenceLine, YAxis } from 'recharts'
import type { ScaledRow } from './chart-types.ts'
import { RowTick } from './row-words.tsx'
import type { PlacedRow } from './placed-row.ts'

/** Recharts z-index of each layer; series, marks and gaps are at 0 in their own order. */
const Z = { usual: -300, beyond: -250, grid: -200, limit: -150 }

type RowFrameProps = { readonly place: PlacedRow; readonly plotRightPx: number }

/**
 * A row's axis spans the whole drawing. Its domain is extended so that the row's own part falls into its slot.
 * Redrawing one axis makes Recharts compute all others again.
 */
export const RowFrame = memo(({ place, plotRightPx }: RowFrameProps) => {
  const { row, domain, axisDomain, ticks } = place
  const id = row.id
  return (
    <>
      <YAxis
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
      />
      <CartesianGrid yAxisId={id} vertical={false} syncWithTicks zIndex={Z.grid} />
      {row.usual !== undefined && (
        <ReferenceArea
          yAxisId={id}
          y1={within(row.usual[0], domain)}
          y2={within(row.usual[1], domain)}
          className="plot-band"
          zIndex={Z.usual}
        />
      )}
      {limitLines(row, place)}
    </>
  )
})

function limitLines(row: ScaledRow, place: PlacedRow) {
  const [low, high] = place.domain
  return (row.limits ?? [])
    .filter((limit) => limit.value >= low && limit.value <= high)
    .flatMap((limit) => [
      <ReferenceArea
        key={`beyond ${limit.label}`}
        yAxisId={row.id}
        y1={limit.value}
        y2={limit.bad === 'above' ? place.edges[1] : place.edges[0]}
        className="plot-over"
        zIndex={Z.beyond}
      />,
      <ReferenceLine
        key={`limit ${limit.label}`}
        yAxisId={row.id}
        y={limit.value}
        className="plot-limit"
        zIndex={Z.limit}
      />,
    ])
}

const within = (value: number, [low, high]: readonly [number, number]) => Math.min(high, Math.max(low, value))

export const isSameFrame = (one: PlacedRow, other: PlacedRow): boolean =>
  tickFormatOf(one) === tickFormatOf(other) && numbersOf(one) === numbersOf(other)

const tickFormatOf = ({ row }: PlacedRow) => row.tickFormat ?? row.format

/** Everything that `RowFrame` reads, as text for comparison. */
const numbersOf = ({ row, slot, domain, edges, axisDomain, ticks }: PlacedRow): string =>
  JSON.stringify([row.id, slot, domain, edges, axisDomain, ticks, row.usual, row.limits])
