import { expect, it } from 'vitest'
import { alarmIdOf } from '#alarms/instance.ts'
import { countsOf, listOf } from '#features/alarms/lists.ts'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { WALL_MS } from '#test/support/fleet-fixture.ts'

const shelved = { untilWallMs: WALL_MS + 3_600_000, reason: 'ticket 4412' }

it.each([
  [{}, 'active'],
  [{ phase: 'pending' }, 'pending'],
  [{ phase: 'cleared', maintenance: true }, 'cleared'],
  [{ maintenance: true }, 'held'],
  [{ inhibitedBy: alarmIdOf('blind', { kind: 'screen' }) }, 'held'],
] as const)('an alarm with %j is on the list "%s"', (given, list) => {
  expect(listOf(anAlarm(given))).toBe(list)
})

it.each(['pending', 'firing', 'recovering', 'cleared'] as const)(
  'a shelved alarm that is %s is on the list of shelved ones, whose count is that of the top bar',
  (phase) => {
    const alarm = anAlarm({ phase, shelved, maintenance: true })
    expect(listOf(alarm)).toBe('shelved')
    const { alarms, counts } = anAlarmsView([alarm, anAlarm({ id: 'other', phase })])
    expect(countsOf(alarms).shelved).toBe(counts.shelved)
  },
)
