import { act, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { isAsking, watchEdits } from '#platform/page-health.ts'
import { putBack } from '#features/alarms/edited-list.tsx'
import { AlarmRulesPage } from '#features/alarms/alarm-rules-page.tsx'
import type { EngineApi } from '#engine/bridge.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { Maintenance, Settings } from '#settings/schema.ts'
import { alarmRuleTexts as texts } from '#texts/en-alarm-rules.ts'
import { builtInTexts as words } from '#texts/en-built-in.ts'
import { formatLongDay, zoneName } from '#texts/format-time.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { fakeDashboard, NO_SERVER, renderWith } from '#test/support/fake-dashboard.tsx'
import { aService, BASE_URL, WALL_MS } from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { inZone } from '#test/support/in-zone.ts'
import { textsOf } from '#test/support/texts-of.ts'

beforeAll(giveLayout)

const RULE = {
  id: 'rule-1',
  off: false,
  scope: { for: 'tag', tag: 'eu' },
  condition: { metric: 'participation', test: 'below', limit: 0.97, deadband: 0.002 },
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

function renderRules(
  alarms: Settings['alarms'] = { rules: [], maintenance: [], builtIn: [] },
  server = NO_SERVER,
) {
  const saveSettings = vi.fn<(settings: Settings) => boolean>(() => true)
  const tryRule = vi.fn<EngineApi['tryRule']>(async (_rule, range) => ({ ...TRIAL, ...range }))
  const dashboard = fakeDashboard({
    settings: { ...EMPTY_SETTINGS, alarms },
    server,
    saveSettings,
    engine: { tryRule },
  })
  renderWith(dashboard, <AlarmRulesPage />, '/alarms/rules')
  return { saveSettings, dashboard, tryRule }
}

const panel = (name: string) => within(screen.getByRole('region', { name }))

describe('a removed rule or maintenance window', () => {
  const WINDOW: Omit<Maintenance, 'id' | 'reason'> = {
    scope: { for: 'all' },
    when: { kind: 'weekly', days: [0], startMinute: 60, minutes: 30, zone: 'utc' },
  }
  const ids = ['a', 'b', 'c', 'd'] as const
  const LISTS = {
    rules: [texts.own, ids.map((id) => ({ ...RULE, id, name: id }))],
    maintenance: [texts.maintenance, ids.map((id) => ({ ...WINDOW, id, reason: id }))],
  } as const

  it.each([
    ['rules', 0],
    ['rules', 1],
    ['rules', 3],
    ['maintenance', 0],
    ['maintenance', 2],
  ] as const)('returns to its position on undo: %s %i', async (list, place) => {
    const { dashboard, saveSettings } = renderRules({
      rules: LISTS.rules[1],
      maintenance: LISTS.maintenance[1],
      builtIn: [],
    })
    saveSettings.mockImplementation((settings) => {
      act(() => dashboard.configuration.publish({ ...dashboard.configuration.get(), settings }))
      return true
    })
    const now = () => dashboard.configuration.get().settings.alarms[list].map(({ id }) => id)
    const remove = async (at: number): Promise<void> => {
      const buttons = panel(LISTS[list][0].title).getAllByRole('button', { name: texts.own.remove })
      await userEvent.click(buttons[at] ?? document.body)
    }
    await remove(place)
    expect(now()).toEqual(ids.filter((_, at) => at !== place))
    act(() => dashboard.toasts.get().at(-1)?.undo?.())
    expect(now()).toEqual(ids)
    // An item that was removed later stays removed.
    await remove(place)
    await remove(0)
    act(() => dashboard.toasts.get().at(-2)?.undo?.())
    expect(now()).toEqual(ids.filter((_, at) => at !== (place === 0 ? 1 : 0)))
  })

  it('returns before the item that followed it, even after other items changed', async () => {
    const items = ids.map((id) => ({ id }))
    const left = [{ id: 'a' }, { id: 'd' }, { id: 'new' }]
    expect(putBack(left, { id: 'b' }, items).map(({ id }) => id)).toEqual(['a', 'b', 'd', 'new'])
    expect(putBack(left, { id: 'd' }, items).map(({ id }) => id)).toEqual(['a', 'new', 'd'])
  })
})

describe('a form being edited', () => {
  it('blocks a planned reload until it is reset or closed, unlike an untouched form', async () => {
    watchEdits()
    renderRules()
    const own = panel(texts.own.title)
    await userEvent.click(own.getByRole('button', { name: texts.own.add }))
    expect(isAsking()).toBe(false)
    const limit = own.getByLabelText(texts.fields.limit.below(texts.fields.units.ratio))
    await userEvent.type(limit, '97')
    expect(isAsking()).toBe(true)
    await userEvent.clear(limit)
    expect(isAsking()).toBe(false)
    await userEvent.selectOptions(own.getAllByRole('combobox')[0] ?? document.body, 'heartbeat-old')
    expect(isAsking()).toBe(true)
    await userEvent.click(own.getByRole('button', { name: settingsTexts.cancel }))
    expect(isAsking()).toBe(false)
  })
})

describe('the alarm rules page', () => {
  it('lists the built-in rules with their limits', () => {
    renderRules()
    const rows = panel(texts.defaults.title).getAllByRole('row')
    expect(rows).toHaveLength(31)
    expect(rows.map((row) => row.textContent).join()).toContain(
      'default: 4 heartbeat periods or poll intervals',
    )
  })

  it('saves a custom rule beside the others once its numbers are valid', async () => {
    const other = { ...RULE, id: 'rule-2', name: 'mine', off: true, todo: 'Call Kim' } as const
    const { saveSettings } = renderRules({ rules: [other], maintenance: [], builtIn: [] })
    const own = panel(texts.own.title)
    own.getByText(/^mine: .*, disabled$/)
    own.getByText(new RegExp(texts.own.runbook('Call Kim')))
    await userEvent.click(own.getByRole('button', { name: texts.own.add }))
    await userEvent.click(own.getByRole('button', { name: texts.own.save }))
    expect(own.getByText(fieldProblemText({ kind: 'not-a-percentage' }) ?? '')).toBeTruthy()
    await userEvent.type(own.getByLabelText(texts.fields.limit.below(texts.fields.units.ratio)), '97')
    await userEvent.selectOptions(own.getByLabelText(texts.fields.severity), 'critical')
    await fillIn(own.getByLabelText(texts.fields.todo), 'Ask Ada')
    await userEvent.click(own.getByRole('radio', { name: texts.fields.ways.off }))
    await userEvent.click(own.getByRole('button', { name: texts.own.save }))
    expect(saveSettings.mock.lastCall?.[0].alarms.rules).toMatchObject([
      other,
      {
        id: 'rule-3',
        off: true,
        scope: { for: 'all' },
        severity: 'critical',
        todo: 'Ask Ada',
        condition: { metric: 'participation', test: 'below', limit: 0.97 },
      },
    ])
  })

  it('keeps the form open and saves nothing when there are too many rules', async () => {
    const rules = Array.from({ length: DEFAULTS.alarmRulesMax }, (_, place) => ({ ...RULE, id: `r${place}` }))
    const { saveSettings } = renderRules({ rules, maintenance: [], builtIn: [] })
    const own = panel(texts.own.title)
    await userEvent.click(own.getByRole('button', { name: texts.own.add }))
    await fillIn(own.getByLabelText(texts.fields.limit.below(texts.fields.units.ratio)), '97')
    await userEvent.click(own.getByRole('button', { name: texts.own.save }))
    expect(saveSettings).not.toHaveBeenCalled()
    own.getByRole('alert')
    own.getByRole('button', { name: texts.own.save })
  })

  it.each(['-5', 'soon', '1e99'])('F 83: rejects an invalid duration: %s', async (duration) => {
    const { saveSettings } = renderRules()
    const own = () => panel(texts.own.title)
    await userEvent.click(own().getByRole('button', { name: texts.own.add }))
    await userEvent.type(own().getByLabelText(texts.fields.limit.below(texts.fields.units.ratio)), '80')
    const lasting = own().getAllByLabelText(texts.fields.lasting)[0]
    if (lasting === undefined) throw new Error('no duration')
    await userEvent.clear(lasting)
    await userEvent.type(lasting, duration)
    await userEvent.click(own().getByRole('button', { name: texts.own.save }))
    expect(lasting.getAttribute('aria-invalid')).toBe('true')
    expect(saveSettings).not.toHaveBeenCalled()
  })

  it('tests a rule against the last seven days before it is saved', async () => {
    const { saveSettings, tryRule } = renderRules({ rules: [RULE], maintenance: [], builtIn: [] })
    await userEvent.click(panel(texts.own.title).getByRole('button', { name: texts.own.edit }))
    // The tag stays selected although no node has it any more.
    panel(texts.own.title).getByDisplayValue(texts.scopes.tag('eu'))
    const tryOut = () =>
      userEvent.click(panel(texts.own.title).getByRole('button', { name: texts.trial.button }))
    await tryOut()
    await panel(texts.own.title).findByText(`${texts.trial.raised(3)} ${texts.trial.ofNodes(50, 1_284)}`)
    const [rule, range] = tryRule.mock.lastCall ?? []
    expect([rule, (range?.toMs ?? 0) - (range?.fromMs ?? 0)]).toEqual([RULE, 7 * 86_400_000])
    expect(saveSettings).not.toHaveBeenCalled()
    tryRule.mockImplementationOnce(async (_rule, asked) => ({ ...TRIAL, ...asked, raised: 0, answers: 0 }))
    await tryOut()
    await panel(texts.own.title).findByText(texts.trial.nothingKnown)
    tryRule.mockRejectedValueOnce(new Error('gone'))
    await tryOut()
    await panel(texts.own.title).findByText(texts.trial.failed)
    await tryOut()
    // Changing the rule clears the trial result.
    await userEvent.type(
      panel(texts.own.title).getByLabelText(texts.fields.limit.below(texts.fields.units.ratio)),
      '1',
    )
    expect(panel(texts.own.title).queryByText(new RegExp(texts.trial.raised(3)))).toBeNull()
  })

  it('clears the limit and deadband when the condition changes to another unit', async () => {
    renderRules({ rules: [RULE], maintenance: [], builtIn: [] })
    const own = panel(texts.own.title)
    await userEvent.click(own.getByRole('button', { name: texts.own.edit }))
    const { kind, limit, deadband, units } = texts.fields
    await userEvent.selectOptions(own.getByLabelText(kind), 'stake-below')
    for (const name of [limit.below(units.amount), deadband])
      expect(own.getByLabelText(name)).toHaveProperty('value', '')
  })

  it('schedules weekly maintenance of one service once a day is chosen', async () => {
    const { saveSettings } = renderRules(undefined, { ...NO_SERVER, services: [aService()] })
    const there = panel(texts.maintenance.title)
    const press = (name: string) => userEvent.click(there.getByRole('button', { name }))
    const { add, when, kinds, save, wrongDays, day } = texts.maintenance
    await press(add)
    await userEvent.selectOptions(there.getByLabelText(when), kinds.weekly)
    await press(save)
    expect(there.getByText(wrongDays)).toBeTruthy()
    for (const name of [day[0], day[1], day[2], day[1]]) await press(name)
    expect(there.getByRole('button', { name: day[2], pressed: true })).toBeTruthy()
    await userEvent.selectOptions(there.getByLabelText(texts.fields.scope), 'service api.immune.example')
    await press(save)
    const scope = { for: 'service', service: BASE_URL }
    expect(saveSettings.mock.lastCall?.[0].alarms.maintenance).toMatchObject([
      { id: 'window-1', scope, when: { days: [0, 2], startMinute: 120, minutes: 60, zone: 'utc' } },
    ])
  })

  it.each(['2026-11-20T15:00', ''])('rejects maintenance from 15:00 until “%s”', async (end) => {
    const { saveSettings } = renderRules()
    const there = panel(texts.maintenance.title)
    await userEvent.click(there.getByRole('button', { name: texts.maintenance.add }))
    fireEvent.change(there.getByLabelText(texts.maintenance.to(zoneName('utc'))), { target: { value: end } })
    await userEvent.click(there.getByRole('button', { name: texts.maintenance.save }))
    there.getByText(texts.maintenance.wrongTimes)
    expect(saveSettings).not.toHaveBeenCalled()
  })

  it('shows the dates of a maintenance window and edits it in place', async () => {
    const once = {
      id: 'window-1',
      scope: { for: 'all' },
      reason: 'Switch replaced',
      when: { kind: 'once', fromMs: Date.UTC(2027, 0, 2, 22), toMs: Date.UTC(2027, 0, 3, 1, 30) },
    } as const
    const later = { ...once, id: 'window-2', reason: 'later' }
    const { saveSettings } = renderRules({ rules: [], maintenance: [once, later], builtIn: [] })
    const there = panel(texts.maintenance.title)
    expect(
      there.getAllByText(
        `No notifications from ${formatLongDay(once.when.fromMs, 'utc')} 22:00:00 to ${formatLongDay(once.when.toMs, 'utc')} 01:30:00 UTC on any node`,
      ),
    ).toHaveLength(2)
    await userEvent.click(there.getAllByRole('button', { name: texts.own.edit })[0] ?? document.body)
    await userEvent.clear(there.getByLabelText(texts.maintenance.reason))
    await userEvent.click(there.getByRole('button', { name: texts.maintenance.save }))
    expect(saveSettings.mock.lastCall?.[0].alarms.maintenance).toEqual([{ ...once, reason: '' }, later])
  })
})

describe('a maintenance window', () => {
  it.each([
    [-2, -1, texts.maintenance.past],
    [-1, 1, texts.maintenance.open],
    [1, 2, zoneName('utc')],
  ])('from %i to %i hours from now is described as: %s', (fromH, toH, says) => {
    const when = { fromMs: WALL_MS + fromH * 3_600_000, toMs: WALL_MS + toH * 3_600_000 }
    const window = { id: 'w', scope: { for: 'all' }, reason: '', when: { kind: 'once', ...when } } as const
    renderRules({ rules: [], maintenance: [window], builtIn: [] })
    panel(texts.maintenance.title).getByText(new RegExp(`${says} on any node$`))
  })

  it('names the time zone of its weekly start, and keeps it when edited', async () => {
    const when = { kind: 'weekly' as const, days: [0], startMinute: 60, minutes: 60, zone: 'local' as const }
    const window = { id: 'w', scope: { for: 'all' as const }, reason: '', when }
    const { saveSettings } = inZone('Asia/Kathmandu', () =>
      renderRules({ rules: [], maintenance: [window], builtIn: [] }),
    )
    const there = panel(texts.maintenance.title)
    there.getByText(/at 01:00 GMT\+5:45 for/)
    await userEvent.click(there.getByRole('button', { name: texts.own.edit }))
    await userEvent.click(there.getByRole('button', { name: texts.maintenance.save }))
    expect(saveSettings.mock.lastCall?.[0].alarms.maintenance).toEqual([window])
  })
})

describe('rules and windows from the server configuration', () => {
  it('are marked as such and can’t be edited or removed', () => {
    const when = { kind: 'weekly' as const, days: [0], startMinute: 60, minutes: 60, zone: 'utc' as const }
    const window = { id: 'window-1', reason: 'weekly restart', scope: { for: 'all' as const }, when }
    renderRules(
      { rules: [{ ...RULE, name: 'mine' }], maintenance: [], builtIn: [] },
      { ...NO_SERVER, alarms: { rules: [RULE], maintenance: [window], builtIn: [] } },
    )
    const rules = panel(texts.own.title)
    expect(rules.getAllByText(texts.own.fromServer, { exact: false })).toHaveLength(1)
    expect(rules.getAllByRole('button', { name: texts.own.edit })).toHaveLength(1)
    expect(rules.getAllByRole('button', { name: texts.own.remove })).toHaveLength(1)
    const windows = panel(texts.maintenance.title)
    windows.getByText(texts.own.fromServer, { exact: false })
    windows.getByText('weekly restart', { exact: false })
    expect(windows.queryByRole('button', { name: texts.own.edit })).toBeNull()
  })
})

describe('changes to built-in rules', () => {
  const OFF = { rule: 'unreachable', scope: { for: 'all' }, off: true } as const
  const there = () => panel(texts.defaults.title)
  const ruleRow = (name: RegExp) => there().getByRole('row', { name })
  const none = { rules: [], maintenance: [], builtIn: [] }
  const saved = ({ saveSettings }: ReturnType<typeof renderRules>) =>
    saveSettings.mock.lastCall?.[0].alarms.builtIn

  it('open from the rule’s row by Enter, and save a disabled rule without a severity', async () => {
    const page = renderRules(none)
    act(() => ruleRow(/^No usable answer/).focus())
    await userEvent.keyboard('{Enter}')
    const field = (name: string) => there().getByRole('combobox', { name })
    expect(field(words.rule)).toHaveProperty('value', 'No usable answer')
    expect(document.activeElement).toBe(field(texts.fields.scope))
    await userEvent.tab()
    expect(document.activeElement).toBe(field(words.state))
    // A disabled rule has no severity, even if one was chosen before.
    await userEvent.selectOptions(field(words.state), words.states.on)
    await userEvent.selectOptions(field(texts.fields.severity), 'warning')
    await userEvent.selectOptions(field(words.state), words.states.off)
    await userEvent.click(there().getByRole('button', { name: words.save }))
    expect(saved(page)).toEqual([OFF])
  })

  it('set the severity and delay of an enabled rule for one service', async () => {
    const page = renderRules(none, { ...NO_SERVER, services: [aService()] })
    await userEvent.click(there().getByRole('button', { name: words.add }))
    const rule = there().getByRole('combobox', { name: words.rule })
    await userEvent.click(rule)
    await userEvent.type(rule, 'no data{Enter}')
    const scope = there().getByRole('combobox', { name: texts.fields.scope })
    // The rule is about a service, so tags and nodes are not offered.
    const scopes = textsOf(within(scope).getAllByRole('option'))
    expect(scopes).toEqual(['any node', 'service api.immune.example'])
    await userEvent.selectOptions(scope, 'service api.immune.example')
    await userEvent.selectOptions(there().getByRole('combobox', { name: words.state }), words.states.on)
    await userEvent.selectOptions(there().getByRole('combobox', { name: texts.fields.severity }), 'warning')
    const delay = there().getByRole('textbox', { name: words.delay })
    await fillIn(delay, 'soon')
    await userEvent.click(there().getByRole('button', { name: words.save }))
    expect(page.saveSettings).not.toHaveBeenCalled()
    there().getByText(fieldProblemText({ kind: 'not-a-number' }) ?? '')
    await userEvent.clear(delay)
    await userEvent.type(delay, '90')
    await userEvent.click(there().getByRole('button', { name: words.save }))
    expect(saved(page)).toEqual([
      {
        rule: 'blind',
        scope: { for: 'service', service: BASE_URL },
        off: false,
        severity: 'warning',
        forMs: 90_000,
      },
    ])
  })

  it('reset the scope to every node if the newly chosen rule does not allow it', async () => {
    const nodes = [{ id: '0x1', service: BASE_URL, tags: ['eu'] }]
    const page = renderRules(none, { ...NO_SERVER, services: [aService()], nodes })
    await userEvent.click(there().getByRole('button', { name: words.add }))
    await userEvent.selectOptions(there().getByRole('combobox', { name: texts.fields.scope }), 'tag eu')
    const rule = there().getByRole('combobox', { name: words.rule })
    await userEvent.click(rule)
    await userEvent.type(rule, 'no data{Enter}')
    await userEvent.click(there().getByRole('button', { name: words.save }))
    expect(saved(page)).toMatchObject([{ rule: 'blind', scope: { for: 'all' } }])
  })

  it('appear above the rules and in their rows, with a note on weakened critical rules', async () => {
    const server = { ...NO_SERVER, alarms: { ...none, builtIn: [{ ...OFF, off: false, forMs: 300_000 }] } }
    const changes = [
      { rule: 'status-left', scope: { for: 'all' }, severity: 'info' },
      { rule: 'status-left', scope: { for: 'tag', tag: 'eu' }, off: true },
      { rule: 'rejected', scope: { for: 'all' }, off: true },
    ] as const
    renderRules({ ...none, builtIn: [...changes] }, server)
    there().getByText('No usable answer on any node: enabled, after 5 m')
    there().getByText('Status abnormal on any node: info')
    there().getByText('Status abnormal on tag eu: disabled')
    expect(there().getAllByText(words.canBeCritical)).toHaveLength(2)
    expect(there().getAllByText(texts.own.fromServer, { exact: false })).toHaveLength(1)
    expect(ruleRow(/^Status abnormal/).textContent).toContain('info, 1 exception')
    expect(ruleRow(/^Node rejected/).textContent).toContain('disabled')
    expect(ruleRow(/^No usable answer/).textContent).toContain('depends on the failure, after 5 m')
    await userEvent.click(there().getAllByRole('button', { name: texts.own.edit })[0] ?? document.body)
    expect(there().getByRole('combobox', { name: words.state })).toHaveProperty('value', 'on')
  })

  it('replace an earlier change of the same rule and scope, and return in place on undo', async () => {
    const tag = { ...OFF, scope: { for: 'tag', tag: 'eu' } } as const
    const page = renderRules({ ...none, builtIn: [OFF, tag] })
    await userEvent.click(ruleRow(/^No usable answer/))
    await userEvent.selectOptions(there().getByRole('combobox', { name: words.state }), words.states.on)
    await userEvent.click(there().getByRole('button', { name: words.save }))
    expect(saved(page)).toEqual([tag, { ...OFF, off: false }])
    const [first] = there().getAllByRole('button', { name: texts.own.remove })
    if (first === undefined) throw new Error('no button')
    await userEvent.click(first)
    expect(saved(page)).toEqual([tag])
    act(() => page.dashboard.toasts.get().at(-1)?.undo?.())
    expect(saved(page)?.[0]).toEqual(OFF)
  })
})
