import type { Property } from './properties.tsx'
import { Segmented, type SegmentedProps } from './segmented.tsx'

/** A row of properties that is one of a few short words, under the name that its label gives it. */
export const choiceRow = <V extends string>(id: string, choice: SegmentedProps<V>): Property => ({
  id,
  label: choice.legend,
  value: <Segmented {...choice} />,
})
