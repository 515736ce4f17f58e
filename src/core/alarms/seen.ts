import type { AlarmSeverity, AlarmValue } from './alarm.ts'
import type { Observation } from './instance.ts'

/** What a rule says to one look, without how long that holds. */
export type Evaluation = Omit<Observation, 'freshForMs'>

/** Nothing can be said: the alarm stays as it is. */
export const HELD: Evaluation = { state: 'held', severity: 'info' }

export const good = (value?: AlarmValue, limit?: AlarmValue): Evaluation => ({
  state: 'good',
  severity: 'info',
  value,
  limit,
})

export const bad = (severity: AlarmSeverity, value?: AlarmValue, limit?: AlarmValue): Evaluation => ({
  state: 'bad',
  severity,
  value,
  limit,
})
