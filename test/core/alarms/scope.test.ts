import { expect, it } from 'vitest'
import type { AlarmSubject } from '#alarms/alarm.ts'
import { isInScope } from '#alarms/maintenance-windows.ts'
import { serviceIdOf } from '#record/service.ts'
import type { AlarmScope } from '#settings/schema.ts'
import { fleet, live, node } from '#test/core/monitor/fleet.ts'

const HERE = 'https://here.example'
const THERE = 'https://there.example'
const eu = node(0, { tags: ['eu', 'heavy'] }, HERE)
const us = node(1, { tags: ['us'] }, HERE)
const namesake = node(0, { tags: ['europe'] }, THERE)
const snapshot = fleet([eu, us, namesake], [live({}, HERE), live({}, THERE)])

const of = ({ key, serviceId }: typeof eu): AlarmSubject => ({ kind: 'node', node: key, serviceId })
const subjects: Readonly<Record<string, AlarmSubject>> = {
  eu: of(eu),
  us: of(us),
  namesake: of(namesake),
  'service here': { kind: 'service', serviceId: serviceIdOf(HERE) },
  'service there': { kind: 'service', serviceId: serviceIdOf(THERE) },
  'key here': { kind: 'key', serviceId: serviceIdOf(HERE) },
  'key there': { kind: 'key', serviceId: serviceIdOf(THERE) },
  screen: { kind: 'screen' },
}

it('a tag covers no node that is missing from the snapshot, and none without a snapshot', () => {
  const scope = { for: 'tag', tag: 'eu' } as const
  expect([isInScope(scope, of(eu), fleet([us])), isInScope(scope, of(eu), undefined)]).toEqual([false, false])
})

it.each<readonly [AlarmScope, readonly string[]]>([
  [{ for: 'all' }, Object.keys(subjects)],
  [{ for: 'service', service: HERE }, ['eu', 'us', 'service here', 'key here']],
  [{ for: 'service', service: THERE }, ['namesake', 'service there', 'key there']],
  [{ for: 'service', service: 'https://elsewhere.example' }, []],
  [{ for: 'tag', tag: 'eu' }, ['eu']],
  [{ for: 'tag', tag: 'heavy' }, ['eu']],
  [{ for: 'tag', tag: 'europe' }, ['namesake']],
  [{ for: 'tag', tag: 'asia' }, []],
  [{ for: 'node', service: HERE, node: eu.nodeId }, ['eu']],
  [{ for: 'node', service: THERE, node: eu.nodeId }, ['namesake']],
  [{ for: 'node', service: HERE, node: '0x00ff' }, []],
])('the scope %o covers exactly %j', (scope, expected) => {
  const reached = Object.entries(subjects).filter(([, subject]) => isInScope(scope, subject, snapshot))
  expect(reached.map(([name]) => name)).toEqual(expected)
})
