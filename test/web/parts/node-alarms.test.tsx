import { renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { AlarmView } from '#alarms/alarm.ts'
import { NO_POLLS, type Cause } from '#fleet/cause.ts'
import { nodeKeyOf, type NodeKey } from '#fleet/live.ts'
import { useCauseSince, useIsAcknowledged } from '#parts/node-alarms.ts'
import { DashboardContext } from '#react/dashboard.ts'
import { serviceIdOf } from '#record/service.ts'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { fakeDashboard } from '#test/support/fake-dashboard.tsx'
import { BASE_URL, WALL_MS } from '#test/support/fleet-fixture.ts'

const SERVICE = serviceIdOf(BASE_URL)
const [ONE, TWO, OTHER] = [nodeKeyOf(SERVICE, '0x1'), nodeKeyOf(SERVICE, '0x2'), nodeKeyOf(SERVICE, '0x3')]
const CAUSE: Cause = {
  ...NO_POLLS,
  id: 'a',
  code: 'auth/403',
  severity: 'warning',
  scope: 'node',
  serviceId: SERVICE,
  nodes: [ONE, TWO],
  sinceWallMs: WALL_MS - 60_000,
  evidence: { kind: 'failure', failure: { kind: 'forbidden' } },
}
const rejected = (node: NodeKey, fields: Partial<AlarmView> = {}): AlarmView =>
  anAlarm({
    id: node,
    kind: 'rejected',
    subject: { kind: 'node', node, serviceId: SERVICE },
    sinceWallMs: WALL_MS - 600_000,
    ...fields,
  })
const ACKNOWLEDGED = { acknowledged: { wallMs: WALL_MS, note: '' } }

function read<T>(use: (cause: Cause) => T, alarms: readonly AlarmView[]): T {
  const dashboard = fakeDashboard({ alarms: anAlarmsView(alarms) })
  return renderHook(() => use(CAUSE), {
    wrapper: ({ children }) => <DashboardContext value={dashboard}>{children}</DashboardContext>,
  }).result.current
}

it.each([
  ['their own start without an alarm', [], 60_000],
  ['the start of an alarm of their node', [rejected(ONE)], 600_000],
  ['their own start once that alarm has cleared', [rejected(ONE, { phase: 'cleared' })], 60_000],
  ['their own start despite another node’s alarm', [rejected(OTHER)], 60_000],
  ['their own start despite another kind of alarm', [rejected(ONE, { kind: 'heartbeat-old' })], 60_000],
])('failing polls date from %s', (_, alarms, forMs) => {
  expect(read(useCauseSince, alarms)).toBe(WALL_MS - forMs)
})

it.each([
  ['unacknowledged by default', [rejected(ONE), rejected(TWO)], false],
  ['unacknowledged if only one alarm is', [rejected(ONE, ACKNOWLEDGED), rejected(TWO)], false],
  ['acknowledged if both alarms are', [rejected(ONE, ACKNOWLEDGED), rejected(TWO, ACKNOWLEDGED)], true],
  [
    'acknowledged if their group alarm is',
    [rejected(ONE, { ...ACKNOWLEDGED, subject: { kind: 'service', serviceId: SERVICE }, nodes: [ONE, TWO] })],
    true,
  ],
])('failing polls of two nodes are %s', (_, alarms, isAcknowledged) => {
  expect(read(useIsAcknowledged, alarms)).toBe(isAcknowledged)
})
