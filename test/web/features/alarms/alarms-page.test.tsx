import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmMember, AlarmSeverity, AlarmsView } from '#alarms/alarm.ts'
import { AlarmsPage } from '#features/alarms/alarms-page.tsx'
import type { EngineCalls } from '#engine/bridge.ts'
import { alarmIn } from '#features/alarms/lists.ts'
import { Toasts } from '#features/shell/toasts.tsx'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { alarmHelp } from '#texts/en-alarm-help.ts'
import { turnSingleKeys } from '#react/single-keys.ts'
import { METRICS } from '#metrics/metrics.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { builtInTexts } from '#texts/en-built-in.ts'
import { fakeDashboard, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import { aNode, aServiceLive, aSnapshot, WALL_MS } from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { read, textsOf } from '#test/support/texts-of.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { watchTexts } from '#texts/en-watch.ts'
import type { ServerWatch } from '#react/dashboard.ts'
import { createStore } from '#base/store.ts'

beforeAll(() => {
  giveLayout()
  installDialog()
})

const LOUD = anAlarm()
const OPEN = `/alarms?alarm=${encodeURIComponent(LOUD.id)}`
const QUIET = anAlarm({
  id: 'answerTime-above vela',
  kind: 'answerTime-above',
  severity: 'warning',
  value: { unit: 'ms', value: 1_840 },
  limit: { unit: 'ms', value: 1_000 },
  acknowledged: { wallMs: WALL_MS - 30_000, by: 'Ada', note: 'on it' },
})
const SHELVED = anAlarm({
  id: 'proof-wrong vela',
  kind: 'proof-wrong',
  shelved: { untilWallMs: WALL_MS + 3_600_000, reason: 'ticket 4412' },
})

function renderAlarms(
  view: AlarmsView | undefined = anAlarmsView([LOUD, QUIET, SHELVED]),
  path = '/alarms',
  options: FakeOptions = {},
) {
  const alarmAct = vi.fn<(act: AlarmAct) => Promise<boolean>>(async () => true)
  const dashboard = fakeDashboard({
    ...options,
    ...(view && { alarms: view }),
    engine: {
      alarmAct,
      readEvents: async () => ({ entries: [], before: undefined }),
      readSeriesData: () => new Promise(() => undefined),
      ...options.engine,
    },
  })
  const result = renderWith(
    dashboard,
    <>
      <AlarmsPage />
      <Toasts />
    </>,
    path,
  )
  return { ...result, alarmAct, dashboard }
}

const rows = () =>
  within(screen.getByRole('grid', { name: /^Alarms/ }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => textsOf(within(row).getAllByRole('gridcell')).map(read))

describe('the alarm list', () => {
  it('shows unacknowledged alarms first, with value, limit, start time and duration', () => {
    renderAlarms()
    expect(rows()).toEqual([
      [alarmTexts.groups.unacknowledged],
      ['', 'Heartbeat too old', 'vela-007', '4 m 12 s', '3 m', '14:01:35', '1 m 00 s', 'Acknowledge'],
      [alarmTexts.groups.acknowledged],
      [
        '',
        `${alarmName('answerTime-above', METRICS)}acknowledged at 14:02:05 by Ada: on it`,
        'vela-007',
        '1,840 ms',
        '1,000 ms',
        '14:01:35',
        '1 m 00 s',
        '',
      ],
    ])
    expect(screen.getByRole('img', { name: 'critical, unacknowledged' })).toBeTruthy()
    screen.getByText(alarmTexts.stats.oldest('1 m 00 s'))
  })

  it('counts shelved alarms and shows their reason and end', async () => {
    renderAlarms(undefined, '/alarms?list=shelved')
    const tab = screen.getByRole('link', { name: /^Shelved/, current: 'page' })
    expect([tab.textContent, tab.getAttribute('href')]).toEqual(['Shelved1', '#/alarms?list=shelved'])
    expect(rows()[1]?.[1]).toBe(`${alarmName('proof-wrong', METRICS)}until 15:02:35: ticket 4412`)
  })

  it('shows the highest raise count in a group of nodes, and whether some are flapping', () => {
    const many = { ...LOUD, memberCount: 1_000, raised24h: 3 }
    renderAlarms(anAlarmsView([many, { ...many, id: 'b', flapping: true }]))
    screen.getByText('1 alarm, 1,000 nodes, raised up to 3 times in 24 h')
    screen.getByText('1 alarm, 1,000 nodes, some flapping, raised up to 3 times in 24 h')
  })

  it('names the first nodes of a group, counts the rest, and expands to acknowledge one', async () => {
    const member = (id: string, severity: AlarmSeverity, ageMs: number): AlarmMember => {
      const value = { unit: 'ms', value: ageMs } as const
      return { ...LOUD, id: `heartbeat-old ${id}`, node: aNode({ nodeId: id }).key, severity, value }
    }
    const members = [member('0x01', 'critical', 400_000), member('0x02', 'warning', 90_000)]
    const group = anAlarm({
      id: 'group heartbeat-old on',
      memberCount: 22,
      members,
      subject: { kind: 'service', serviceId: aNode().serviceId },
    })
    const { alarmAct } = renderAlarms(anAlarmsView([group]))
    const chips = within(screen.getAllByRole('row')[2] ?? document.body).getAllByRole('link')
    expect(chips.map(({ textContent }) => textContent)).toEqual(['0x01', '0x02'])
    expect(rows()[1]?.[2]).toContain('+20')
    screen.getByTitle('0x01 and 21 more')
    await userEvent.click(screen.getByRole('button', { name: alarmTexts.members.open }))
    expect(
      rows()
        .slice(2)
        .map((row) => [row[2], row[3]]),
    ).toEqual([
      ['0x01', '6 m 40 s'],
      ['0x02', '1 m 30 s'],
      [undefined, undefined],
    ])
    screen.getByText(alarmTexts.moreMembers(20))
    expect(alarmIn([group], 'heartbeat-old 0x02')).toMatchObject({ id: 'heartbeat-old 0x02', memberCount: 1 })
    expect(screen.queryByRole('button', { name: alarmTexts.act.acknowledgeAll })).toBeNull()
    const second = within(screen.getAllByRole('row')[4] ?? document.body)
    await userEvent.click(second.getByRole('button', { name: alarmTexts.act.acknowledge }))
    expect(alarmAct.mock.calls[0]?.[0]).toMatchObject({ act: 'acknowledge', ids: ['heartbeat-old 0x02'] })
    await userEvent.click(screen.getByRole('button', { name: alarmTexts.members.close }))
    expect(rows()).toHaveLength(2)
  })

  it('counts cleared alarms separately from unacknowledged ones', () => {
    renderAlarms(anAlarmsView([{ ...LOUD, phase: 'cleared', clearedWallMs: WALL_MS }]))
    screen.getByText('all acknowledged, 1 cleared')
  })

  it('shows only alarms of the severity in the URL', () => {
    renderAlarms(undefined, '/alarms?severity=warning')
    expect(rows().map((row) => row[3])).toEqual([undefined, '1,840 ms'])
  })

  it('shows that no alarms have been evaluated yet', () => {
    renderWith(fakeDashboard(), <AlarmsPage />, '/alarms')
    screen.getByText(alarmTexts.notYet, { exact: false })
  })

  it('shows when there are no alarms, and offers to clear a filter without matches', async () => {
    renderAlarms(anAlarmsView([]))
    expect(screen.getByText(alarmTexts.empty.active.title)).toBeTruthy()
    await userEvent.click(screen.getByRole('radio', { name: 'Critical' }))
    await userEvent.click(screen.getByRole('button', { name: 'Show all alarms' }))
    expect(screen.getByText(alarmTexts.empty.active.title)).toBeTruthy()
  })
})

/** jsdom caches the result of a selector even after focus moves, so each call gets a different selector. */
function followFocusWithin(): void {
  let asked = 0
  vi.spyOn(HTMLUListElement.prototype, 'matches').mockImplementation(function (this: Element, selector) {
    return this.closest(selector + ' '.repeat(++asked)) === this
  })
}

describe('acting on an alarm', () => {
  it('acknowledges it from its row, supports undo, and reports when the engine fails', async () => {
    followFocusWithin()
    const { alarmAct, dashboard } = renderAlarms()
    await userEvent.click(screen.getByRole('button', { name: 'Acknowledge' }))
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'acknowledge', ids: [LOUD.id] })
    const undo = await screen.findByRole('button', { name: 'Undo' })
    // The toast stays while it has keyboard focus.
    act(() => undo.focus())
    dashboard.advance(60_000)
    await userEvent.keyboard('{Enter}')
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'unacknowledge', ids: [LOUD.id] })
    for (const fails of [async () => false, () => Promise.reject(new Error('gone'))]) {
      alarmAct.mockImplementation(fails)
      await userEvent.click(screen.getByRole('button', { name: 'Acknowledge' }))
      await screen.findByText(alarmTexts.done.failed, { selector: '.toast *' })
      dashboard.advance(60_000)
    }
  })

  it.each([
    ['live', {}, 'figure-value critical'],
    ['outdated', { evidence: { state: 'old', ageMs: 60_000 } }, 'figure-value old'],
    ['of a cleared alarm', { phase: 'cleared' }, 'figure-value old'],
  ] as const)('has its value in its severity’s colour only while it is live: %s', (_what, part, look) => {
    const alarm = anAlarm({ id: 'one', severity: 'critical', ...part })
    renderAlarms(anAlarmsView([alarm]), '/alarms?alarm=one')
    const panel = screen.getByRole('complementary', { name: 'Heartbeat too old' })
    expect(panel.querySelector('.figure-value')?.className).toBe(look)
    const inList = document.querySelector('[role="grid"] .value')?.className ?? 'value old'
    expect(inList).toBe(look.replace('figure-', ''))
  })

  it('closes its details on Escape, unless a field or dialog has focus', async () => {
    renderAlarms()
    await userEvent.click(screen.getByRole('row', { name: /Heartbeat too old/ }))
    const panel = screen.getByRole('complementary', { name: 'Heartbeat too old' })
    await userEvent.click(within(panel).getByRole('button', { name: alarmTexts.act.acknowledgeNote }))
    await userEvent.type(within(panel).getByRole('textbox'), 'on it{Escape}')
    expect(screen.getByRole('complementary', { name: 'Heartbeat too old' })).toBeTruthy()
    await userEvent.click(within(panel).getByRole('button', { name: alarmTexts.act.cancel }))
    await userEvent.keyboard('s')
    const close = within(screen.getByRole('dialog')).getByRole('button', { name: 'Close' })
    act(() => close.focus())
    await userEvent.keyboard('{Escape}')
    expect(screen.getByRole('complementary', { name: 'Heartbeat too old' })).toBeTruthy()
    await userEvent.click(close)
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByRole('complementary', { name: 'Heartbeat too old' })).toBeNull()
  })

  it('closes its details on a narrow screen before they leave the page, so that the focus returns', async () => {
    const media = Object.assign(matchMedia('all'), { matches: true })
    vi.stubGlobal('matchMedia', () => media)
    renderAlarms()
    await userEvent.click(screen.getByRole('row', { name: /Heartbeat too old/ }))
    const drawer = screen.getByRole<HTMLDialogElement>('dialog', { name: 'Heartbeat too old' })
    await userEvent.click(within(drawer).getByRole('button', { name: 'Close' }))
    expect([drawer.open, drawer.isConnected]).toEqual([false, false])
  })

  it('shelves it only with a reason, until the chosen end', async () => {
    const { alarmAct, dashboard } = renderAlarms()
    dashboard.advance(5_000)
    await userEvent.click(screen.getAllByRole('button', { name: 'Shelve…' })[0] ?? document.body)
    const dialog = screen.getByRole('dialog', { name: alarmTexts.shelf.title('Heartbeat too old, vela-007') })
    // Focus starts in the form, not on the Close button.
    expect(within(dialog).getByRole('radio', { name: '1 h' })).toBe(document.activeElement)
    for (const blank of ['', ' ']) {
      await fillIn(within(dialog).getByRole('textbox', { name: 'Reason' }), blank)
      await userEvent.click(within(dialog).getByRole('button', { name: 'Shelve' }))
      expect(alarmAct).not.toHaveBeenCalled()
      expect(within(dialog).getByText(alarmTexts.shelf.reasonWanted, { exact: false })).toBeTruthy()
    }
    await fillIn(within(dialog).getByRole('textbox', { name: 'Reason' }), 'patching')
    await userEvent.click(within(dialog).getByRole('radio', { name: '4 h' }))
    expect(within(dialog).getByText(alarmTexts.shelf.until('18:02:40'))).toBeTruthy()
    await userEvent.click(within(dialog).getByRole('button', { name: 'Shelve' }))
    expect(alarmAct).toHaveBeenCalledWith({
      act: 'shelve',
      ids: [LOUD.id],
      untilWallMs: WALL_MS + 5_000 + 14_400_000,
      reason: 'patching',
    })
  })

  it('confirms the number of alarms shown, then acknowledges and undoes only those', async () => {
    const other = anAlarm({ id: 'other', kind: 'unreachable' })
    const { alarmAct, dashboard } = renderAlarms(anAlarmsView([LOUD, other, QUIET]))
    await userEvent.click(screen.getByRole('button', { name: 'Acknowledge all shown…' }))
    const dialog = screen.getByRole('dialog', { name: 'Acknowledge 2 alarms?' })
    await fillIn(screen.getByRole('textbox'), 'not this time')
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await userEvent.click(screen.getByRole('button', { name: 'Acknowledge all shown…' }))
    await fillIn(screen.getByRole('textbox'), 'known')
    // Another alarm is raised while the dialog is open.
    act(() => dashboard.alarms.publish(anAlarmsView([anAlarm({ id: 'third' }), LOUD, other, QUIET])))
    await userEvent.click(within(dialog).getByRole('button', { name: 'Acknowledge 2' }))
    expect(alarmAct).toHaveBeenCalledWith({ act: 'acknowledge', ids: [LOUD.id, other.id], note: 'known' })
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'unacknowledge', ids: [LOUD.id, other.id] })
  })

  it('can be undone when it unshelves, with the same reason and end, and when it mutes', async () => {
    const { alarmAct } = renderAlarms(undefined, '/alarms?list=shelved')
    const undo = () =>
      userEvent.click(screen.getAllByRole('button', { name: 'Undo' }).at(-1) ?? document.body)
    await userEvent.click(screen.getByRole('button', { name: alarmTexts.act.unshelve }))
    await undo()
    const ids = [SHELVED.id]
    expect(alarmAct.mock.calls).toEqual([
      [{ act: 'unshelve', ids }],
      [{ act: 'shelve', ids, untilWallMs: WALL_MS + 3_600_000, reason: 'ticket 4412' }],
    ])
    await userEvent.keyboard('m')
    await undo()
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'unmute' })
  })

  it('acknowledges the end of all cleared alarms with one button', async () => {
    const cleared = ['one', 'two'].map((id) => anAlarm({ id, phase: 'cleared' }))
    const { alarmAct } = renderAlarms(anAlarmsView([LOUD, ...cleared]), '/alarms?list=cleared')
    act(() => screen.getAllByRole('row')[2]?.focus())
    await userEvent.keyboard('s')
    expect(screen.queryByRole('dialog')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: alarmTexts.act.acknowledgeEnds }))
    expect(alarmAct).toHaveBeenCalledWith({ act: 'acknowledge-end', ids: ['one', 'two'] })
    await screen.findAllByText(alarmTexts.done.acknowledgedMany(2))
  })

  it('handles keys for the focused row, but not while the user types', async () => {
    const { alarmAct, dashboard } = renderAlarms()
    act(() => screen.getAllByRole('row')[2]?.focus())
    await userEvent.keyboard('a')
    act(() => screen.getAllByRole('row')[4]?.focus())
    await userEvent.keyboard('a')
    expect(alarmAct.mock.calls).toEqual([[{ act: 'acknowledge', ids: [LOUD.id] }]])
    act(() => screen.getAllByRole('row')[2]?.focus())
    await userEvent.keyboard('m')
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'mute', untilWallMs: WALL_MS + 900_000 })
    act(() => dashboard.alarms.publish(anAlarmsView([LOUD], { mutedUntilWallMs: WALL_MS + 900_000 })))
    await userEvent.keyboard('m')
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'unmute' })
    await userEvent.keyboard('s')
    const calls = alarmAct.mock.calls.length
    await fillIn(screen.getByRole('textbox', { name: 'Reason' }), 'as am')
    expect(alarmAct).toHaveBeenCalledTimes(calls)
  })
})

