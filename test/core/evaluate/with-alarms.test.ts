import { expect, it } from 'vitest'
import { withAlarms } from '#evaluate/assess.ts'
import { checkOf, type NodeSeverity } from '#fleet/assessment.ts'
import type { AssessedNode } from '#fleet/live.ts'
import { aged, node, reading } from '#test/core/monitor/fleet.ts'

type Raised = NonNullable<Parameters<typeof withAlarms>[1]>[number]
const raised = (check: string, severity: Raised['severity']): Raised => ({ check, severity })

/** The severity of each stage, with the state and reason of the check. */
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
  ['a check that is ok', ACTIVE, raised('status', 'warning'), ['warning', 'warning', 'alarm']],
  ['a check without a limit', ACTIVE, raised('stake', 'critical'), ['critical', 'critical', 'alarm']],
  ['a metric without a check', ACTIVE, raised('threatResponses', 'info'), ['info', 'info', 'alarm']],
  ['a check with a finding', DRAINING, raised('status', 'info'), ['info', 'info', 'unknown-word']],
  [
    'a check with a milder finding',
    DRAINING,
    raised('status', 'critical'),
    ['critical', 'critical', 'unknown-word'],
  ],
  [
    'a check with a more severe finding',
    UNUSABLE,
    raised('stake', 'info'),
    ['warning', 'warning', 'unusable-field'],
  ],
])('an alarm shows in every stage: %s', (_, one, alarm, expected) => {
  const now = said(withAlarms(one, [alarm]), alarm.check)
  expect(now[0]).toEqual(expected)
  expect(now).toHaveLength(one.assessment.stages.length)
  // Once the reading is stale, only the alarm is left.
  expect(now.at(-1)).toEqual([alarm.severity, alarm.severity, 'alarm'])
})

it('the most severe of several alarms counts, and none improves a node', () => {
  const two = [raised('status', 'info'), raised('stake', 'warning')]
  expect(said(withAlarms(ACTIVE, two), 'status')[0]).toEqual(['warning', 'info', 'alarm'])
  expect(said(withAlarms(ACTIVE, two.toReversed()), 'stake')[0]).toEqual(['warning', 'warning', 'alarm'])
  expect(said(withAlarms(UNUSABLE, [raised('status', 'info')]), 'status')[0]?.[0]).toBe('warning')
  expect(said(withAlarms(OLD, [raised('status', 'info')]), 'status').at(-1)?.[0]).toBe('info')
})
