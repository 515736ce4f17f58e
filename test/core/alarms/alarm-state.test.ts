import { expect, it } from 'vitest'
import { createAlarmState } from '#alarms/alarm-state.ts'
import { firing } from './one-alarm.ts'

it('the alarm state ignores new alarms beyond 40,000 and still updates the existing ones', () => {
  const alarms = createAlarmState({
    momentOf: () => ({ awakeMs: 0, wallMs: 0 }),
    onTransition: () => undefined,
    changed: () => undefined,
  })
  const named = (place: number) => ({ ...firing(), id: `rule ${place}` })
  for (let place = 0; place < 40_001; place++) alarms.apply({ next: named(place), transitions: [] })
  expect(alarms.all()).toHaveLength(40_000)
  expect(alarms.get('rule 40000')).toBeUndefined()
  alarms.apply({ next: { ...named(0), severity: 'critical' }, transitions: [] })
  expect(alarms.get('rule 0')?.severity).toBe('critical')
})