it('keys act on the focused row, even while another alarm is open', async () => {
  const slow = { ...QUIET, acknowledged: undefined }
  const { alarmAct } = renderAlarms(anAlarmsView([LOUD, slow]), OPEN)
  const list = within(screen.getByRole('grid', { name: alarmTexts.list }))
  act(() => list.getByText('1,840 ms').closest<HTMLElement>('[role="row"]')?.focus())
  await userEvent.keyboard('a')
  expect(alarmAct.mock.calls).toEqual([[{ act: 'acknowledge', ids: [slow.id] }]])
})

it('changed critical rules are each counted once, unless still critical, in a link to the rules', () => {
  const builtIn: Settings['alarms']['builtIn'] = [
    { rule: 'unreachable', scope: { for: 'all' }, off: true },
    { rule: 'unreachable', scope: { for: 'tag', tag: 'eu' }, severity: 'info' },
    { rule: 'key-rejected', scope: { for: 'all' }, severity: 'critical', forMs: 60_000 },
    { rule: 'blind', scope: { for: 'all' }, severity: 'warning' },
    { rule: 'rejected', scope: { for: 'all' }, off: true },
  ]
  renderAlarms(undefined, '/alarms', {
    settings: { ...EMPTY_SETTINGS, alarms: { rules: [], maintenance: [], builtIn } },
  })
  const link = screen.getByRole('link', { name: builtInTexts.weakened(2) })
  expect(link.getAttribute('href')).toBe('#/alarms/rules')
})

