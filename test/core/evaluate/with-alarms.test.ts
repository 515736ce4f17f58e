import { expect, it } from 'vitest'
import { withAlarms } from '#evaluate/assess.ts'
import { checkOf, type NodeSeverity } from '#fleet/assessment.ts'
import type { AssessedNode } from '#fleet/live.ts'
import { aged, node, reading } from '#test/core/monitor/fleet.ts'

type Raised = NonNullable<Parameters<typeof withAlarms>[1]>[number]
const raised = (check: string, severity: Raised['severity']): Raised => ({ check, severity })

/** Each stage's severity, and what it says of the check. */
const said = ({ assessment: { stages } }: AssessedNode, id: string) =>
  stages.map(({ severity, checks }) => {
    const check = checkOf(checks, id)
    return [severity, check?.state, check?.reason]
  })

const ACTIVE = node(0)
const DRAINING = node(0, { reading: reading({ status: 'DRAINING' }) })
const UNUSABLE = node(0, { reading: reading({ stake_deployed: 'x' }) })
const OLD = node(0, { reading: aged(1e6) })

it.each<[string, AssessedNode, Raised, readonly [NodeSeverity, string, string]]>([
  ['a check that is well', ACTIVE, raised('status', 'warning'), ['warning', 'warning', 'alarm']],
  ['a check without a limit', ACTIVE, raised('stake', 'critical'), ['critical', 'critical', 'alarm']],
  ['what is not checked at all', ACTIVE, raised('threatResponses', 'info'), ['info', 'info', 'alarm']],
  ['what is odd itself', DRAINING, raised('status', 'info'), ['info', 'info', 'unknown-word']],
  [
    'what is odd, but no more than that',
    DRAINING,
    raised('status', 'critical'),
    ['critical', 'critical', 'unknown-word'],
  ],
  [
    'what is worse than its alarm by now',
    UNUSABLE,
    raised('stake', 'info'),
    ['warning', 'warning', 'unusable-field'],
  ],
])('an alarm shows in every stage, here of %s', (_, one, alarm, expected) => {
  const now = said(withAlarms(one, [alarm]), alarm.check)
  expect(now[0]).toEqual(expected)
  expect(now).toHaveLength(one.assessment.stages.length)
  // Where nothing is known any more, the alarm is still said, and by itself.
  expect(now.at(-1)).toEqual([alarm.severity, alarm.severity, 'alarm'])
})

it('the worst of several counts, and none makes a node better than it is', () => {
  const two = [raised('status', 'info'), raised('stake', 'warning')]
  expect(said(withAlarms(ACTIVE, two), 'status')[0]).toEqual(['warning', 'info', 'alarm'])
  expect(said(withAlarms(ACTIVE, two.toReversed()), 'stake')[0]).toEqual(['warning', 'warning', 'alarm'])
  expect(said(withAlarms(UNUSABLE, [raised('status', 'info')]), 'status')[0]?.[0]).toBe('warning')
  expect(said(withAlarms(OLD, [raised('status', 'info')]), 'status').at(-1)?.[0]).toBe('info')
})
