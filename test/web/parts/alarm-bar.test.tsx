import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmSubject, AlarmView } from '#alarms/alarm.ts'
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

/** A node's page, of which only the messages and the alarm's bar are wanted. */
async function showPage(
  alarms: readonly AlarmView[],
  node = aFailingNode({ kind: 'node-unknown' }),
  path = nodePath(aNode().key),
) {
  const alarmAct = vi.fn<(act: AlarmAct) => Promise<boolean>>(async () => true)
  const dashboard = fakeDashboard({
    snapshot: aSnapshot([node]),
    alarms: anAlarmsView(alarms),
    engine: { alarmAct },
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
  return { alarmAct, bar, acknowledging }
}

beforeEach(() => localStorage.clear())

describe('a node’s own failure', () => {
  it('is told once: by the message, which has what can be done about the alarm', async () => {
    const { alarmAct, bar, acknowledging } = await showPage([REJECTED])
    const [button, ...more] = await acknowledging()
    expect([bar(), more]).toEqual([null, []])
    const message = button?.closest('section')
    expect(message?.textContent).toContain('404')
    await userEvent.click(button ?? document.body)
    expect(alarmAct).toHaveBeenCalledWith({ act: 'acknowledge', ids: [REJECTED.id] })
  })

  it('leaves the bar to what else is wrong, and the keys to the failure', async () => {
    const { alarmAct, bar, acknowledging } = await showPage([anAlarm(), REJECTED])
    await waitFor(async () => expect(await acknowledging()).toHaveLength(2))
    expect(within(bar() ?? document.body).getByText(/Heartbeat too old/)).toBeTruthy()
    expect(bar()?.textContent).not.toContain('rejected')
    await userEvent.keyboard('a')
    expect(alarmAct.mock.calls).toEqual([[{ act: 'acknowledge', ids: [REJECTED.id] }]])
  })

  it('that is over is told by the bar, until its alarm is over too', async () => {
    const { bar, acknowledging } = await showPage([REJECTED], aNode())
    await waitFor(() => expect(bar()?.textContent).toMatch(/rejected/i))
    expect(await acknowledging()).toHaveLength(1)
  })
})

it('of a group has this node’s own value and limit, and none where they are not known', async () => {
  const { key, serviceId } = aNode()
  const member = (node: typeof key, limit: number) => ({
    ...anAlarm(),
    id: node,
    node,
    value: { unit: 'ms', value: limit + 60_000 } as const,
    limit: { unit: 'ms', value: limit } as const,
  })
  const other = aNode({ nodeId: '0x02' }).key
  const group = anAlarm({
    id: 'group',
    subject: { kind: 'service', serviceId },
    memberCount: 30,
    nodes: [other, key],
    members: [member(other, 180_000), member(key, 192_000)],
  })
  const { bar } = await showPage([group], aNode())
  await waitFor(() =>
    expect(bar()?.textContent.replaceAll('\u00a0', ' ')).toContain('4 m 12 s. Limit 3 m 12 s'),
  )
})

describe('what a whole service has', () => {
  const serviceId = serviceIdOf(BASE_URL)
  const KEY: AlarmSubject = { kind: 'key', serviceId }
  const SERVICE: AlarmSubject = { kind: 'service', serviceId }
  const refused: PollFailure = { kind: 'unauthorized' }
  const down: PollFailure = { kind: 'server-error', status: 503 }
  const shared = (kind: AlarmView['kind'], subject: AlarmSubject, given: Partial<AlarmView> = {}) =>
    anAlarm({ id: `${kind} shared`, ruleId: kind, kind, subject, value: undefined, ...given })
  const lock = shared('paused', { kind: 'screen' })

  it.each([
    ['a key that is refused', refused, shared('key-rejected', KEY), '401'],
    ['a service that is down', down, shared('unreachable', SERVICE), '503'],
    ['a key that is locked', { kind: 'key-locked' } as const, lock, 'locked'],
  ])('is acknowledged by its message, on every page: %s', async (_, failure, alarm, says) => {
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
    ['acknowledged already', shared('unreachable', SERVICE, { acknowledged: { wallMs: 1 } })],
    ['over', shared('unreachable', SERVICE, { phase: 'cleared' })],
    ['put on the shelf', shared('unreachable', SERVICE, { shelved: { untilWallMs: 9e15, reason: 'Known' } })],
    [
      'another service’s',
      shared('unreachable', { kind: 'service', serviceId: serviceIdOf('https://other.example') }),
    ],
    ['of another kind', shared('key-rejected', KEY)],
  ])('offers nothing to acknowledge where its alarm is %s', async (_, alarm) => {
    const { acknowledging } = await showPage([anAlarm(), alarm], aFailingNode(down))
    const [button, ...more] = await acknowledging()
    expect([button?.closest('section')?.textContent.includes('503'), more]).toEqual([false, []])
  })
})
