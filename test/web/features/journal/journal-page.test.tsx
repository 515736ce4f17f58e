import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { runnerImport } from 'vite'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { EngineCalls } from '#engine/bridge.ts'
import type { EventPage, EventQuery, KeptEntry } from '#history/event-log.ts'
import { JournalPage } from '#features/journal/journal-page.tsx'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aNode, aSnapshot, WALL_MS } from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { watchSavedFiles } from '#test/support/saved-files.ts'
import { textsOf } from '#test/support/texts-of.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { areaNames } from '#texts/en-events.ts'
import { journalTexts } from '#texts/en-journal.ts'

beforeAll(giveLayout)

const NODE = aNode().key

const entries: readonly KeptEntry[] = [
  {
    id: '3',
    wallMs: WALL_MS - 1_000,
    serviceMs: WALL_MS,
    area: 'record',
    what: 'status-changed',
    nodeKey: NODE,
    facts: { from: 'ACTIVE', to: 'SUSPENDED' },
  },
  { id: '2', wallMs: WALL_MS - 2_000, area: 'operator', what: 'note', facts: { note: 'hall 2' } },
  {
    id: '1',
    wallMs: WALL_MS - 86_400_000,
    area: 'watching',
    what: 'gap',
    facts: { reason: 'closed', fromMs: 0, toMs: 60_000 },
  },
]

const appendEvents = vi.fn<EngineCalls['appendEvents']>(async () => {})

function renderJournal(path = '/journal', snapshot = aSnapshot([aNode()]), events = entries) {
  const readEvents = vi.fn<(query: EventQuery) => Promise<EventPage>>(async ({ areas }) => ({
    entries: events.filter(({ area }) => areas?.includes(area) ?? true),
    before: undefined,
  }))
  const dashboard = fakeDashboard({ snapshot, engine: { readEvents, appendEvents } })
  return { ...renderWith(dashboard, <JournalPage />, path), readEvents, dashboard }
}

