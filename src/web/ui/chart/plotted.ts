import { createContext } from 'react'
import type { StripChartProps } from './chart-types.ts'
import type { PlacedRow } from './placed-row.ts'
import type { ChartGeometry } from './use-chart-geometry.ts'

export type Plotted = StripChartProps & {
  readonly placed: readonly PlacedRow[]
  readonly geometry: ChartGeometry
}

/** Passes the changing parts to the layers without redrawing the frame, which is the costly part. */
export const PlottedContext = createContext<Plotted | undefined>(undefined)
