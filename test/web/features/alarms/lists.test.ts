import { expect, it } from 'vitest'
import { alarmIdOf } from '#alarms/instance.ts'
import { countsOf, listOf, rowsOf } from '#features/alarms/lists.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { anAlarm } from '#test/support/alarm-fixture.ts'
import { aNode, WALL_MS } from '#test/support/fleet-fixture.ts'

const shelved = { untilWallMs: WALL_MS + 3_600_000, reason: 'ticket 4412' }

it.each([
  [{}, 'active'],
  [{ phase: 'pending' }, 'pending'],
  [{ phase: 'cleared', maintenance: true }, 'cleared'],
  [{ maintenance: true }, 'held'],
  [{ inhibitedBy: alarmIdOf('blind', { kind: 'screen' }) }, 'held'],
] as const)('an alarm with %j is in the list “%s”', (given, list) => {
  expect(listOf(anAlarm(given))).toBe(list)
})

it.each(['pending', 'firing', 'recovering', 'cleared'] as const)(
  'a shelved alarm that is %s is listed and counted as shelved',
  (phase) => {
    const alarm = anAlarm({ phase, shelved, maintenance: true })
    expect(listOf(alarm)).toBe('shelved')
    expect(countsOf([alarm, anAlarm({ id: 'other', phase })]).shelved).toBe(1)
  },
)

it.each([0, 1, 7])('an expanded group row shows how many of its alarms are not listed: %d', (more) => {
  const { key, serviceId } = aNode()
  const member = { ...anAlarm(), id: 'group n', node: key }
  const subject = { kind: 'service', serviceId } as const
  const group = anAlarm({ id: 'group', subject, members: [member], memberCount: 1 + more })
  const rows = rowsOf([group], 'active', 'all', new Set(['group']))
  expect(rows.map((row) => row.alarm?.id ?? ('group' in row && row.group))).toEqual([
    alarmTexts.groups.unacknowledged,
    'group',
    'group n',
    ...(more === 0 ? [] : [alarmTexts.moreMembers(more)]),
  ])
})