describe('the alarm details', () => {
  it('apply keys to their alarm while one of its node rows has focus', async () => {
    const node = (id: string) => aNode({ nodeId: id }).key
    const many = anAlarm({ id: 'many', nodes: [node('0x01'), node('0x02')], nodeCount: 2 })
    const { alarmAct, dashboard } = renderAlarms(anAlarmsView([LOUD, QUIET, many]), '/alarms?alarm=many')
    const members = within(screen.getByRole('grid', { name: alarmTexts.detail.membersTable }))
    for (const row of members.getAllByRole('row').slice(1)) {
      act(() => row.focus())
      await userEvent.keyboard('a')
      expect(alarmAct).toHaveBeenLastCalledWith({ act: 'acknowledge', ids: ['many'] })
      await userEvent.keyboard('s')
      await userEvent.type(screen.getByRole('textbox', { name: 'Reason' }), 'patching{Enter}')
      expect(alarmAct).toHaveBeenLastCalledWith(expect.objectContaining({ act: 'shelve', ids: ['many'] }))
    }
    // Toasts with the same text and time still need distinct IDs.
    const toasts = dashboard.toasts.get().map(({ id }) => id)
    expect(new Set(toasts).size).toBe(3)
    // Screen reader users who navigate by landmark would miss toasts outside one.
    const shown = within(screen.getByRole('region', { name: alarmTexts.act.done }))
    expect(shown.getAllByRole('listitem')).toHaveLength(3)
  })

  it('show the first help step, the rule’s own instructions, the limit, and links to node and journal', () => {
    renderAlarms(anAlarmsView([anAlarm({ todo: 'Call Kim' })]), OPEN)
    const detail = screen.getByRole('complementary', { name: 'Heartbeat too old' })
    expect(detail.textContent).toContain('Call Kim')
    expect(detail.textContent).toContain(alarmHelp('heartbeat-old', METRICS).steps[0])
    expect(within(detail).getByRole('link', { name: 'Open node' }).getAttribute('href')).toContain(
      '?range=1h',
    )
    within(detail).getByText(alarmTexts.detail.limit)
    const journal = within(detail).getByRole('link', { name: alarmTexts.act.inJournal })
    expect(journal.getAttribute('href')).toBe(`#/journal?node=${aNode().key}&kind=alarm,operator`)
  })

  it('count how often the alarm was raised, and ignore other alarms', async () => {
    const event = (minutes: number, what: string, alarm: string = LOUD.id) =>
      ({
        id: `${minutes}`,
        wallMs: WALL_MS - minutes * 60_000,
        area: 'alarm',
        what,
        facts: { alarm },
      }) as const
    const entries = [
      event(10, 'alarm-cleared'),
      event(15, 'alarm-raised'),
      event(60, 'alarm-cleared'),
      event(90, 'alarm-raised', 'other'),
      event(120, 'alarm-raised'),
    ]
    renderAlarms(undefined, OPEN, {
      engine: { readEvents: async () => ({ entries, before: undefined }) },
    })
    expect(read((await screen.findByText(/^raised 2 times/)).textContent)).toContain('longest 1 h 00 m')
  })

  it('acknowledge with a note and the signed-in user’s name', async () => {
    const { alarmAct } = renderAlarms(undefined, OPEN, {
      signedIn: async () => ({ name: 'Ada', canSignOut: true }),
    })
    const detail = screen.getByRole('complementary')
    await userEvent.click(within(detail).getByRole('button', { name: 'Acknowledge with a note' }))
    await fillIn(within(detail).getByRole('textbox', { name: 'Note' }), 'on it')
    await userEvent.click(within(detail).getByRole('button', { name: 'Acknowledge' }))
    expect(alarmAct).toHaveBeenCalledWith({ act: 'acknowledge', ids: [LOUD.id], by: 'Ada', note: 'on it' })
  })

  it('start without the note typed for another alarm', async () => {
    renderAlarms(anAlarmsView([LOUD, SHELVED, anAlarm({ id: 'other', kind: 'unreachable' })]))
    const open = (name: RegExp) => userEvent.click(screen.getByRole('row', { name }))
    await open(/Heartbeat too old/)
    await userEvent.click(screen.getByRole('button', { name: alarmTexts.act.acknowledgeNote }))
    await open(/No usable answer/)
    screen.getByRole('complementary', { name: 'No usable answer' })
    expect(screen.queryByRole('textbox', { name: 'Note' })).toBeNull()
  })

  it('chart an older alarm from 45 minutes before to 15 minutes after it began', async () => {
    const readSeriesData = vi.fn<EngineCalls['readSeriesData']>(() => new Promise(() => undefined))
    const snapshot = aSnapshot([aNode()], [aServiceLive()], { startedWallMs: 0 })
    const old = anAlarm({ id: 'old', sinceWallMs: Date.UTC(2026, 10, 20, 13) })
    renderAlarms(anAlarmsView([old]), '/alarms?alarm=old', { snapshot, engine: { readSeriesData } })
    const hour = { fromMs: Date.UTC(2026, 10, 20, 12, 15), toMs: Date.UTC(2026, 10, 20, 13, 15) }
    expect(readSeriesData).toHaveBeenCalledWith(expect.objectContaining(hour))
  })

  it('show key hints only while single-key shortcuts are on', () => {
    const hints = () =>
      Array.from(screen.getByRole('complementary').querySelectorAll('kbd'), ({ textContent }) => textContent)
    renderAlarms(undefined, OPEN)
    expect(hints()).toEqual(['A', 'S'])
    act(() => turnSingleKeys(false))
    expect(hints()).toEqual([])
    act(() => turnSingleKeys(true))
  })

  it('report an alarm that no longer exists, and can be closed', async () => {
    const { addresses } = renderAlarms(undefined, '/alarms?alarm=gone')
    const detail = screen.getByRole('complementary', { name: alarmTexts.detail.gone.title })
    await userEvent.click(within(detail).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(addresses().at(-1)).not.toContain('gone'))
  })
})

