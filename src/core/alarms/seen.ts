import type { AlarmSeverity, AlarmValue } from './alarm.ts'
import type { Observation } from './instance.ts'

/** What a rule says to one look, without how long that holds. */
export type Seen = Omit<Observation, 'freshForMs'>

/** Nothing can be said: the alarm stays as it is. */
export const HELD: Seen = { state: 'held', severity: 'info' }

export const good = (value?: AlarmValue, limit?: AlarmValue): Seen => ({
  state: 'good',
  severity: 'info',
  value,
  limit,
})

export const bad = (severity: AlarmSeverity, value?: AlarmValue, limit?: AlarmValue): Seen => ({
  state: 'bad',
  severity,
  value,
  limit,
})
