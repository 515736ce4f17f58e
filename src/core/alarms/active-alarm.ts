import type { AlarmView } from './alarm.ts'

/** Whether it asks for a person now: on, and nothing keeps it quiet. */
export const isActive = ({
  phase,
  shelved,
  maintenance,
  inhibitedBy,
}: Pick<AlarmView, 'phase' | 'shelved' | 'maintenance' | 'inhibitedBy'>): boolean =>
  (phase === 'firing' || phase === 'recovering') &&
  shelved === undefined &&
  !maintenance &&
  inhibitedBy === undefined
