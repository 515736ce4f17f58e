import { createContext } from 'react'
import type { StripChartProps } from './chart-types.ts'
import type { PlacedRow } from './placed-row.ts'
import type { ChartGeometry } from './use-chart-geometry.ts'

/** What is drawn into the frame, and changes with every answer. */
export type Plotted = Pick<
  StripChartProps,
  'fromMs' | 'toMs' | 'rows' | 'spans' | 'marks' | 'health' | 'compared'
> & {
  readonly placed: readonly PlacedRow[]
  readonly geometry: ChartGeometry
}

/** Goes past the frame to what is drawn in it: the frame is the costly part, and need not follow every answer. */
export const PlottedContext = createContext<Plotted | undefined>(undefined)
