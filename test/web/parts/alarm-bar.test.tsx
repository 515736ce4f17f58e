import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmMember, AlarmSubject, AlarmView } from '#alarms/alarm.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { serviceIdOf } from '#record/service.ts'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { nodePath } from '#react/routes.ts'
import { NodeAlarm } from '#parts/alarm-bar.tsx'
import { Shell } from '#features/shell/shell.tsx'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aFailingNode, aNode, aSnapshot, BASE_URL } from '#test/support/fleet-fixture.ts'

const REJECTED = anAlarm({
  id: 'rejected vela',
  kind: 'rejected',
  ruleId: 'rejected',
  value: undefined,
  limit: undefined,
})

/** Renders only the messages and the alarm bar of a node page. */
async function showPage(
  alarms: readonly AlarmView[],
  node = aFailingNode({ kind: 'node-unknown' }),
  path = nodePath(aNode().key),
  members: readonly AlarmMember[] = [{ ...anAlarm(), node: aNode().key }],
) {
  const alarmAct = vi.fn<(act: AlarmAct) => Promise<boolean>>(async () => true)
  const dashboard = fakeDashboard({
    snapshot: aSnapshot([node]),
    alarms: anAlarmsView(alarms),
    engine: { alarmAct, readAlarmMembers: async () => members },
  })
  renderWith(
    dashboard,
    <EvaluationProvider>
      <Shell>
        <NodeAlarm node={aNode().key} />
      </Shell>
    </EvaluationProvider>,
    path,
  )
  const bar = () => screen.queryByRole('region', { name: 'Alarm' })
  const acknowledging = () => screen.findAllByRole('button', { name: /^Acknowledge/ })
  return { alarmAct, bar, acknowledging, alarms: dashboard.alarms }
}

beforeEach(() => localStorage.clear())

describe('a node’s own failure', () => {
  it('appears only in the message, whose button acknowledges its alarm', async () => {
    const { alarmAct, bar, acknowledging } = await showPage([REJECTED])
    const [button, ...more] = await acknowledging()
    expect([bar(), more]).toEqual([null, []])
    const message = button?.closest('section')
    expect(message?.textContent).toContain('404')
    await userEvent.click(button ?? document.body)
    expect(alarmAct).toHaveBeenCalledWith({ act: 'acknowledge', ids: [REJECTED.id] })
  })

  it('leaves the alarm bar to other alarms, and takes the acknowledge key', async () => {
    const { alarmAct, bar, acknowledging } = await showPage([anAlarm(), REJECTED])
    await waitFor(async () => expect(await acknowledging()).toHaveLength(2))
    expect(within(bar() ?? document.body).getByText(/Heartbeat too old/)).toBeTruthy()
    expect(bar()?.textContent).not.toContain('rejected')
    await userEvent.keyboard('a')
    expect(alarmAct.mock.calls).toEqual([[{ act: 'acknowledge', ids: [REJECTED.id] }]])
  })

  it('appears in the alarm bar when it ends before its alarm', async () => {
    const { bar, acknowledging } = await showPage([REJECTED], aNode())
    await waitFor(() => expect(bar()?.textContent).toMatch(/rejected/i))
    expect(await acknowledging()).toHaveLength(1)
  })
})

it('the alarm bar shows the node’s own value and limit, even if the group alarm does not list them', async () => {
  const { key, serviceId } = aNode()
  const member = (node: typeof key, limit: number) => ({
    ...anAlarm(),
    id: node,
    node,
    value: { unit: 'ms', value: limit + 60_000 } as const,
    limit: { unit: 'ms', value: limit } as const,
  })
  const other = aNode({ nodeId: '0x02' }).key
  const members = [member(other, 180_000), member(key, 192_000)]
  const group = anAlarm({
    id: 'group',
    subject: { kind: 'service', serviceId },
    memberCount: members.length,
    nodes: [other, key],
    members: members.slice(0, 1),
  })
  const { bar, alarms } = await showPage([group], aNode(), nodePath(key), members)
  const text = /old: 4 m 12 s \(limit 3 m 12 s\) for /
  await waitFor(() => expect(bar()?.textContent.replaceAll('\u00a0', ' ')).toMatch(text))
  act(() => alarms.publish(anAlarmsView([{ ...group, memberCount: 1, members: [member(other, 180_000)] }])))
  expect(bar()).toBeNull()
})

describe('a service-wide alarm', () => {
  const serviceId = serviceIdOf(BASE_URL)
  const KEY: AlarmSubject = { kind: 'key', serviceId }
  const SERVICE: AlarmSubject = { kind: 'service', serviceId }
  const refused: PollFailure = { kind: 'unauthorized' }
  const down: PollFailure = { kind: 'server-error', status: 503 }
  const shared = (kind: AlarmView['kind'], subject: AlarmSubject, given: Partial<AlarmView> = {}) =>
    anAlarm({ id: `${kind} shared`, ruleId: kind, kind, subject, value: undefined, ...given })
  const lock = shared('paused', { kind: 'screen' })

  it.each([
    ['rejected key', refused, shared('key-rejected', KEY), '401'],
    ['service down', down, shared('unreachable', SERVICE), '503'],
    ['locked key', { kind: 'key-locked' } as const, lock, 'locked'],
  ])('is acknowledged through its message on every page (%s)', async (_, failure, alarm, says) => {
    for (const path of ['/nodes', nodePath(aNode().key)]) {
      const { alarmAct, acknowledging } = await showPage([anAlarm(), alarm], aFailingNode(failure), path)
      await waitFor(async () => expect(await acknowledging()).toHaveLength(2))
      const button = (await acknowledging()).find((one) => one.closest('section')?.textContent.includes(says))
      await userEvent.click(button ?? document.body)
      expect(alarmAct.mock.calls).toEqual([[{ act: 'acknowledge', ids: [alarm.id] }]])
      cleanup()
    }
  })

  it.each([
    ['already acknowledged', shared('unreachable', SERVICE, { acknowledged: { wallMs: 1 } })],
    ['cleared', shared('unreachable', SERVICE, { phase: 'cleared' })],
    ['shelved', shared('unreachable', SERVICE, { shelved: { untilWallMs: 9e15, reason: 'Known' } })],
    [
      'for another service',
      shared('unreachable', { kind: 'service', serviceId: serviceIdOf('https://other.example') }),
    ],
    ['of another kind', shared('key-rejected', KEY)],
  ])('adds no acknowledge button to the message when it is %s', async (_, alarm) => {
    const { acknowledging } = await showPage([anAlarm(), alarm], aFailingNode(down))
    const [button, ...more] = await acknowledging()
    expect([button?.closest('section')?.textContent.includes('503'), more]).toEqual([false, []])
  })
})