const rows = () =>
  within(screen.getByRole('grid', { name: /^Event/ }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => textsOf(within(row).getAllByRole('gridcell')))

describe('the journal', () => {
  it('shows a node’s name once it is known, even in entries read before', async () => {
    const { dashboard } = renderJournal('/journal', aSnapshot([]))
    await waitFor(() => expect(rows()).toHaveLength(5))
    expect(rows()[1]?.[3]).not.toBe('vela-007')
    dashboard.show(aSnapshot([aNode()]))
    expect(rows()[1]?.[3]).toBe('vela-007')
  })

  it('shows every entry in words under its day, with the time of both clocks', async () => {
    renderJournal()
    await waitFor(() => expect(rows()).toHaveLength(5))
    expect(rows()).toEqual([
      ['Friday, 20 November 2026'],
      ['14:02:34', '', 'Record change', 'vela-007', 'Status ACTIVE → SUSPENDED', '14:02:35'],
      ['14:02:33', '', 'Note', '', '“hall 2”', 'unknown'],
      ['Thursday, 19 November 2026'],
      ['14:02:35', '', 'Monitoring', '', expect.stringContaining('Not watched for 1'), 'unknown'],
    ])
    expect(screen.getByText('3 entries')).toBeTruthy()
  })

  const alarmEntry = (id: number, what: string, alarm: string, kind = 'heartbeat-old'): KeptEntry => {
    const isAct = what === 'alarm-acknowledged'
    return {
      id: String(id),
      wallMs: WALL_MS - (isAct ? 1_000 : 10_000 - id),
      area: isAct ? 'operator' : 'alarm',
      what,
      facts: { alarm, kind, ...(isAct && { note: 'known' }) },
    }
  }

  it('groups alarms acknowledged together in one row that expands and collapses', async () => {
    const acknowledged = ['a', 'b', 'c'].map((alarm, index) => ({
      ...alarmEntry(9 - index, 'alarm-acknowledged', alarm),
      nodeKey: aNode({ nodeId: `0x${index}` }).key,
    }))
    const later = { ...alarmEntry(10, 'alarm-acknowledged', 'd'), wallMs: WALL_MS }
    renderJournal('/journal', aSnapshot([aNode()]), [later, ...acknowledged])
    await waitFor(() => expect(rows()).toHaveLength(3))
    // The group names no node, because each of its entries is about a different one.
    expect(rows()[2]?.slice(3, 5)).toEqual(['', 'Acknowledged: Heartbeat too old, 3 alarms, “known”'])
    await userEvent.click(screen.getByRole('button', { name: 'Show entries' }))
    expect(rows().map((row) => row[4])).toEqual([
      undefined,
      'Acknowledged: Heartbeat too old, “known”',
      'Acknowledged: Heartbeat too old, 3 alarms, “known”',
      ...Array.from({ length: 3 }, () => 'Acknowledged: Heartbeat too old, “known”'),
    ])
    await userEvent.click(screen.getByRole('button', { name: 'Hide entries' }))
    expect(rows()).toHaveLength(3)
  })

  it('groups alarms that ended while pending, but not one that was raised', async () => {
    renderJournal('/journal', aSnapshot([aNode()]), [
      alarmEntry(9, 'alarm-raised', 'd'),
      alarmEntry(8, 'alarm-reset', 'b', 'unreachable'),
      alarmEntry(7, 'alarm-pending', 'b', 'unreachable'),
      alarmEntry(6, 'alarm-reset', 'a'),
      alarmEntry(5, 'alarm-pending', 'd'),
      alarmEntry(4, 'alarm-pending', 'a'),
      alarmEntry(3, 'alarm-reset', 'a'),
      alarmEntry(2, 'alarm-pending', 'a'),
      { ...alarmEntry(1, 'alarm-pending', 'a'), wallMs: WALL_MS - 86_400_000 },
    ])
    await waitFor(() => expect(rows()).toHaveLength(8))
    expect(rows().map((row) => row[4])).toEqual([
      undefined,
      'Heartbeat too old',
      '2 alarms: not raised',
      'Heartbeat too old: pending',
      'Heartbeat too old: pending',
      'Heartbeat too old: not raised',
      // Groups do not span days.
      undefined,
      'Heartbeat too old: pending',
    ])
  })

  it('searches as the user types, says when nothing matches, and can clear the search', async () => {
    const { dashboard, addresses } = renderJournal()
    await waitFor(() => expect(rows()).toHaveLength(5))
    const field = screen.getByRole('textbox', { name: journalTexts.search })
    await fillIn(field, 'vela suspended ')
    dashboard.advance(1_000)
    await waitFor(() => expect(rows()).toHaveLength(2))
    expect(field).toHaveProperty('value', 'vela suspended ')
    expect(document.activeElement).toBe(field)
    await userEvent.type(field, 'nowhere{Enter}')
    await screen.findByText(journalTexts.noMatch)
    expect(addresses().at(-1)).toContain('q=vela+suspended+nowhere')
    await userEvent.click(screen.getByRole('button', { name: journalTexts.clear }))
    await waitFor(() => expect(rows()).toHaveLength(5))
  })

  it('filters by all selected kinds, even when two are selected between renders', async () => {
    const { addresses } = renderJournal()
    await waitFor(() => expect(rows()).toHaveLength(5))
    act(() => {
      for (const name of ['Monitoring', areaNames.record]) screen.getByRole('button', { name }).click()
    })
    await waitFor(() => expect(rows()).toHaveLength(4))
    expect(decodeURIComponent(addresses().at(-1) ?? '')).toMatch(/kind=\w+,\w+$/)
    await userEvent.click(screen.getByRole('button', { name: 'All' }))
    await waitFor(() => expect(rows()).toHaveLength(5))
  })

  it('shows an error when it can’t be read, and retries on a click', async () => {
    const { readEvents } = renderJournal('/journal?node=x')
    readEvents.mockRejectedValue(new Error('gone'))
    await userEvent.click(screen.getByRole('button', { name: 'Operator' }))
    await screen.findAllByText(journalTexts.failed)
    readEvents.mockResolvedValue({ entries, before: undefined })
    await userEvent.click(screen.getByRole('button', { name: journalTexts.again }))
    await waitFor(() => expect(rows()).toHaveLength(5))
  })

  it('exports what filter and search match, reports a failure, and saves nothing once stopped', async () => {
    const saved = watchSavedFiles()
    const { readEvents } = renderJournal('/journal?kind=record,operator&q=not')
    const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
    readEvents.mockRejectedValueOnce(new Error('gone'))
    await press(journalTexts.export.csv)
    const failed = { selector: 'span.text-12' }
    await screen.findByText(journalTexts.exportFailed, failed)
    await press(journalTexts.export.csv)
    await waitFor(() => expect(saved).toHaveLength(1))
    expect(screen.queryByText(journalTexts.exportFailed, failed)).toBeNull()
    const lines = (await saved[0]?.text())?.trim().split('\r\n').slice(1)
    expect(lines).toEqual([expect.stringContaining('hall 2')])
    const { promise, resolve } = withResolvers<EventPage>()
    readEvents.mockReturnValue(promise)
    await press(journalTexts.export.csv)
    await press(journalTexts.stop)
    resolve({ entries, before: undefined })
    await screen.findByRole('button', { name: journalTexts.export.csv })
    expect(saved).toHaveLength(1)
  })

  it('shows the end time from the URL, and leads back to the newest entries', async () => {
    const { addresses } = renderJournal('/journal?to=2026-11-20T14:00:00Z')
    expect(screen.getByDisplayValue(/^2026-11-20T14:00/)).toBe(screen.getByLabelText(journalTexts.to('UTC')))
    await userEvent.click(screen.getByRole('button', { name: journalTexts.newest }))
    expect(addresses().at(-1)).toBe('/journal?last=between')
  })

  it.each([
    ['no node', '', {}],
    ['the node in the URL', `?node=${NODE}`, { nodeKey: NODE, serviceId: aNode().serviceId }],
  ])('saves a note about %s', async (_what, query, about) => {
    renderJournal(`/journal${query}`)
    await fillIn(screen.getByLabelText('Note'), 'hall 2 is dark')
    await userEvent.click(screen.getByRole('button', { name: 'Add note' }))
    expect(appendEvents.mock.lastCall?.[0]).toEqual([
      { wallMs: WALL_MS, area: 'operator', what: 'note', facts: { note: 'hall 2 is dark' }, ...about },
    ])
  })

  it('shows the number of monitoring gaps, a flood of alarms, and that the longest is still active', async () => {
    const alarms = Array.from({ length: 11 }, (_, place): KeptEntry => {
      const facts = { alarm: `${place}`, kind: 'unreachable', severity: 'critical' }
      return { id: `a${place}`, wallMs: WALL_MS - 60_000, area: 'alarm', what: 'alarm-raised', facts }
    })
    renderJournal('/journal', undefined, [...alarms, ...entries])
    const { blind, rate, longest } = journalTexts.stats
    for (const [name, says] of [
      [blind, '1 gap'],
      [rate, 'peak 11 per 10 min, a flood'],
      [longest, 'still active'],
    ] as const)
      expect((await screen.findByRole('group', { name })).textContent).toContain(says)
  })
})

it('the journal starts a day at local midnight, even in a half-hour time zone', async () => {
  vi.stubEnv('TZ', 'Asia/Kolkata')
  onTestFinished(() => void vi.unstubAllEnvs())
  // The formatters use the time zone that is set when their module loads.
  const { module } = await runnerImport<typeof import('#features/journal/rows.ts')>(
    'src/web/features/journal/rows.ts',
  )
  const at = (hour: number) =>
    ({ id: String(hour), wallMs: hour * 3_600_000, area: 'operator', what: 'note' }) as const
  const shown = module.rowsOf([at(18.6), at(18.4)], 'local', new Set())
  expect(shown.filter(({ entry }) => entry === undefined)).toHaveLength(2)
})