describe('alarms from the server watch', () => {
  const FAR = anAlarm({ id: 'unreachable far', kind: 'unreachable', severity: 'warning' })

  function renderWatched(path: string) {
    const sent = vi.fn<(act: AlarmAct) => Promise<boolean>>(async () => true)
    const actHere = vi.fn<(act: AlarmAct) => Promise<boolean>>(async () => true)
    const view = anAlarmsView([FAR])
    const report = { wallMs: WALL_MS, startedWallMs: WALL_MS, evaluatedWallMs: WALL_MS, view, receivers: [] }
    const store = createStore<ServerWatch | undefined>({ report, heardMs: 0 })
    const dashboard = fakeDashboard({
      alarms: anAlarmsView([LOUD], { mutedUntilWallMs: WALL_MS + 900_000 }),
      engine: { readEvents: async () => ({ entries: [], before: undefined }) },
      serverWatch: {
        store,
        act: sent,
        actHere,
        read: async () => ({ ...report, view: anAlarmsView([{ ...FAR, acknowledged: { wallMs: 0 } }]) }),
        journal: async () => ({ entries: [], before: undefined }),
      },
    })
    return { ...renderWith(dashboard, <AlarmsPage />, path), sent, actHere }
  }
  const acknowledge = () => screen.findByRole('button', { name: alarmTexts.act.acknowledge })

  it('replace the browser’s alarms unless those are requested, and are acknowledged in both', async () => {
    const here = renderWatched('/alarms?source=browser')
    await acknowledge()
    screen.getByText(watchTexts.here)
    expect(rows().flat().join(' ')).toContain(alarmName(LOUD.kind, METRICS))
    here.unmount()
    const { sent, actHere } = renderWatched('/alarms')
    // The server said an hour ago that it had just evaluated.
    expect(read(screen.getByText(/^Evaluated/).textContent)).toBe(watchTexts.evaluated('1 h 00 m'))
    expect(rows().flat().join(' ')).not.toContain(alarmName(LOUD.kind, METRICS))
    await userEvent.click(await acknowledge())
    const done = { act: 'acknowledge', ids: [FAR.id] }
    await waitFor(() => expect(actHere).toHaveBeenCalledWith(done))
    expect(sent).toHaveBeenCalledWith(done)
    // Without waiting for the next regular read.
    await waitFor(() => expect(rows()[0]).toEqual([alarmTexts.groups.acknowledged]))
  })

  it('report what the watch refuses, and leave muting to this page', async () => {
    const { sent, actHere } = renderWatched('/alarms')
    sent.mockResolvedValue(false)
    await userEvent.click(await acknowledge())
    await screen.findByText(alarmTexts.done.failed)
    expect(actHere).not.toHaveBeenCalled()
    await userEvent.keyboard('m')
    expect(actHere.mock.calls).toEqual([[{ act: 'unmute' }]])
    expect(sent).toHaveBeenCalledTimes(1)
  })
})
