import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { AlarmRulesPage } from '#features/alarms/alarm-rules-page.tsx'
import type { EngineApi } from '#engine/bridge.ts'
import { EMPTY_SETTINGS } from '#settings/plain-settings.ts'
import type { Settings } from '#settings/settings.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'

beforeAll(giveLayout)

const RULE = {
  id: 'rule-1',
  off: false,
  scope: { for: 'tag', tag: 'eu' },
  check: { kind: 'participation-below', limit: 0.97, deadband: 0.002 },
  severity: 'warning',
  raiseAfter: { polls: 2, of: 2 },
  forMs: 0,
  clearAfter: 2,
  keepFiringForMs: 0,
} as const

const TRIAL = {
  raised: 3,
  raisedMs: [],
  nodes: 50,
  nodesInScope: 1_284,
  answers: 9_000,
  exact: true,
  possible: true,
} as const

function renderRules(alarms: Settings['alarms'] = { rules: [], maintenance: [] }) {
  const saveSettings = vi.fn<(settings: Settings) => boolean>(() => true)
  const tryRule = vi.fn<EngineApi['tryRule']>(async (_rule, range) => ({ ...TRIAL, ...range }))
  const dashboard = fakeDashboard({
    settings: { ...EMPTY_SETTINGS, alarms },
    saveSettings,
    engine: { tryRule },
  })
  renderWith(dashboard, <AlarmRulesPage />, '/alarms/rules')
  return { saveSettings, dashboard, tryRule }
}

const panel = (name: string) => within(screen.getByRole('region', { name }))

describe('the rules of alarms', () => {
  it('names what always holds, with its limits', () => {
    renderRules()
    const rows = panel(alarmRuleTexts.defaults.title).getAllByRole('row')
    expect(rows).toHaveLength(17)
    expect(rows[1]?.textContent).toContain('older than 4 (critical: 12) heartbeat periods')
  })

  it('takes a rule of one’s own, once its numbers are numbers', async () => {
    const { saveSettings } = renderRules()
    await userEvent.click(panel('Your rules').getByRole('button', { name: alarmRuleTexts.own.add }))
    await userEvent.click(panel('Your rules').getByRole('button', { name: 'Save rule' }))
    expect(panel('Your rules').getByText(alarmRuleTexts.wrong.number)).toBeTruthy()
    await userEvent.type(panel('Your rules').getByLabelText('Below (%)'), '97')
    await userEvent.click(panel('Your rules').getByRole('button', { name: 'Save rule' }))
    expect(saveSettings.mock.lastCall?.[0].alarms.rules).toMatchObject([
      { id: 'rule-1', scope: { for: 'all' }, check: { kind: 'participation-below', limit: 0.97 } },
    ])
  })

  it('says what the settings do not take', async () => {
    const { saveSettings } = renderRules({ rules: [RULE], maintenance: [] })
    await userEvent.click(panel('Your rules').getByRole('button', { name: 'Edit' }))
    const limit = panel('Your rules').getByLabelText('Below (%)')
    await userEvent.clear(limit)
    await userEvent.type(limit, '970')
    await userEvent.click(panel('Your rules').getByRole('button', { name: 'Save rule' }))
    expect(panel('Your rules').getByRole('alert').textContent).toMatch(/^Not saved: /)
    expect(saveSettings).not.toHaveBeenCalled()
  })

  it('removes a rule, with a way back', async () => {
    const { saveSettings, dashboard } = renderRules({ rules: [RULE], maintenance: [] })
    expect(panel('Your rules').getByText('tag eu')).toBeTruthy()
    await userEvent.click(panel('Your rules').getByRole('button', { name: 'Remove' }))
    expect(saveSettings.mock.lastCall?.[0].alarms.rules).toEqual([])
    dashboard.toasts.get()[0]?.undo?.()
    expect(saveSettings).toHaveBeenCalledTimes(2)
  })

  it('tries a rule on the last seven days before it is saved', async () => {
    const { saveSettings, tryRule } = renderRules({ rules: [RULE], maintenance: [] })
    await userEvent.click(panel('Your rules').getByRole('button', { name: 'Edit' }))
    await userEvent.click(panel('Your rules').getByRole('button', { name: alarmRuleTexts.trial.button }))
    await panel('Your rules').findByText(
      'Would have raised 3 alarms in the last 7 days. Tested on 50 of 1,284 nodes.',
    )
    const [rule, range] = tryRule.mock.lastCall ?? []
    expect([rule, (range?.toMs ?? 0) - (range?.fromMs ?? 0)]).toEqual([RULE, 7 * 86_400_000])
    expect(saveSettings).not.toHaveBeenCalled()
  })

  it('takes back what a trial said once the rule is another', async () => {
    renderRules({ rules: [RULE], maintenance: [] })
    await userEvent.click(panel('Your rules').getByRole('button', { name: 'Edit' }))
    await userEvent.click(panel('Your rules').getByRole('button', { name: alarmRuleTexts.trial.button }))
    await panel('Your rules').findByText(/raised 3 alarms/)
    await userEvent.type(panel('Your rules').getByLabelText('Below (%)'), '1')
    expect(panel('Your rules').queryByText(/raised 3 alarms/)).toBeNull()
  })

  it('plans maintenance every week', async () => {
    const { saveSettings } = renderRules()
    await userEvent.click(panel('Maintenance').getByRole('button', { name: alarmRuleTexts.maintenance.add }))
    await userEvent.click(panel('Maintenance').getByRole('radio', { name: 'every week' }))
    await userEvent.click(panel('Maintenance').getByRole('button', { name: 'Save window' }))
    expect(panel('Maintenance').getByText(/Choose at least one day/)).toBeTruthy()
    await userEvent.click(panel('Maintenance').getByRole('button', { name: 'Sun' }))
    await userEvent.click(panel('Maintenance').getByRole('button', { name: 'Save window' }))
    expect(saveSettings.mock.lastCall?.[0].alarms.maintenance).toMatchObject([
      { id: 'window-1', when: { kind: 'weekly', days: [0], startMinute: 120, minutes: 60, zone: 'utc' } },
    ])
  })
})
