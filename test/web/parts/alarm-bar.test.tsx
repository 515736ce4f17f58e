import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AlarmAct, AlarmView } from '#alarms/alarm.ts'
import { fetchCauses, JudgementProvider } from '#react/judgement.tsx'
import { nodePath } from '#react/routes.ts'
import { NodeAlarm } from '#parts/alarm-bar.tsx'
import { Shell } from '#features/shell/shell.tsx'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aFailingNode, aNode, aSnapshot } from '#test/support/fleet-fixture.ts'

const REJECTED = anAlarm({
  id: 'rejected vela',
  kind: 'rejected',
  ruleId: 'rejected',
  value: undefined,
  limit: undefined,
})

/** A node's page, of which only the messages and the alarm's bar are wanted. */
async function showPage(alarms: readonly AlarmView[], node = aFailingNode({ kind: 'node-unknown' })) {
  const alarmAct = vi.fn<(act: AlarmAct) => Promise<boolean>>(async () => true)
  const dashboard = fakeDashboard({
    snapshot: aSnapshot([node]),
    alarms: anAlarmsView(alarms),
    engine: { alarmAct },
  })
  renderWith(
    dashboard,
    <JudgementProvider>
      <Shell>
        <NodeAlarm node={aNode().key} />
      </Shell>
    </JudgementProvider>,
    nodePath(aNode().key),
  )
  const bar = () => screen.queryByRole('region', { name: 'Alarm' })
  const acknowledging = () => screen.findAllByRole('button', { name: /^Acknowledge/ })
  return { alarmAct, bar, acknowledging }
}

beforeAll(fetchCauses)
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
